package linear

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is the operation of a call.
type Op int

// The operations of a history. The first seven are writes: each has a key, and its decision a
// commit sequence.
const (
	Authorize   Op = iota + 1 // POST /order with status AUTHORIZED
	SetAmount                 // PATCH the amount of an order
	Capture                   // PATCH to CAPTURED; Amount 0: what is reserved
	Cancel                    // PATCH to CANCELED
	Refund                    // PATCH …/refund; Amount 0: everything left
	Pay                       // POST /payment by WIRE on an order
	SetLimit                  // the operator's change of a credit limit
	ReadOrder                 // GET an order
	ReadCompany               // GET a company with its credit line
)

// String returns the operation's name for reports.
func (o Op) String() string {
	names := [...]string{"", "authorize", "set amount", "capture", "cancel", "refund", "pay", "set limit", "read order", "read company"}
	if o < 1 || int(o) >= len(names) {
		return fmt.Sprintf("operation %d", int(o))
	}
	return names[o]
}

// Read reports whether the operation changes nothing.
func (o Op) Read() bool { return o == ReadOrder || o == ReadCompany }

// Request is a call in terms of the model. Amounts are cents.
type Request struct {
	Op      Op
	Company string
	Order   string // key; empty for Authorize, SetLimit and ReadCompany
	Amount  int64
	Caller  int    // API client that sends it; each key belongs to one of them (ID1)
	Key     string // Idempotency-Key; empty for reads
}

// Reference returns the caller's own number for an order or payment: unique for each key of each
// API client, so that a response identifies its owner.
func (r Request) Reference() string {
	if r.Op != Authorize && r.Op != Pay {
		return ""
	}
	return fmt.Sprintf("%s/%d", r.Key, r.Caller)
}

// String formats a request for a report.
func (r Request) String() string {
	s := fmt.Sprintf("%s %s", r.Op, r.Company)
	if r.Order != "" {
		s += " " + r.Order
	}
	if r.Amount != 0 {
		s += fmt.Sprintf(" %d cents", r.Amount)
	}
	if r.Key != "" {
		s += fmt.Sprintf(" key %s/%d", r.Key, r.Caller)
	}
	return s
}

// View is the relevant part of a body: an order, a payment, a credit line, or the figures of a
// refusal. Missing members are zero. Amounts are cents.
type View struct {
	Order, Company, Reference string
	Status, Financing         string // of a refusal: the order's status

	Amount, Authorized, Captured, Refunded, Refundable, Unapplied int64
	Limit, Available, Reserved, Outstanding, OnHold, Credit       int64
	Version                                                       int
}

// Answer is a response.
type Answer struct {
	Status   int
	Code     string // of a problem
	Seq      int64  // Commit-Seq of a write, As-Of-Seq of a read; 0: none
	Replayed bool   // Idempotency-Replayed
	Body     [32]byte
	View     View
}

// says is the part of a response that a model can predict.
type says struct {
	status int
	code   string
	view   View
}

func (a Answer) says() says { return says{a.Status, a.Code, a.View} }

// String formats a response for a report.
func (s says) String() string {
	return strings.Join(append([]string{strconv.Itoa(s.status) + " " + s.code}, s.view.figures()...), " ")
}

// figures returns the view's set members.
func (v View) figures() []string {
	var out []string
	for _, t := range []struct{ name, value string }{
		{"order", v.Order}, {"company", v.Company}, {"reference", v.Reference}, {"status", v.Status}, {"financing", v.Financing},
	} {
		if t.value != "" {
			out = append(out, t.name+":"+t.value)
		}
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"amount", v.Amount}, {"authorized", v.Authorized}, {"captured", v.Captured}, {"refunded", v.Refunded}, {"refundable", v.Refundable},
		{"unapplied", v.Unapplied}, {"limit", v.Limit}, {"available", v.Available}, {"reserved", v.Reserved},
		{"outstanding", v.Outstanding}, {"on_hold", v.OnHold}, {"credit", v.Credit}, {"version", int64(v.Version)},
	} {
		if n.value != 0 {
			out = append(out, fmt.Sprintf("%s:%d", n.name, n.value))
		}
	}
	return out
}

// Call is one request at one node. Called and Returned are nanoseconds on one monotonic clock;
// Returned 0 means that no definite response came.
type Call struct {
	Client   int
	Node     string
	Request  Request
	Called   int64
	Returned int64
	Answer   Answer
}

// History is what all clients have seen, in the order in which the calls started.
type History []Call

package linear

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// Reply is a response as received.
type Reply struct {
	Status   int
	Seq      int64 // Commit-Seq or As-Of-Seq, 0: none
	Replayed bool
	Body     []byte
}

// Definite reports whether the reply tells the outcome of the request. 5xx, a request refused by
// the rate limit, and a key whose first request is still running do not.
func (r Reply) Definite() bool {
	return r.Status < 500 && r.Status != http.StatusTooManyRequests && r.Status != http.StatusRequestTimeout &&
		!(r.Status == http.StatusConflict && strings.Contains(string(r.Body), `"idempotency_key_in_use"`))
}

// sequence reads the header that the response should have.
func sequence(op Op, h http.Header) (int64, error) {
	name := "Commit-Seq"
	if op.Read() {
		name = "As-Of-Seq"
	}
	text := h.Get(name)
	if text == "" {
		return 0, nil
	}
	q, err := strconv.ParseInt(text, 10, 64)
	if err != nil || q < 1 {
		return 0, fmt.Errorf("%s: %q is no sequence", name, text)
	}
	return q, nil
}

// cents is an amount as transmitted: a number or a string with two decimals.
type cents int64

// UnmarshalJSON reads the digits; no float is involved.
func (c *cents) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" {
		return nil
	}
	digits, negative := strings.CutPrefix(s, "-")
	units, parts, ok := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(units+parts, 10, 64)
	if err != nil || n < 0 || !ok || len(parts) != 2 || n == math.MaxInt64 {
		return fmt.Errorf("%q is no amount", s)
	}
	if negative {
		n = -n
	}
	*c = cents(n)
	return nil
}

// text is an ID that some resources encode as a number.
type text string

// UnmarshalJSON accepts both forms unchanged; null is empty.
func (t *text) UnmarshalJSON(b []byte) error {
	if string(b) != "null" {
		*t = text(strings.Trim(string(b), `"`))
	}
	return nil
}

// body has the members of all resources and problems that a history can contain: the subject of a
// response must not be taken from the request, or a response to the wrong caller could not be
// distinguished from a wrong one.
type body struct {
	Key        text  `json:"key"`
	ID         text  `json:"id"`
	CompanyID  text  `json:"company_id"`
	OrderKey   text  `json:"order_key"`
	MerchantID text  `json:"merchant_order_id"`
	ExternalID text  `json:"external_id"`
	Financing  text  `json:"financing_status"`
	Amount     cents `json:"amount"`
	Authorized cents `json:"authorized_amount"`
	Captured   cents `json:"captured_amount"`
	Refunded   cents `json:"refunded_amount"`
	Refundable cents `json:"refundable_amount"`
	Unapplied  cents `json:"unapplied_amount"`
	Credit     cents `json:"unapplied_credit"`
	Version    int   `json:"version"`
	Line       *struct {
		Limit       cents `json:"limit"`
		Available   cents `json:"available"`
		Reserved    cents `json:"reserved"`
		Outstanding cents `json:"outstanding"`
		OnHold      cents `json:"on_hold"`
	} `json:"credit_line"`

	Code        string          `json:"code"`
	Status      json.RawMessage `json:"status"` // text in a resource, a number in a problem
	Available   cents           `json:"available"`
	From        text            `json:"from"`
	OrderStatus text            `json:"order_status"`
}

// answer decodes a reply. An unreadable body is an error; the caller treats such a reply as
// missing.
func (r Reply) answer() (Answer, error) {
	a := Answer{Status: r.Status, Seq: r.Seq, Replayed: r.Replayed, Body: sha256.Sum256(r.Body)}
	var b body
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return Answer{}, fmt.Errorf("answer %d: %w", r.Status, err)
	}
	if a.Code = b.Code; r.Status >= 400 {
		if b.Code == "" {
			return Answer{}, errors.New("a refusal without a code")
		}
		a.View = View{Status: string(b.From + b.OrderStatus), Available: int64(b.Available), Refundable: int64(b.Refundable)}
		return a, nil
	}
	status := strings.Trim(string(b.Status), `"`)
	switch {
	case b.Line != nil:
		l := b.Line
		a.View = View{Company: string(b.ID), Status: status, Limit: int64(l.Limit), Available: int64(l.Available),
			Reserved: int64(l.Reserved), Outstanding: int64(l.Outstanding), OnHold: int64(l.OnHold), Credit: int64(b.Credit)}
	case b.Key != "":
		a.View = View{Order: string(b.Key), Company: string(b.CompanyID), Reference: string(b.MerchantID), Status: status,
			Financing: string(b.Financing), Amount: int64(b.Amount), Authorized: int64(b.Authorized), Captured: int64(b.Captured),
			Refunded: int64(b.Refunded), Refundable: int64(b.Refundable), Version: b.Version}
	default:
		a.View = View{Order: string(b.OrderKey), Company: string(b.CompanyID), Reference: string(b.ExternalID), Status: status,
			Amount: int64(b.Amount), Refunded: int64(b.Refunded), Unapplied: int64(b.Unapplied)}
	}
	return a, nil
}

package linear

import "net/http"

// line is a company's credit line. Amounts are cents.
type line struct{ limit, reserved, outstanding, onHold, credit int64 }

func (l line) available() int64 { return l.limit - l.reserved - l.outstanding - l.onHold }

// order is an order's state. The zero order means none.
type order struct {
	key, reference, status                                   string
	amount, reserved, authorized, captured, refunded, unpaid int64
	version                                                  int
}

func (o order) financing() string {
	switch {
	case o.captured == 0:
		return "NONE"
	case o.unpaid == 0:
		return "PAID_OFF"
	}
	return "ACTIVE"
}

// show returns the visible state of an order.
func (o order) show(company string) View {
	return View{
		Order: o.key, Company: company, Reference: o.reference, Status: o.status, Financing: o.financing(), Amount: o.amount,
		Authorized: o.authorized, Captured: o.captured, Refunded: o.refunded, Refundable: o.captured - o.refunded, Version: o.version,
	}
}

// show returns the visible state of a company.
func (l line) show(company string) View {
	return View{
		Company: company, Status: "APPROVED", Limit: l.limit, Available: l.available(), Reserved: l.reserved,
		Outstanding: l.outstanding, OnHold: l.onHold, Credit: l.credit,
	}
}

func refuse(status int, code string, v View) says { return says{status, code, v} }

// step is the model: the required response to a request for a line and an order, and their new
// state. It contains all credit line rules (CL1) for the operations of a history. key is the key
// that a new order gets.
func step(r Request, key string, l line, o order) (says, line, order) {
	if r.Op == SetLimit {
		l.limit = r.Amount
		return says{http.StatusOK, "", l.show(r.Company)}, l, o
	}
	if r.Op == ReadCompany {
		return says{http.StatusOK, "", l.show(r.Company)}, l, o
	}
	if r.Op != Authorize && o.key == "" {
		return refuse(http.StatusNotFound, "not_found", View{}), l, o
	}
	was, status := o, http.StatusOK
	var refusal says
	switch r.Op {
	case Authorize:
		refusal, l, o = authorize(r, key, l)
		status = http.StatusCreated
	case SetAmount:
		refusal, l, o = setAmount(r.Amount, l, o)
	case Capture:
		refusal, l, o = capture(r.Amount, l, o)
	case Cancel:
		refusal, l, o = cancel(l, o)
	case Refund:
		refusal, l, o = refund(r.Amount, l, o)
	case Pay:
		return pay(r, l, o)
	}
	if refusal.status != 0 {
		return refusal, l, o
	}
	o = versioned(was, o)
	return says{status, "", o.show(r.Company)}, l, o
}

// versioned counts a visible change.
func versioned(was, o order) order {
	if o.show("") != was.show("") {
		o.version++
	}
	return o
}

func insufficient(available int64) says {
	return refuse(http.StatusUnprocessableEntity, "insufficient_credit", View{Available: max(available, 0)})
}

func authorize(r Request, key string, l line) (says, line, order) {
	if r.Amount > l.available() {
		return insufficient(l.available()), l, order{}
	}
	l.reserved += r.Amount
	return says{}, l, order{key: key, reference: r.Reference(), status: "AUTHORIZED", amount: r.Amount, reserved: r.Amount, authorized: r.Amount}
}

func setAmount(amount int64, l line, o order) (says, line, order) {
	switch {
	case amount == o.amount:
		return says{}, l, o
	case o.status == "CANCELED":
		return refuse(http.StatusConflict, "order_locked", View{}), l, o
	case o.status != "AUTHORIZED":
		return refuse(http.StatusConflict, "amount_locked", View{}), l, o
	case amount > l.available()+o.reserved && amount > o.reserved:
		return insufficient(l.available() + o.reserved), l, o
	}
	l.reserved += amount - o.reserved
	o.amount, o.reserved, o.authorized = amount, amount, amount
	return says{}, l, o
}

func capture(amount int64, l line, o order) (says, line, order) {
	if amount == 0 {
		amount = o.amount
	}
	switch {
	case o.status == "CAPTURED" && amount == o.amount:
		return says{}, l, o
	case o.status == "CAPTURED":
		return refuse(http.StatusConflict, "amount_locked", View{}), l, o
	case o.status != "AUTHORIZED":
		return refuse(http.StatusConflict, "invalid_transition", View{Status: o.status}), l, o
	case amount > o.reserved && amount > l.available()+o.reserved:
		return insufficient(l.available() + o.reserved), l, o
	}
	l.reserved -= o.reserved
	l.outstanding += amount
	o.status, o.amount, o.captured, o.unpaid = "CAPTURED", amount, amount, amount
	o.authorized, o.reserved = max(o.authorized, amount), 0
	return says{}, l, o
}

func cancel(l line, o order) (says, line, order) {
	switch o.status {
	case "CANCELED":
		return says{}, l, o
	case "AUTHORIZED":
		l.reserved -= o.reserved
		o.status, o.reserved = "CANCELED", 0
		return says{}, l, o
	}
	return refuse(http.StatusConflict, "invalid_transition", View{Status: o.status}), l, o
}

// refund reduces principal first. Anything beyond that was paid with money held by the merchant,
// since nobody else pays in a history: it is refunded through the merchant, and no longer counts
// as principal on hold (F13.4).
func refund(amount int64, l line, o order) (says, line, order) {
	if o.captured == 0 {
		return refuse(http.StatusConflict, "order_not_captured", View{Status: o.status}), l, o
	}
	left := o.captured - o.refunded
	if amount == 0 {
		amount = left
	}
	if left == 0 || amount > left {
		return refuse(http.StatusUnprocessableEntity, "refund_exceeds_captured", View{Refundable: left}), l, o
	}
	o.refunded += amount
	if o.refunded == o.captured {
		o.status = "RETURNED"
	}
	unpaid := min(amount, o.unpaid)
	o.unpaid -= unpaid
	l.outstanding -= unpaid
	l.onHold -= amount - unpaid
	return says{}, l, o
}

// pay is a merchant's record of money that it holds: it pays principal at once, but frees no
// credit line before the merchant has paid it in, which never happens in a history (F41.4). The
// rest is the company's credit.
func pay(r Request, l line, o order) (says, line, order) {
	if o.captured == 0 {
		return refuse(http.StatusConflict, "order_not_captured", View{Status: o.status}), l, o
	}
	was := o
	paid := min(r.Amount, o.unpaid)
	rest := r.Amount - paid
	o.unpaid -= paid
	l.outstanding -= paid
	l.onHold += paid
	l.credit += rest
	v := View{Order: o.key, Company: r.Company, Reference: r.Reference(), Status: "SUCCEEDED", Amount: r.Amount, Unapplied: rest}
	return says{http.StatusCreated, "", v}, l, versioned(was, o)
}

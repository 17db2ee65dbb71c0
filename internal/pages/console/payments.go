package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// paymentQuery is the filter of the list, which its address holds.
type paymentQuery struct {
	url.Values
	store.PaymentFilter
}

// readPayments reads the filter of the address. What cannot be read names no payment.
func (v *visit) readPayments() (q paymentQuery, ok bool) {
	q.Values, ok = v.narrowed("state", "method", "company", "merchant", "from", "to", "sort"), true
	q.Status, q.Method, q.Merchant = credit.PaymentStatus(q.Get("state")), credit.Method(q.Get("method")), q.Get("merchant")
	q.From, q.To = calendar.None, calendar.None
	if text := q.Get("company"); text != "" {
		id, err := strconv.ParseInt(text, 10, 64)
		q.Company, ok = id, err == nil && id > 0
	}
	for name, at := range map[string]*calendar.Date{"from": &q.From, "to": &q.To} {
		if text := q.Get(name); text != "" {
			day, err := calendar.Parse(text)
			*at, ok = day, ok && err == nil
		}
	}
	return q, ok
}

// payments lists payments, newest first, by the filter of the address.
func (v *visit) payments() error {
	q, ok := v.readPayments()
	var list, all []*credit.Payment
	var names book
	more := false
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if !ok {
			return nil
		}
		if all, err = store.ListPayments(w, q.PaymentFilter, store.Page{Limit: summed + 1}); err != nil {
			return err
		}
		page := v.position()
		page.Limit = pageOf + 1
		if list, err = store.ListPayments(w, q.PaymentFilter, page); err != nil {
			return err
		}
		if more = len(list) > pageOf; more {
			list = list[:pageOf]
		}
		names, err = payersOf(w, list)
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("nav.payments")
	p := page{Shell: v.shell("payments", title), Title: design.Title{Text: title}, Figures: v.paymentTotals(all)}
	if ok {
		p.Title.Act = v.asFile("payments", q.Values)
	}
	p.Filter = v.filterOf("payments", q.Values, []design.Field{
		v.oneOf(q.Values, "state", "payment", "SCHEDULED", "PENDING", "SUCCEEDED", "RETURNED", "FAILED", "PARTIALLY_REFUNDED", "REFUNDED", "CANCELED"),
		v.oneOf(q.Values, "method", "method", "ACH", "CARD", "CHECK", "WIRE", "CASH", "OTHER"), v.typedIn(q.Values, "from", "date"), v.typedIn(q.Values, "to", "date"), v.sorted(q.Values),
	}, "merchant", "company")
	p.Tables = []titled{{ID: "list", Table: v.payerTable(list, names)}}
	if more {
		last := list[len(list)-1]
		p.Acts = v.older("payments", q.Values, last.CreatedAt, last.ID)
	}
	return v.show(http.StatusOK, p)
}

// payersOf reads the companies of payments.
func payersOf(w store.View, list []*credit.Payment) (book, error) {
	s := credit.NewState()
	keys, fresh := credit.NewKeySet(), credit.Keys{}
	for _, x := range list {
		keys.Add(&fresh, credit.Keys{Companies: []int64{x.Company}})
	}
	err := w.Load(s, fresh)
	return book{companies: s.Companies, merchants: s.Merchants}, err
}

// paymentTotals counts and sums the payments of a filter, as far as summed. Money that goes out
// is subtracted.
func (v *visit) paymentTotals(all []*credit.Payment) []design.Figure {
	if len(all) > summed {
		return []design.Figure{{Label: v.say("nav.payments"), Value: v.say("orders.beyond", summed), Note: v.say("orders.narrow")}}
	}
	sum, back := money.Amount(0), money.Amount(0)
	for _, x := range all {
		amount := x.Amount
		if x.Direction == "OUT" {
			amount = -amount
		}
		sum, back = sum.Add(amount), back.Add(x.Refunded)
	}
	return []design.Figure{{Label: v.say("nav.payments"), Value: strconv.Itoa(len(all))}, {Label: v.say("orders.amount"), Value: v.language().Money(sum)}, {Label: v.say("order.refunded"), Value: v.language().Money(back)}}
}

func paymentDay(x *credit.Payment) calendar.Date {
	if x.EffectiveDate != calendar.None {
		return x.EffectiveDate
	}
	return x.ScheduledDate
}

func (v *visit) paymentState(x *credit.Payment) design.Badge {
	b := design.Badge{Text: v.say("payment." + string(x.Status))}
	switch x.Status {
	case credit.PaymentSucceeded:
		b.Tone = design.Good
	case credit.PaymentReturned, credit.PaymentFailed:
		b.Tone = design.Bad
	}
	return b
}

func (v *visit) payerTable(list []*credit.Payment, names book) design.Table {
	t := design.Table{Caption: v.say("nav.payments"), Columns: []design.Column{
		{Text: v.say("col.payment")}, {Text: v.say("orders.company"), From: "md"}, {Text: v.say("col.method"), From: "sm"}, {Text: v.say("col.date"), From: "sm"}, {Text: v.say("orders.amount"), Number: true}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("payments.none"), Act: &design.Button{Text: v.say("payments.all"), Href: Prefix + "/payments"}, Command: "tenor payments list"}}
	for _, x := range list {
		state := v.paymentState(x)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: x.ID, Href: Prefix + "/payments/" + x.ID, Narrow: v.company(names, x.Company), Below: &state}, {Text: v.company(names, x.Company)}, {Text: v.say("method." + string(x.Method))}, {Text: v.dayOr(paymentDay(x)), Soft: true},
			{Text: v.language().Money(x.Amount), Strong: true}, {Badge: &state},
		}})
	}
	return t
}

// paymentsCSV is the list as a file.
func (v *visit) paymentsCSV() error {
	q, ok := v.readPayments()
	if !ok {
		return v.bare(http.StatusNotFound, "lost")
	}
	return v.file("payments", "exportPayments", q.Values, []string{
		"id", "company_id", "company", "order_key", "method", "direction", "status", "date", "amount", "refunded", "unapplied", "failure_code", "return_code", "created_at",
	}, func(out *csv.Writer, at store.Page) (n int, next store.Page, err error) {
		err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
			list, err := store.ListPayments(w, q.PaymentFilter, at)
			if err != nil || len(list) == 0 {
				return err
			}
			names, err := payersOf(w, list)
			if err != nil {
				return err
			}
			for _, x := range list {
				day, failed := "", credit.Failure{}
				if d := paymentDay(x); d != calendar.None {
					day = d.String()
				}
				if x.Failure != nil {
					failed = *x.Failure
				}
				if err := out.Write([]string{
					x.ID, strconv.FormatInt(x.Company, 10), web.PlainCell(v.company(names, x.Company)), x.Order, string(x.Method), x.Direction, string(x.Status), day,
					x.Amount.String(), x.Refunded.String(), x.Unapplied.String(), failed.Code, failed.ReturnCode, x.CreatedAt.UTC().Format(time.RFC3339),
				}); err != nil {
					return err
				}
			}
			last := list[len(list)-1]
			n, next = len(list), store.Page{AfterAt: last.CreatedAt, AfterID: last.ID}
			return nil
		})
		return n, next, err
	})
}

// paymentBook is a payment with all that its page shows.
type paymentBook struct {
	book
	payment *credit.Payment
	past    past
}

// findPayment reads the payment of the address, nil if there is none.
func (v *visit) findPayment() (x *paymentBook, err error) {
	id := v.r.PathValue("id")
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Payments: []string{id}}); err != nil || s.Payments[id] == nil {
			return err
		}
		x = &paymentBook{payment: s.Payments[id]}
		var err error
		if x.book, err = payersOf(w, []*credit.Payment{x.payment}); err != nil {
			return err
		}
		x.past, err = v.readPast(w, "payment", id, store.RecordFilter{Of: id})
		return err
	})
	return x, err
}

// payment shows one payment.
func (v *visit) payment() error {
	x, err := v.findPayment()
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	line, err := v.timeline(x.past, nil)
	if err != nil {
		return err
	}
	y, state, subject := x.payment, v.paymentState(x.payment), v.paymentSubject(x)
	m := v.language().Money
	p := page{
		Shell: v.shell("payments", y.ID), Crumbs: []design.Link{{Text: v.say("nav.payments"), Href: Prefix + "/payments"}, {Text: v.say("method." + string(y.Method))}},
		Title: design.Title{Text: m(y.Amount), Lead: subject.lead, Badge: &state}, Handle: &design.Key{ID: "payment-id", Label: v.say("payment.id"), Value: y.ID},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject), Acts: append(v.noteLink(subject), v.auditOf("object", y.ID)...),
		Figures: []design.Figure{{Label: v.say("payment.refundable"), Value: m(y.Refundable())}, {Label: v.say("order.refunded"), Value: m(y.Refunded)}, {Label: v.say("payment.unapplied"), Value: m(y.Unapplied)}},
		Tables:  []titled{{ID: "paid", Title: v.say("payment.paid"), Table: v.allocationTable(y.Allocations)}},
		Facts:   v.paymentFacts(x), Timeline: line,
	}
	if len(y.Refunds) > 0 {
		p.Tables = append(p.Tables, titled{ID: "refunds", Title: v.say("payment.refunds"), Table: v.refundTable(y.Refunds)})
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) paymentFacts(x *paymentBook) (out []design.Fact) {
	y := x.payment
	out = []design.Fact{{Label: v.say("col.date"), Text: v.dayOr(paymentDay(y))}}
	for _, f := range [][2]string{{"orders.order", y.Order}, {"search.invoice", y.Invoice}, {"act.reference", y.Reference}, {"payment.external", y.ExternalID}} {
		if f[1] != "" {
			out = append(out, design.Fact{Label: v.say(f[0]), Text: f[1]})
		}
	}
	if f := y.Failure; f != nil {
		out = append(out, design.Fact{Label: v.say("payment.failure"), Text: strings.TrimSpace(f.ReturnCode + " " + f.Message)})
	}
	return out
}

func (v *visit) allocationTable(list []credit.Allocation) design.Table {
	t := design.Table{Caption: v.say("payment.paid"), Columns: []design.Column{
		{Text: v.say("orders.order")}, {Text: v.say("col.fees"), Number: true, From: "sm"}, {Text: v.say("col.charge"), Number: true, From: "sm"}, {Text: v.say("col.principal"), Number: true},
	}, Empty: &design.Empty{Text: v.say("payment.unallocated")}}
	m := v.language().Money
	for _, x := range list {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: x.Order, Detail: v.say("payment.row", x.Installment), Href: Prefix + "/orders/" + x.Order}, {Text: m(x.Fee)}, {Text: m(x.Charge)}, {Text: m(x.Principal), Strong: true}}})
	}
	return t
}

func (v *visit) refundTable(list []credit.PaymentRefund) design.Table {
	t := design.Table{Caption: v.say("payment.refunds"), Columns: []design.Column{{Text: v.say("payment.refund")}, {Text: v.say("act.reason"), From: "sm"}, {Text: v.say("orders.amount"), Number: true}, {Text: v.say("orders.status")}}}
	for _, x := range list {
		why := x.Reason
		if permit.Masked(v.visitor.Staff.Roles) {
			why = ""
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: x.ID, Strong: true}, {Text: why, Soft: true}, {Text: v.language().Money(x.Amount)}, {Badge: &design.Badge{Text: worded(strings.ToLower(string(x.Status)))}}}})
	}
	return t
}

// paymentSubject is a payment as its acts' pages name it.
func (v *visit) paymentSubject(x *paymentBook) *subject {
	y := x.payment
	return &subject{
		section: "payments", path: "/payments/" + y.ID, name: v.say("payment.name", v.language().Money(y.Amount)), lead: v.say("payment.lead", v.say("method."+string(y.Method)), v.company(x.book, y.Company)),
		version: y.Version, company: y.Company, order: y.Order, acts: v.paymentActs(y),
	}
}

func findPaymentSubject(v *visit) (*subject, error) {
	x, err := v.findPayment()
	if x == nil || err != nil {
		return nil, err
	}
	return v.paymentSubject(x), nil
}

// paymentActs are what can be done with a payment.
func (v *visit) paymentActs(x *credit.Payment) []act {
	left := x.Refundable()
	_, reversed := x.Reversal()
	var wrong []design.Option
	for _, r := range []credit.ReversalReason{payments.ReversalDuplicate, payments.ReversalWrongReceiver, payments.ReversalWrongAmount, payments.ReversalWrongDate} {
		wrong = append(wrong, design.Option{Value: string(r), Text: worded(strings.ToLower(string(r)))})
	}
	return []act{
		act{name: "cancel-payment", permission: permit.Service, command: func(g given) credit.Command {
			return payments.CancelPayment{Payment: x.ID, IfMatch: g.match}
		}}.possible(x.Status == credit.PaymentScheduled || x.Status == credit.PaymentPending, "sent"),
		act{name: "refund-payment", permission: permit.Refund, fields: []field{v.amountOf("amount", "orders.amount", left, v.say("act.amount.hint", v.language().Money(left)))}, command: func(g given) credit.Command {
			amount := g.amounts["amount"]
			return payments.RefundPayment{Payment: x.ID, IfMatch: g.match, Amount: &amount, Reason: g.reason}
		}}.possible(left > 0, "unrefundable"),
		act{name: "reverse", permission: permit.Refund, fields: []field{v.pick("wrong", "act.wrong", first(wrong), wrong...)}, command: func(g given) credit.Command {
			return payments.ReversePayment{Payment: x.ID, IfMatch: g.match, Reason: credit.ReversalReason(g.texts["wrong"]), Note: g.reason}
		}}.possible(x.Status == credit.PaymentSucceeded && x.Transfer != "" && x.Method.Can().Reverse && x.Refunded == 0 && !reversed, "irreversible"),
	}
}

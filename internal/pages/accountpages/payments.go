package accountpages

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// payments lists completed payments, and those in transit.
func (v *visit) payments() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	s := section{Items: v.paymentItems(b, len(b.Payments), v.pays()), Empty: v.Say("a.payments.none")}
	p := page{Shell: v.shell("payments", v.Say("a.tab.payments")), Title: design.Title{Text: v.Say("a.tab.payments"), Lead: v.company.Name}, Sections: []section{s}}
	if v.pays() && len(b.Open()) > 0 {
		p.Title.Act = &design.Button{Text: v.Say("a.pay.now"), Emphasis: design.Outline, Small: true, Href: Prefix + "/pay"}
	}
	return v.show(http.StatusOK, p)
}

// paymentItems are the latest payments, newest first. Those not sent yet can be canceled.
func (v *visit) paymentItems(b *buyer.Book, n int, acts bool) (out []item) {
	for _, p := range b.Payments {
		if len(out) == n {
			break
		}
		out = append(out, v.paymentItem(b, p, acts))
	}
	return out
}

func (v *visit) paymentItem(b *buyer.Book, p *credit.Payment, acts bool) item {
	name := v.Say("a.payment.all")
	if o := b.Order(p.Order); o != nil {
		name = orderName(o.Order)
	}
	if p.Direction == "OUT" {
		name = v.Say("a.payment.out")
	}
	day := p.EffectiveDate
	if day < 0 {
		day = max(p.ScheduledDate, v.Desk.Zone.Date(p.CreatedAt))
	}
	x := item{Text: name, Detail: v.Language.Day(day) + v.from(b, p), Figure: v.Money(p.Amount)}
	badge := v.paymentState(p)
	x.Badge = &badge
	if acts && cancelable(p) {
		x.Acts = []act{{Text: v.Say("a.cancel"), Label: name + ", " + x.Figure, Action: Prefix + "/payments", Name: "cancel", Value: p.ID}}
	}
	return x
}

// from says how a payment was made.
func (v *visit) from(b *buyer.Book, p *credit.Payment) string {
	if m := b.Method(p.MethodID); m != nil {
		return " · " + v.Account(m)
	}
	key := "a.method." + strings.ToLower(string(p.Method))
	if text := v.Say(key); text != key {
		return " · " + text
	}
	return ""
}

// cancelable reports whether a payment was not sent yet, and is not a retry.
func cancelable(p *credit.Payment) bool {
	return p.Direction == "IN" && p.Original == "" && (p.Status == credit.PaymentScheduled || p.Status == credit.PaymentPending && p.SubmittedAt.IsZero())
}

func (v *visit) paymentState(p *credit.Payment) design.Badge {
	tone := design.Calm
	switch p.Status {
	case credit.PaymentSucceeded:
		tone = design.Good
	case credit.PaymentReturned, credit.PaymentFailed:
		if f := p.Failure; f != nil {
			key := "a.returned." + f.ReturnCode
			if text := v.Say(key); text != key {
				return design.Badge{Tone: design.Bad, Text: v.Say("a.returned", text)}
			}
		}
		tone = design.Bad
	}
	return design.Badge{Tone: tone, Text: v.Say("a.paid." + strings.ToLower(string(p.Status)))}
}

// cancelPayment cancels a payment that was not sent yet.
func (v *visit) cancelPayment() error {
	if !v.pays() {
		return v.stop(http.StatusForbidden, "role")
	}
	b, err := v.book()
	if err != nil {
		return err
	}
	id := v.Answer("cancel")
	i := slices.IndexFunc(b.Payments, func(p *credit.Payment) bool { return p.ID == id })
	if i < 0 {
		return v.stop(http.StatusNotFound, "lost")
	}
	switch err := v.Desk.CancelPayment(v.Ctx(), v.Person.ID, id, v.Address); {
	case pages.Refused(err) != nil:
		return v.done("/payments", "sent")
	case err != nil:
		return err
	}
	return v.done("/payments", "canceled")
}

package checkout

import (
	"cmp"
	"strconv"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// An owner's authorization on page 6 is stored, sealed with her other answers, until the order is
// accepted. Then the account is added, autopay is turned on, and the entered data is deleted. If
// that fails, the order still stands.

// payer is how the payments are made, as shown on pages 6 to 8 and in the evidence.
type payer struct {
	text, detail string
	auto         bool          // they are debited from the acceptance on
	wish         *buyer.Debits // what the acceptance does; nil: nothing
	mark         []string      // distinguishes it from any other
}

// repayFor identifies what a choice on page 6 is for: the business and the plan.
func (v *visit) repayFor() string { return forWhat(v.company.ID, v.Draft["plan"]) }

func forWhat(company int64, plan string) string { return strconv.FormatInt(company, 10) + "/" + plan }

// repaid reports whether the repayment was chosen. An authorization is valid only for the
// business and the amounts that it named.
func (v *visit) repaid() bool {
	switch v.Draft["repay"] {
	case "":
		return false
	case paysSelf, paysSeen:
		return true
	}
	return v.Draft["repay_for"] == v.repayFor()
}

// forgotten removes the choice of repayment from the answers.
func forgotten(with buyer.Draft) buyer.Draft {
	out := buyer.Draft{"repay": "", "repay_for": "", "bank_for": "", "bank_routing": "", "bank_number": "", "bank_kind": "", "bank_holder": ""}
	for name, text := range with {
		out[name] = text
	}
	return out
}

// otherAccount returns the account entered for this business, false if there is none.
func (v *visit) otherAccount() (buyer.Account, bool) { return v.otherAccountFor(v.company.ID) }

func (v *visit) otherAccountFor(company int64) (buyer.Account, bool) {
	d := v.Draft
	return buyer.Account{Routing: d["bank_routing"], Number: d["bank_number"], Type: d["bank_kind"], Holder: d["bank_holder"]},
		d["bank_number"] != "" && d["bank_for"] == strconv.FormatInt(company, 10)
}

// payer returns how the payments are made, as chosen.
func (v *visit) payer() (payer, error) {
	company := strconv.FormatInt(v.company.ID, 10)
	self := payer{text: v.Say("repay.self"), detail: v.Say("accept.self"), mark: []string{company, paysSelf}}
	on, err := v.Desk.AutopayAccount(v.Ctx(), v.company, v.x.Checkout.Merchant)
	if err != nil {
		return self, err
	}
	if on != nil {
		return payer{text: v.Say("repay.auto", v.Account(on)), detail: v.Say("accept.auto"), auto: true, mark: []string{company, paysSeen, on.ID}}, nil
	}
	how := v.Draft["repay"]
	if !v.mayDebit() || !v.repaid() || how == "" || how == paysSelf || how == paysSeen {
		return self, nil
	}
	wish := &buyer.Debits{Company: v.company.ID, Merchant: v.x.Checkout.Merchant, Person: v.Person.ID, Reference: v.x.Checkout.ID}
	p := payer{wish: wish, detail: v.Say("accept.auto"), auto: true, mark: []string{company, how, v.Draft["repay_for"]}}
	if how == paysTyped {
		a, ok := v.otherAccount()
		if !ok {
			return self, nil
		}
		wish.New, p.text, p.mark = a, v.Say("repay.auto", v.Bank(a.Type, a.Last4())), append(p.mark, a.Routing, a.Number, a.Type, a.Holder)
		if p.auto = v.Desk.ProvedAtOnce(a, v.Lender.Policy()); !p.auto {
			p.detail = v.Say("accept.prove")
		}
		return p, nil
	}
	m, err := v.onRecord(how)
	if m == nil {
		return self, err
	}
	wish.Method, p.text = m.ID, v.Say("repay.auto", v.Account(m))
	return p, err
}

// mark identifies the repayment without revealing it: an acceptance is only for what its own page
// has shown.
func (v *visit) mark(p payer) string {
	return v.Desk.Hash("repayment", strings.Join(p.mark, "\n"))
}

// debitTerms returns the authorization of debits, sentence by sentence: amount, timing, and how
// to revoke it.
func (v *visit) debitTerms(o onboarding.Offer) []string {
	x, lender := o.Disclosure, cmp.Or(v.Lender.Creditor.Name, v.Say("debit.lender"))
	business, last := cmp.Or(v.company.LegalName, v.company.Name), len(x.Rows)-1
	amounts := v.Say("debit.one", v.Money(x.Payment), v.Day(collected(x.Rows[0].DueDate)))
	if last > 0 {
		amounts = v.Say("debit.many", x.Count, v.Money(x.Payment), v.Money(x.LastPayment), v.Day(collected(x.Rows[0].DueDate)), v.Day(collected(x.Rows[last].DueDate)))
	}
	return []string{
		v.Say("debit.what", lender, business, amounts), v.Say("debit.when"), v.Say("debit.more", lender, business, v.x.Merchant.Name), v.Say("debit.revoke", v.Ask()),
	}
}

// authorized returns what the owner has authorized, for the evidence; "" if nothing.
func (v *visit) authorized(p payer) string {
	o, ok := v.chosen()
	if p.wish == nil || !ok {
		return ""
	}
	return strings.Join(append(v.debitTerms(o), v.Say("debit.agree"), p.text), " ")
}

// settleDebits does what the owner has authorized, once the order is accepted, and redirects.
func (v *visit) settleDebits(p payer) error {
	if p.wish == nil && (v.Draft["bank_for"] != "" || v.Draft["repay_for"] != "") {
		if err := v.Keep(forgotten(buyer.Draft{"debited": ""})); err != nil {
			v.note(err)
		}
	}
	if err := v.again(); err != nil {
		return err
	}
	if p.wish != nil {
		v.debit(*p.wish)
	}
	return v.to(v.at)
}

// debit adds the account and turns autopay on. The order is already accepted: a failure is
// logged, and page 8 offers a retry.
func (v *visit) debit(w buyer.Debits) {
	a := v.x.Checkout.Accepted
	if a == nil || a.Company != w.Company || a.Person != w.Person {
		return // it was accepted for another business meanwhile
	}
	w.AcceptedAt = a.At
	m, err := v.Desk.StartAutopay(v.Ctx(), w, v.Address)
	became, r := "on", pages.Refused(err)
	switch {
	case r != nil:
		became = r.Code
	case err != nil:
		v.note(err)
		return
	case !m.Usable():
		became = "prove"
	}
	name := v.Bank(w.New.Type, w.New.Last4())
	if m != nil {
		name = v.Account(m)
	}
	if err := v.Keep(forgotten(buyer.Draft{"debited": became, "debited_from": name})); err != nil {
		v.note(err)
	}
}

// note logs a failure after an acceptance.
func (v *visit) note(err error) {
	if v.config.Log != nil {
		v.config.Log.Error("what an acceptance has authorized waits", "checkout", v.x.Checkout.ID, "error", err.Error())
	}
}

// waiting returns what was authorized with the acceptance but is not done yet, nil if nothing.
func (v *visit) waiting() *buyer.Debits {
	a, how := v.x.Checkout.Accepted, v.Draft["repay"]
	if a == nil || v.Person == nil || a.Person != v.Person.ID || v.Draft["debited"] != "" || v.Draft["repay_for"] != forWhat(a.Company, strconv.Itoa(a.Installments)) {
		return nil
	}
	w := &buyer.Debits{Company: a.Company, Merchant: v.x.Checkout.Merchant, Person: a.Person, Reference: v.x.Checkout.ID, Method: how}
	switch how {
	case "", paysSelf, paysSeen:
		return nil
	case paysTyped:
		typed, ok := v.otherAccountFor(a.Company)
		if w.New, w.Method = typed, ""; !ok {
			return nil
		}
	}
	return w
}

// debitAgain retries what was authorized with the acceptance.
func (v *visit) debitAgain() error {
	if w := v.waiting(); w != nil {
		v.debit(*w)
	}
	return v.to("done")
}

// debitsSay describes the state of the account and of autopay, for page 8.
func (v *visit) debitsSay() []design.Point {
	point := func(icon, key string, args ...any) []design.Point {
		return []design.Point{{Icon: icon, Text: v.Say(key, args...)}}
	}
	from := v.Draft["debited_from"]
	switch v.Draft["debited"] {
	case "":
		if v.waiting() != nil {
			return point("triangle-alert", "done.debit.waits")
		}
		return nil
	case "on":
		return point("landmark", "done.debit.on", from)
	case "prove":
		return point("landmark", "done.debit.prove", from, v.Ask())
	case credit.PaymentMethodLocked.Code:
		return point("triangle-alert", "done.debit.locked", from, v.Ask())
	case credit.PaymentMethodUnverified.Code:
		return point("triangle-alert", "done.debit.failed", from, v.Ask())
	}
	return point("triangle-alert", "done.debit.no", from, v.Ask())
}

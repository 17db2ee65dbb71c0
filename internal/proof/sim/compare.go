package sim

import (
	"fmt"
	"strconv"

	"tenor/internal/domain/credit"
)

// Compare compares the model with the books to the cent: lines, orders, payments, and the loans
// that the model computes. It describes the first difference.
func (m *Model) Compare(b *Books) error {
	if n := len(m.Orders()); n != len(b.Orders) {
		return fmt.Errorf("the model has %d orders, the books %d", n, len(b.Orders))
	}
	if n := len(m.Payments()); n != len(b.Payments) {
		return fmt.Errorf("the model has %d payments, the books %d", n, len(b.Payments))
	}
	for _, key := range m.Orders() {
		if err := m.compareOrder(m.order(key), b); err != nil {
			return fmt.Errorf("order %s: %w", key, err)
		}
	}
	for _, id := range m.Companies() {
		if err := m.compareCompany(id, b); err != nil {
			return fmt.Errorf("company %d: %w", id, err)
		}
	}
	for _, id := range m.Payments() {
		if err := m.comparePayment(m.payment(id), b); err != nil {
			return fmt.Errorf("payment %s: %w", id, err)
		}
	}
	return m.compareAccess(b)
}

// differ compares named pairs of figures.
func differ(pairs ...any) error {
	for i := 0; i < len(pairs); i += 3 {
		if want, got := fmt.Sprint(pairs[i+1]), fmt.Sprint(pairs[i+2]); want != got {
			return fmt.Errorf("%s is %s, the model says %s", pairs[i], got, want)
		}
	}
	return nil
}

func (m *Model) compareOrder(o *order, b *Books) error {
	x := b.Orders[o.key]
	whole, back := o.discount()
	if err := differ(
		"status", o.status, x.Status, "amount", o.amount, int64(x.Amount), "installments", o.n, x.Installments,
		"number", o.number, x.MerchantOrderID, "parent", o.parent, x.Parent, "merchant", o.merchant, x.Merchant,
		"company", o.company, x.Company, "reserved", o.reserved, int64(x.Reserved), "captured", o.captured, int64(x.Captured),
		"refunded", o.refunded(), int64(x.Refunded), "authorized", o.authorized, int64(x.Authorized),
		"discount", whole, int64(x.Discount), "discount given back", back, int64(x.DiscountBack),
		"capture date", o.captureDay, x.CaptureDate, "extended", o.extended, x.Extended, "reason", o.reason, x.CancelReason,
		"merchant_status", o.text, x.MerchantStatus, "program", o.version, x.Program,
	); err != nil {
		return err
	}
	if o.version > 0 && !o.expires.Equal(x.ExpiresAt) {
		return fmt.Errorf("expires at %s, the model says %s", x.ExpiresAt, o.expires)
	}
	if o.captured == 0 {
		return nil
	}
	return m.compareLoan(o, b)
}

func (m *Model) compareLoan(o *order, b *Books) error {
	l := b.Loans[o.key]
	for k, r := range l.Rows {
		if due := o.term.due(o.captureDay, k+1); r.DueDate != due {
			return fmt.Errorf("row %d is due %s, the model says %s", k+1, r.DueDate, due)
		}
	}
	paidOff := b.Owed(o.key) == 0
	if got := b.Orders[o.key].Financing; paidOff != (got == credit.FinancingPaidOff) {
		return fmt.Errorf("PA8: owes %d and is %s", b.Owed(o.key), got)
	}
	if len(o.refunds) == 0 && b.Orders[o.key].Revision == 1 {
		principal, charge := o.term.rows(o.captured)
		for k, r := range l.Rows {
			if err := differ("principal", principal[k], int64(r.Principal), "charge", charge[k], int64(r.Charge)); err != nil {
				return fmt.Errorf("row %d: %w", k+1, err)
			}
		}
	}
	if !m.exact(o) {
		return nil
	}
	mine := m.loans(o.company, o.key)[o.key]
	for k, r := range l.Rows {
		if err := differ("principal", mine.rows[k].principal, int64(r.Principal), "paid", mine.rows[k].paid, int64(r.PaidPrincipal), "charge", 0, int64(r.Charge)); err != nil {
			return fmt.Errorf("row %d: %w", k+1, err)
		}
	}
	return differ("debt", mine.unpaid()-mine.unpaidPrincipal(), b.Owed(o.key)-b.Unpaid(o.key))
}

func (m *Model) compareCompany(id int64, b *Books) error {
	c, x := m.company(id, len(m.facts)), b.Companies[id]
	if err := differ(
		"status", c.status, x.Status, "tier", c.tier, x.Tier, "limit", c.limit, int64(x.Limit), "links", len(c.linked), len(x.Linked),
		"reserved", m.reserved(id), int64(x.Reserved), "outstanding", m.outstanding(id), int64(x.Outstanding),
		"available", m.available(id), int64(x.Available()),
	); err != nil {
		return err
	}
	for _, merchant := range c.linked {
		if !x.IsLinked(merchant) {
			return fmt.Errorf("not linked to %s", merchant)
		}
	}
	if !m.allExact(id) {
		return nil
	}
	return differ("unapplied credit", m.replay(id, "").unapplied(""), int64(x.Credit))
}

// allExact reports whether the model computes all of a company's loans.
func (m *Model) allExact(id int64) bool {
	for _, key := range m.Orders() {
		if o := m.order(key); o.company == id && o.captured > 0 && !o.term.plain() {
			return false
		}
	}
	return true
}

func (m *Model) comparePayment(p *payment, b *Books) error {
	x := b.Payments[p.id]
	if err := differ("status", p.status(), x.Status, "amount", p.amount, int64(x.Amount), "refunded", p.refunded, int64(x.Refunded),
		"effective date", p.day, x.EffectiveDate, "company", p.company, x.Company, "order", p.order, x.Order); err != nil {
		return err
	}
	if p.returned || p.order == "" && !m.allExact(p.company) || p.order != "" && !m.exact(m.order(p.order)) {
		return nil
	}
	played := m.replay(p.company, p.order)
	if m.tied(p.company) {
		played = m.replay(p.company, "")
	}
	return p.compareShares(played, x)
}

// compareShares compares the payment's allocations with the model's shares.
func (p *payment) compareShares(played *funds, x *credit.Payment) error {
	want := map[string]int64{}
	for _, s := range played.paid[p.id] {
		if s.row > 0 {
			want[s.order+" "+strconv.Itoa(s.row)] += s.amount
		} else {
			want[s.order+" fees"] += s.amount
		}
	}
	got := map[string]int64{}
	for _, a := range x.Allocations {
		got[a.Order+" "+strconv.Itoa(a.Installment)] += int64(a.Principal)
		got[a.Order+" fees"] += int64(a.Fee)
	}
	for at, amount := range want {
		if got[at] != amount {
			return fmt.Errorf("paid %d on %s, the model says %d", got[at], at, amount)
		}
	}
	return differ("unapplied", played.unapplied(p.id), int64(x.Unapplied))
}

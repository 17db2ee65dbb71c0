package invariant

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// kept checks that records that others refer to exist and have the same owner (AU1), that
// records keep their subject, and that their parts are consistent.
func (k *checker) kept() error {
	for _, check := range []func() error{k.methods, k.parents, k.payoutParts, k.notices, k.screenings, k.months} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// methods requires that a method has the account of its type, and a reason exactly if it is
// disabled.
func (k *checker) methods() error {
	for _, m := range k.c.Methods {
		old := k.s.Methods[m.ID]
		switch {
		case k.company(m.Company) == nil:
			return violated("AU1", "payment method %s belongs to company %d, which does not exist", m.ID, m.Company)
		case old != nil && (old.Company != m.Company || old.Type != m.Type || old.Merchant != m.Merchant || m.Version < old.Version):
			return violated("AU1", "payment method %s has changed its company (%d, now %d), type or merchant", m.ID, old.Company, m.Company)
		case (m.Type == credit.ACH) != (m.Bank != nil) || (m.Type == credit.Card) != (m.Card != nil) || (m.Bank != nil) == (m.Card != nil):
			return violated("AU1", "payment method %s of type %s has no account of that type", m.ID, m.Type)
		case (m.Status == credit.MethodDisabled) != (m.DisabledReason != ""):
			return violated("AU1", "payment method %s is %s with the disabled reason %q", m.ID, m.Status, m.DisabledReason)
		case m.Status == credit.MethodActive && m.Standing.Verified == "":
			return violated("AU1", "payment method %s is ACTIVE, and nothing has verified it", m.ID)
		}
	}
	for _, p := range k.c.Payments {
		if old := k.s.Payments[p.ID]; old != nil && (old.Invoice != p.Invoice || old.Order != p.Order || old.Merchant != p.Merchant || old.Direction != p.Direction) {
			return violated("AU1", "payment %s has changed its invoice, order, merchant or direction", p.ID)
		}
		if m := k.method(p.MethodID); m != nil && m.Company != p.Company {
			return violated("AU1", "payment %s of company %d uses a payment method of company %d", p.ID, p.Company, m.Company)
		}
	}
	return nil
}

// method returns a payment method after the command, nil if it is not loaded.
func (k *checker) method(id string) *credit.PaymentMethod {
	if i := slices.IndexFunc(k.c.Methods, func(m *credit.PaymentMethod) bool { return m.ID == id }); i >= 0 {
		return k.c.Methods[i]
	}
	return k.s.Methods[id]
}

// parents requires that a transfer belongs to a company or a merchant as its kind says, has a
// payment, method and payout of the same owner, and says when it was sent.
func (k *checker) parents() error {
	for _, t := range k.c.Transfers {
		of := t.Kind == credit.TransferPayout || t.Kind == credit.TransferClawback
		sent := t.Status == credit.TransferSent || t.Status == credit.TransferSettled
		m, p, o, old := k.method(t.Method), k.payment(t.Payment), k.payout(t.Payout), k.s.Transfers[t.ID]
		switch {
		case (t.Company == 0) != of || (t.Merchant != "") != of:
			return violated("AU1", "transfer %s of kind %s belongs to company %d and merchant %q", t.ID, t.Kind, t.Company, t.Merchant)
		case m != nil && m.Company != t.Company, p != nil && p.Company != t.Company, o != nil && o.Merchant != t.Merchant:
			return violated("AU1", "transfer %s moves money of a different company or merchant", t.ID)
		case old != nil && (old.Method != t.Method || old.Refund != t.Refund || old.Payout != t.Payout || old.Entry != t.Entry || t.Version < old.Version):
			return violated("AU1", "transfer %s has changed its method, refund, payout or entry", t.ID)
		case sent && t.SentAt.IsZero():
			return violated("PA1", "transfer %s is %s without a sent time", t.ID, t.Status)
		}
	}
	return nil
}

// payoutParts requires that no part of a payout or a line is negative, and that both keep
// their day and figures.
func (k *checker) payoutParts() error {
	for _, p := range k.c.Payouts {
		old := k.s.Payouts[p.ID]
		switch {
		case min(p.Gross, p.Discount, p.Refunds, p.Repaid, p.Clawback, p.Collected, p.Net) < 0 || p.Date == calendar.None:
			return violated("PO2", "payout %s of %s has a negative amount or no date", p.ID, p.Net)
		case old != nil && (old.Merchant != p.Merchant || old.Date != p.Date || old.Gross != p.Gross || old.Discount != p.Discount ||
			old.Refunds != p.Refunds || old.Repaid != p.Repaid || old.Clawback != p.Clawback || old.Collected != p.Collected || old.Net != p.Net):
			return violated("PO2", "payout %s of %s has changed its merchant, date or amounts", p.ID, old.Net)
		}
	}
	for _, l := range k.c.Lines {
		old := k.s.Lines[l.ID]
		switch {
		case min(l.Gross, l.Discount, l.Refunds, l.Netted) < 0 || l.Due == calendar.None:
			return violated("PO2", "line %s has a negative amount or no due date", l.ID)
		case old != nil && old.Due != l.Due:
			return violated("PO2", "line %s is due on %s, was %s", l.ID, l.Due, old.Due)
		}
		if o := k.payout(l.Payout); o != nil && o.Merchant != l.Merchant {
			return violated("AU1", "line %s of merchant %s is in a payout of merchant %s", l.ID, l.Merchant, o.Merchant)
		}
	}
	return nil
}

// notices requires that a notice keeps its action and its reasons, and that one that was sent
// stays sent and keeps its content, unless it is erased (F28).
func (k *checker) notices() error {
	for _, n := range k.c.Notices {
		old := k.s.Notices[n.ID]
		switch {
		case (n.Lender != nil || n.Late || n.Erased()) && n.SentAt.IsZero():
			return violated("F28", "notice %s has content or was erased, but was never sent", n.ID)
		case (n.Kind == credit.NoticeFurtherReasons) != (n.Asked != ""):
			return violated("F28", "notice %s of kind %s answers %q", n.ID, n.Kind, n.Asked)
		case old != nil && !sameAction(old, n):
			return violated("F28", "notice %s has changed its action or send time", n.ID)
		case old != nil && !sameWords(old, n):
			return violated("F28", "notice %s has changed its content", n.ID)
		}
	}
	return nil
}

func sameAction(old, n *credit.Notice) bool {
	return n.Version >= old.Version && old.Kind == n.Kind && old.Asked == n.Asked && old.Company == n.Company && old.ActionAt.Equal(n.ActionAt) &&
		(old.SentAt.IsZero() || old.SentAt.Equal(n.SentAt) && old.Late == n.Late)
}

func sameWords(old, n *credit.Notice) bool {
	said := old.Lender == n.Lender || old.Lender != nil && n.Lender != nil && *old.Lender == *n.Lender
	same := slices.Equal(old.Reasons, n.Reasons) && (old.SentAt.IsZero() || said)
	switch {
	case old.Erased():
		return same && n.ErasedAt.Equal(old.ErasedAt) && old.Evidence == n.Evidence
	case n.Erased():
		return n.Reasons == nil && n.Lender == nil && n.Evidence == ""
	}
	return same
}

// screenings requires that a screening is of a company or of a merchant, keeps its subject,
// and is never reopened once decided (F29).
func (k *checker) screenings() error {
	for _, x := range k.c.Screenings {
		old := k.s.Screenings[x.ID]
		switch {
		case (x.Company == 0) == (x.Merchant == "") || (x.Status == credit.ScreeningOpen) != x.DecidedAt.IsZero():
			return violated("F29", "screening %s of company %d and merchant %q is %s", x.ID, x.Company, x.Merchant, x.Status)
		case old != nil && (old.Company != x.Company || old.Merchant != x.Merchant || !old.OpenedAt.Equal(x.OpenedAt) || !old.DecidedAt.IsZero() && x.DecidedAt.IsZero()):
			return violated("F29", "screening %s has changed its subject, or was reopened", x.ID)
		}
	}
	return nil
}

// months requires that a month is closed from its first day, once, with nothing booked in it
// by the same command (LG7).
func (k *checker) months() error {
	for _, p := range k.c.Periods {
		if _, _, day := p.Month.Civil(); day != 1 || p.Debits < 0 {
			return violated("LG7", "period %s does not begin a month, or has negative debits: %s", p.Month, p.Debits)
		}
		if old := k.s.Periods[p.Month]; old != nil {
			return violated("LG7", "month %s was already closed at %s", p.Month, old.ClosedAt.Format(time.RFC3339))
		}
		for _, e := range k.c.Entries {
			if e.BookDate >= p.Month && e.BookDate <= p.Month.EndOfMonth() {
				return violated("LG7", "entry %s is booked on %s, in the month being closed", e.ID, e.BookDate)
			}
		}
	}
	return nil
}

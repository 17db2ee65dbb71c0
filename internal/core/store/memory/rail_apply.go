package memory

import (
	"errors"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// transferOf is what has one transfer at most: a payment that is collected, a payout.
type transferOf struct{ payment, payout string }

func owner(t *credit.Transfer) (of transferOf, one bool) {
	switch {
	case t.Payout != "":
		return transferOf{payout: t.Payout}, true
	case t.Kind == credit.TransferPayment && t.Payment != "":
		return transferOf{payment: t.Payment}, true
	}
	return transferOf{}, false
}

// checkRails refuses what the constraints of a database refuse of rails, payouts and
// closed months.
func (d *data) checkRails(r *store.Rows) error {
	for _, x := range store.TransferNoun.In(r) {
		if err := d.checkTransfer(r, x.Transfer); err != nil {
			return err
		}
	}
	for _, x := range store.PayoutNoun.In(r) {
		old := d.payouts.get(x.ID, d.head.Q)
		if !soundPayout(x.Payout) || !d.hasMerchant(r, x.Merchant) || old != nil && !samePayout(old.Payout, x.Payout) {
			return fmt.Errorf("%w: payout %s", store.ErrRefused, x.ID)
		}
	}
	for _, x := range store.PayoutLineNoun.In(r) {
		old := d.lines.get(x.ID, d.head.Q)
		if !soundLine(x.PayoutLine) || !d.hasMerchant(r, x.Merchant) || !d.hasOrder(r, x.PayoutLine) || old != nil && !sameLine(old.PayoutLine, x.PayoutLine) {
			return fmt.Errorf("%w: payout line %s", store.ErrRefused, x.ID)
		}
		if !d.hasEnd(r, x.PayoutLine) {
			return fmt.Errorf("%w: payout line %s is ended by nothing that is known", store.ErrRefused, x.ID)
		}
	}
	return errors.Join(d.checkMethods(r), d.checkPayments(r), d.checkPeriods(r), d.checkReceipts(r), d.checkRecords(r))
}

// hasEnd demands that what has ended a line is known: a payout or a transfer of its
// merchant, an entry, or what it came from if nothing was left of it (PO2).
func (d *data) hasEnd(r *store.Rows, l *credit.PayoutLine) bool {
	if l.Payout == "" || l.Payout == l.Source {
		return true
	}
	_, entry := d.entryAt[l.Payout]
	payout, transfer := d.payouts.get(l.Payout, d.head.Q), d.transfers.get(l.Payout, d.head.Q)
	return entry || payout != nil && payout.Merchant == l.Merchant || transfer != nil && transfer.Merchant == l.Merchant ||
		slices.ContainsFunc(store.PayoutNoun.In(r), func(p store.PayoutRow) bool { return p.ID == l.Payout && p.Merchant == l.Merchant }) ||
		slices.ContainsFunc(store.TransferNoun.In(r), func(t store.TransferRow) bool { return t.ID == l.Payout && t.Merchant == l.Merchant }) ||
		slices.ContainsFunc(r.Entries, func(e store.EntryHead) bool { return e.ID == l.Payout })
}

// checkMethods demands that methods and notices keep what they are of.
func (d *data) checkMethods(r *store.Rows) error {
	for _, x := range store.MethodNoun.In(r) {
		old := d.methods.get(x.ID, d.head.Q)
		if !soundMethod(x.PaymentMethod) || !d.hasCompany(r, x.Company) || old != nil && !sameMethod(old.PaymentMethod, x.PaymentMethod) {
			return fmt.Errorf("%w: payment method %s", store.ErrRefused, x.ID)
		}
	}
	for _, x := range store.NoticeNoun.In(r) {
		old := d.notices.get(x.ID, d.head.Q)
		asked := (x.Kind == credit.NoticeFurtherReasons) == (x.Asked != "")
		if x.Version < 1 || (x.Said != nil || x.Late || x.Erased()) && x.SentAt.IsZero() || !asked || !d.hasCompany(r, x.Company) || old != nil && !sameNotice(old.Notice, x.Notice) {
			return fmt.Errorf("%w: notice %s", store.ErrRefused, x.ID)
		}
	}
	return d.checkLender(r)
}

func (d *data) checkTransfer(r *store.Rows, t *credit.Transfer) error {
	old := d.transfers.get(t.ID, d.head.Q)
	if !soundTransfer(t) || old != nil && !sameTransfer(old.Transfer, t) {
		return fmt.Errorf("%w: transfer %s", store.ErrRefused, t.ID)
	}
	if !d.hasParent(r, t) {
		return fmt.Errorf("%w: transfer %s has no company, payment, payment method or payout", store.ErrRefused, t.ID)
	}
	of, one := owner(t)
	if !one {
		return nil
	}
	second := func(o store.TransferRow) bool { other, _ := owner(o.Transfer); return o.ID != t.ID && other == of }
	if id, found := d.transfersOf[of]; found && id != t.ID || slices.ContainsFunc(store.TransferNoun.In(r), second) {
		return fmt.Errorf("a second transfer %s: %w", t.ID, store.ErrTaken)
	}
	return nil
}

// hasParent demands that a transfer is with the company of its payment and method, or
// with the merchant of its payout (AU1).
func (d *data) hasParent(r *store.Rows, t *credit.Transfer) bool {
	if t.Company != 0 && !d.hasCompany(r, t.Company) || t.Merchant != "" && !d.hasMerchant(r, t.Merchant) || !d.hasMethod(r, t.Method, t.Company) {
		return false
	}
	if row := d.payments.get(t.Payment, d.head.Q); t.Payment != "" && (row == nil || row.Company != t.Company) &&
		!slices.ContainsFunc(store.PaymentNoun.In(r), func(p store.PaymentRow) bool { return p.ID == t.Payment && p.Company == t.Company }) {
		return false
	}
	row := d.payouts.get(t.Payout, d.head.Q)
	return t.Payout == "" || row != nil && row.Merchant == t.Merchant ||
		slices.ContainsFunc(store.PayoutNoun.In(r), func(p store.PayoutRow) bool { return p.ID == t.Payout && p.Merchant == t.Merchant })
}

// sameTransfer reports that a transfer has kept what it moves and for whom, and that
// its status may follow the old one.
func sameTransfer(old, t *credit.Transfer) bool {
	kept := old.Rail == t.Rail && old.Kind == t.Kind && old.Company == t.Company && old.Merchant == t.Merchant &&
		old.Payment == t.Payment && old.Refund == t.Refund && old.Payout == t.Payout && old.Method == t.Method &&
		old.Amount == t.Amount && old.Entry == t.Entry
	next := map[credit.TransferStatus][]credit.TransferStatus{
		credit.TransferQueued: {credit.TransferSent, credit.TransferSettled, credit.TransferFailed, credit.TransferReturned, credit.TransferCanceled},
		credit.TransferSent:   {credit.TransferSettled, credit.TransferFailed, credit.TransferReturned}, credit.TransferSettled: {credit.TransferReturned},
	}
	if t.Rail == credit.Card { // a dispute that was won
		next[credit.TransferReturned] = []credit.TransferStatus{credit.TransferSent, credit.TransferSettled}
	}
	return kept && t.Version >= old.Version && (old.Status == t.Status || slices.Contains(next[old.Status], t.Status))
}

func samePayout(old, p *credit.Payout) bool {
	kept := old.Merchant == p.Merchant && old.Date == p.Date && old.Gross == p.Gross && old.Discount == p.Discount &&
		old.Refunds == p.Refunds && old.Repaid == p.Repaid && old.Clawback == p.Clawback && old.Collected == p.Collected &&
		old.Net == p.Net
	next := map[credit.PayoutStatus][]credit.PayoutStatus{
		credit.PayoutPending: {credit.PayoutSent, credit.PayoutSettled, credit.PayoutFailed},
		credit.PayoutSent:    {credit.PayoutSettled, credit.PayoutFailed}, credit.PayoutSettled: {credit.PayoutFailed},
	}
	return kept && p.Version >= old.Version && (old.Status == p.Status || slices.Contains(next[old.Status], p.Status))
}

// sameLine reports that a line has kept what it is of; one that has ended has kept its
// amounts too.
func sameLine(old, l *credit.PayoutLine) bool {
	ended := old.Payout != ""
	amounts := old.Payout == l.Payout && old.Gross == l.Gross && old.Discount == l.Discount && old.Refunds == l.Refunds &&
		old.Amount == l.Amount && old.Netted == l.Netted
	return old.Merchant == l.Merchant && old.Kind == l.Kind && old.Company == l.Company && old.Order == l.Order && old.Source == l.Source &&
		old.Due == l.Due && l.Version >= old.Version && (!ended || amounts)
}

func sameMethod(old, m *credit.PaymentMethod) bool {
	return m.Version >= old.Version && old.Company == m.Company && old.Type == m.Type && old.Merchant == m.Merchant
}

// checkLender demands that there is one lender whose months never go back, and that a
// screening stays what it is about and once decided is never open again (F29).
func (d *data) checkLender(r *store.Rows) error {
	for _, x := range store.LenderNoun.In(r) {
		old := d.lenders.get(x.ID, d.head.Q)
		if x.ID != credit.TheLender || x.Version < 1 || old != nil && (x.Version < old.Version || x.ProvidedTo < old.ProvidedTo || x.ClosedTo < old.ClosedTo) {
			return fmt.Errorf("%w: lender %s", store.ErrRefused, x.ID)
		}
	}
	for _, x := range store.ScreeningNoun.In(r) {
		old := d.screened.get(x.ID, d.head.Q)
		about := x.Merchant == "" && d.hasCompany(r, x.Company) || x.Company == 0 && d.hasMerchant(r, x.Merchant)
		if x.Version < 1 || !about || (x.Status == credit.ScreeningOpen) != x.DecidedAt.IsZero() || old != nil && !sameScreening(old.Screening, x.Screening) {
			return fmt.Errorf("%w: screening %s", store.ErrRefused, x.ID)
		}
	}
	return nil
}

// sameScreening reports that a screening has kept what it is about.
func sameScreening(old, x *credit.Screening) bool {
	return x.Version >= old.Version && old.Company == x.Company && old.Merchant == x.Merchant && old.OpenedAt.Equal(x.OpenedAt) &&
		(old.DecidedAt.IsZero() || !x.DecidedAt.IsZero())
}

// sameNotice reports that a notice has kept its action and its reasons, and that one
// which was sent stays sent and says what it said (F28).
func sameNotice(old, n *credit.Notice) bool {
	return n.Version >= old.Version && old.Kind == n.Kind && old.Asked == n.Asked && old.Company == n.Company && old.ActionAt.Equal(n.ActionAt) &&
		(old.SentAt.IsZero() || old.SentAt.Equal(n.SentAt) && old.Late == n.Late) && sameWords(old, n)
}

// sameWords reports that a notice says what it said, or nothing once it is erased.
func sameWords(old, n *credit.Notice) bool {
	same := slices.Equal(old.Reasons, n.Reasons) && (old.SentAt.IsZero() || sameSaid(old.Said, n.Said))
	switch {
	case old.Erased():
		return same && n.ErasedAt.Equal(old.ErasedAt) && old.Evidence == n.Evidence
	case n.Erased():
		return n.Reasons == nil && n.Said == nil && n.Evidence == ""
	}
	return same
}

func sameSaid(old, x *credit.Said) bool {
	return old == x || old != nil && x != nil && *old == *x
}

// writeRails keeps what leads to rows of a checked batch.
func (d *data) writeRails(r *store.Rows) {
	for _, x := range store.TransferNoun.In(r) {
		if of, one := owner(x.Transfer); one {
			d.transfersOf[of] = x.ID
		}
	}
	for _, x := range store.PayoutLineNoun.In(r) {
		if !slices.Contains(d.linesOf[x.Of], x.ID) {
			d.linesOf[x.Of] = append(d.linesOf[x.Of], x.ID)
			d.linesFor[x.Merchant] = append(d.linesFor[x.Merchant], x.ID)
		}
	}
	for _, x := range r.Vault {
		d.vault[x.ID] = slices.Clone(x.Sealed)
	}
	for _, x := range r.Erased {
		delete(d.vault, x.ID)
	}
}

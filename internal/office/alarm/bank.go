package alarm

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// bankNotices lists the bank and processor notices that need review: what no program could
// use, and returns after their deadline (F22).
func (l *lister) bankNotices() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListBankNotices(l.v, store.BankNoticeFilter{Waiting: true}, p)
		if err != nil {
			return 0, p, err
		}
		for _, n := range list {
			said, err := n.Details()
			if err != nil {
				return 0, p, err
			}
			a := Alarm{Kind: BankNotice, Subject: n.Ref(), Since: l.zone.Date(n.At), Due: calendar.None}
			a.Detail, a.Next = problem(&n, said)
			if n.Result == store.NoticeLate {
				a.Kind, a.Due = LateReturn, ach.DisputeBy(a.Since)
				if a.Due < l.today {
					a.Next = fmt.Sprintf("The dispute deadline was %s. Note what was done, or that nothing can be done.", a.Due)
				}
			}
			if n.Result == store.NoticeUnmatched && n.Kind == string(rails.Return) {
				a.Due = ach.DisputeBy(a.Since) // a wrong return is disputed within the same days
				a.Next = "Find out whose it is, process it manually, or dispute it with your bank by the deadline if it is wrong; then record what was done."
			}
			if n.Result == store.NoticeDisputed {
				l.dispute(&a, said)
			}
			l.add(a)
			p.AfterAt, p.AfterID = n.At, n.Key()
		}
		return len(list), p, nil
	})
}

// dispute turns the alarm into that of a chargeback, due on the processor's last day for a
// response. F25 sets no such day: without the processor's date there is none.
func (l *lister) dispute(a *Alarm, said store.NoticeDetails) {
	a.Kind = CardDispute
	if said.AnswerBy.IsZero() {
		return
	}
	if a.Due = l.zone.Date(said.AnswerBy); a.Due < l.today {
		a.Next = fmt.Sprintf("The response deadline was %s. Record the result, and resume collection if the buyer owes the money.", a.Due)
	}
}

// problem returns what was reported, why it could not be used, and what to do.
func problem(n *store.BankNotice, said store.NoticeDetails) (detail, next string) {
	what, about := words(n, said), ""
	if n.Transfer != "" {
		about = " of transfer " + n.Transfer
	}
	switch {
	case n.Kind == store.NoticeUnbuilt:
		return fmt.Sprintf("The entry%s of %s could not be written in a bank file (%s); the file was sent without it.", about, said.Amount, strings.TrimSuffix(said.Message, ".")),
			unbuiltNext(n)
	case n.Kind == store.NoticeUnreadable:
		return fmt.Sprintf("The bank file %s cannot be read: %s.", n.From(), strings.TrimSuffix(said.Message, ".")),
			"Read it manually, or ask the bank to send it again under another name; then record what it contained."
	case n.Result == store.NoticeLate:
		return fmt.Sprintf("The return%s (%s) came after its deadline.", about, what), "Dispute it with your bank (R68), and record what was done and the result."
	case n.Result == store.NoticeDisputed:
		return fmt.Sprintf("The cardholder disputes the charge%s (%s): the money was charged back, and what it paid is unpaid again.", about, what),
			"Contact the buyer, respond to the dispute at your card processor or accept it, and record what was done and the result."
	case n.Result == store.NoticeUnmatched:
		return fmt.Sprintf("No transfer matches the bank notice: %s.", what), "Find out whose it is, process it manually, and record what was done."
	case n.Result == store.NoticeContradicted:
		return fmt.Sprintf("The bank notice contradicts an earlier one, or concerns a file that was never sent: %s.", what), "Ask the bank about the status of the file, and record its answer."
	case n.Result == store.NoticeBetweenBanks:
		return fmt.Sprintf("A return%s is disputed between banks: %s.", about, what), "Ask your bank where the money is, make the necessary entries, and record what was done."
	case n.Result == store.NoticeUnusable:
		return fmt.Sprintf("A notification of change%s has no usable data: %s.", about, what), "Ask the account holder for the correct account before the next entry, and record what was done."
	}
	return fmt.Sprintf("The bank notice%s could not be processed (%s): %s.", about, n.Result, what), "Check the transfer, process it manually, and record what was done."
}

// unbuiltNext is what to do about an entry that was left out of its file.
func unbuiltNext(n *store.BankNotice) string {
	if n.Code == payments.CodeUnopened {
		return "The server lacks the key that encrypted the account number: restart it with that key, and the entry goes with the next file. If the key is lost, reject the transfer and ask the holder for the account again. Then record what was done."
	}
	return "The transfer failed and no money moved. Add the correct account (for a merchant: set a new bank account), resume collection or pay again, and record what was done."
}

// words summarizes what was reported, and in which file.
func words(n *store.BankNotice, said store.NoticeDetails) string {
	list := []string{n.Kind}
	add := func(has bool, format string, args ...any) {
		if has {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(n.Code != "", "%s", n.Code)
	add(said.File != "", "of our file %s", said.File)
	add(said.Trace != 0, "of entry %07d", said.Trace)
	add(said.Key != "", "of a charge with key %q", said.Key)
	add(said.Reference != "", "of charge %s", said.Reference)
	add(said.Amount != 0, "of %s", said.Amount)
	add(said.Last4 != "", "with the account …%s", said.Last4)
	add(n.From() != "", "in the bank's file %s", n.From())
	add(said.Message != "", "(%s)", strings.TrimSuffix(said.Message, "."))
	return strings.Join(list, " ")
}

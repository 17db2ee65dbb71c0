package alarm

import (
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/people"
)

// buyerDays is how far back applications and mails are read: an application that waits
// longer has long missed its notice, and a mail that failed longer ago is history.
const buyerDays = 120

// OwnerLetter is how an alarm's next step names the notice owed to an owner in addition to
// the applicant's: both belong to one application.
const OwnerLetter = "the owner's notice"

// records walks the newest records of a kind.
func (l *lister) records(n credit.Noun, f store.RecordFilter, fn func(credit.Record)) error {
	f.From = l.zone.Start(l.today.AddDays(-buyerDays))
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListRecords(l.v, n, f, p)
		for _, x := range list {
			fn(x)
			p.AfterAt, p.AfterID = x.Head().CreatedAt, x.Head().ID
		}
		return len(list), p, err
	})
}

// applications lists those that wait for a person, and those whose notice must be sent
// (F28).
func (l *lister) applications() error {
	return l.records(credit.NounApplication, store.RecordFilter{}, func(r credit.Record) {
		a := r.(*credit.Application)
		since := l.zone.Date(a.CreatedAt)
		if a.Status == credit.ApplicationInReview {
			why := "The policy requires a review."
			if a.Outcome != nil && a.Outcome.Why != "" {
				why = a.Outcome.Why
			}
			l.add(Alarm{
				Kind: ApplicationReview, Subject: a.ID, Since: since, Due: onboarding.DecideBy(a, l.zone),
				Detail: fmt.Sprintf("%s requests %s. %s", a.Business.LegalName, a.Requested, why),
				Next:   "Approve or decline it, or request missing information from the applicant.",
			})
		}
		if n := a.Duty; n != nil {
			l.owed(a, n, fmt.Sprintf("The %s notice for the application of %s has not been sent.", n.Kind, a.Business.LegalName),
				"Send it by e-mail or on paper, and record it.")
		}
		l.owed(a, a.OwnerDuty, "An owner named in the application of "+a.Business.LegalName+" has not been notified that their credit report was used.",
			"Mail "+OwnerLetter+" to their home, and record it.")
	})
}

// owed adds the alarm for an application's notice that must be sent.
func (l *lister) owed(a *credit.Application, n *credit.NoticeDuty, what, next string) {
	if n == nil || !n.SentAt.IsZero() || n.DueOn.AddDays(-NoticeDays) > l.today {
		return
	}
	kind := NoticeDue
	if n.DueOn < l.today {
		kind = NoticeOverdue
	}
	l.add(Alarm{Kind: kind, Subject: a.ID, Since: n.ClockStart, Due: n.DueOn, Detail: what, Next: next})
}

// cases lists those that should have been resolved, however old they are.
func (l *lister) cases() error {
	for _, status := range []string{credit.CaseOpen, credit.CaseWaiting} {
		if err := pages(func(p store.Page) (int, store.Page, error) {
			list, err := store.ListRecords(l.v, credit.NounCase, store.RecordFilter{Status: status}, p)
			for _, r := range list {
				x := r.(*credit.Case)
				p.AfterAt, p.AfterID = x.CreatedAt, x.ID
				if !x.Overdue(l.today) {
					continue
				}
				kind, who := strings.ToLower(string(x.Kind)), "the lender"
				if status == credit.CaseWaiting {
					who = "the person who opened it"
				}
				l.add(Alarm{
					Kind: CaseOverdue, Subject: x.ID, Since: l.zone.Date(x.CreatedAt), Due: x.DueOn,
					Detail: fmt.Sprintf("A %s of company %d is unresolved and waiting for %s.", kind, x.Company, who),
					Next:   "Answer it, or resolve it.",
				})
			}
			return len(list), p, err
		}); err != nil {
			return err
		}
	}
	return nil
}

// mails lists those that were not delivered.
func (l *lister) mails() error {
	return l.records(credit.NounMail, store.RecordFilter{Status: credit.MailFailed}, func(r credit.Record) {
		m := r.(*credit.Mail)
		if m.LastError == people.MailMoot {
			return
		}
		l.add(Alarm{
			Kind: MailFailed, Subject: m.ID, Since: l.zone.Date(m.CreatedAt), Due: calendar.None,
			Detail: fmt.Sprintf("An e-mail (%s) about %s could not be delivered: %s.", m.Template, m.Of, m.LastError),
			Next:   "Contact the addressee another way; send notices by postal mail.",
		})
	})
}

package alarm_test

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// An application that waits for a person is an alarm, then its notice until it is sent; so
// is a mail that was not delivered.
func buyerStory() []step {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	a := credit.Application{
		RecordHead: credit.RecordHead{ID: "app_1", Status: credit.ApplicationInReview, CreatedAt: at, UpdatedAt: at, Version: 1},
		Business:   credit.Business{LegalName: "Ruiz Kitchens LLC", FormedOn: calendar.None}, Requested: 10_000_00,
		Outcome: &underwriting.Outcome{Why: "The bureau did not answer in time."},
	}
	m := credit.Mail{
		RecordHead: credit.RecordHead{ID: "mail_1", Of: "app_1", Status: credit.MailFailed, CreatedAt: at, UpdatedAt: at, Version: 1},
		Template:   "application_in_review", Text: 1, To: "sec_1", LastError: "550 5.1.1",
	}
	put := func(change func()) func(*book) {
		return func(b *book) {
			change()
			x, y := a, m
			b.put(credit.Changes{Records: []credit.Record{&x, &y}})
			a.Version++
			m.Version++
		}
	}
	failed := "mail_failed/mail_1"
	return []step{
		{"it waits for a person", "2026-03-02", put(func() {}), []string{"application_review/app_1 2026-04-01", failed}},
		{"why it waits is told, and what the mail's server said", "", func(b *book) {
			b.says("application_review", "10000.00", "did not answer")
			b.says("mail_failed", "550 5.1.1")
		}, []string{"application_review/app_1 2026-04-01", failed}},
		{"it is declined, and the notice has time", "2026-03-03", put(func() {
			a.Status, a.Decision = credit.ApplicationDeclined, &credit.ApplicationDecision{By: "policy"}
			a.Duty = &credit.NoticeDuty{Kind: credit.NoticeDecline, ClockStart: calendar.MustParse("2026-03-02"), DueOn: calendar.MustParse("2026-04-01")}
		}), []string{failed}},
		{"ten days before its last day", "2026-03-22", nil, []string{"notice_due/app_1 2026-04-01", failed}},
		{"after its last day", "2026-04-02", nil, []string{"notice_overdue/app_1 2026-04-01", failed}},
		{"an owner whose report was used is owed one, too", "", put(func() {
			a.ReportOther = true
			d := *a.Duty
			a.OwnerDuty = &d
		}), []string{"notice_overdue/app_1 2026-04-01", "notice_overdue/app_1 2026-04-01", failed}},
		{"it is sent", "", put(func() { d := *a.Duty; d.SentAt, d.Channel = at, "POST"; a.Duty = &d }), []string{"notice_overdue/app_1 2026-04-01", failed}},
		{"the owner's is told by itself", "2026-03-21", func(b *book) {}, []string{failed}},
		{"ten days before its last day", "2026-03-22", func(b *book) { b.says("notice_due", "their credit report", "to their home") }, []string{"notice_due/app_1 2026-04-01", failed}},
		{"it is posted", "2026-04-02", put(func() { d := *a.OwnerDuty; d.SentAt, d.Channel = at, "MAIL"; a.OwnerDuty = &d }), []string{failed}},
	}
}

// A case is an alarm from the day after its last one, however long ago that was, until it
// is resolved.
func caseStory() []step {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	x := credit.Case{
		RecordHead: credit.RecordHead{ID: "case_1", Company: 7, Status: credit.CaseOpen, CreatedAt: at, UpdatedAt: at, Version: 1},
		Kind:       credit.CaseDispute, Person: "per_1", Text: "sec_1", DueOn: calendar.MustParse("2026-04-01"),
	}
	put := func(status string) func(*book) {
		return func(b *book) {
			x.Status = status
			y := x
			b.put(credit.Changes{Records: []credit.Record{&y}})
			x.Version++
		}
	}
	late := []string{"case_overdue/case_1 2026-04-01"}
	return []step{
		{"it has a month", "2026-03-02", put(credit.CaseOpen), nil},
		{"its last day", "2026-04-01", nil, nil},
		{"it is overdue", "2026-04-02", nil, late},
		{"who has it is told", "", func(b *book) { b.says("case_overdue", "dispute", "waiting for the lender") }, late},
		{"an answer ends it not", "", put(credit.CaseWaiting), late},
		{"it is not forgotten", "2027-04-02", func(b *book) { b.says("case_overdue", "waiting for the person who opened it") }, late},
		{"it is resolved", "", put(credit.CaseResolved), nil},
	}
}

// Package alarm lists what waits for a person on the lender's staff: one list of all kinds,
// computed on request. None of it is stored, so it is never out of date, and finished items
// disappear from it.
package alarm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/report"
	"tenor/internal/ports/rails/ach"
)

// Kind is the kind of an alarm.
type Kind string

// The kinds of alarms.
const (
	NoticeDue         Kind = "notice_due"         // an adverse-action notice is due within ten days (F28)
	NoticeOverdue     Kind = "notice_overdue"     // its last day has passed (F28)
	ReturnRate        Kind = "return_rate"        // too many debits are returned (F22)
	LateReturn        Kind = "late_return"        // a return came after its deadline, and can be disputed (F22)
	FileUnsent        Kind = "file_unsent"        // a file is made and may not have reached the bank (F22)
	FileUnanswered    Kind = "file_unanswered"    // a bank has not acknowledged a file (F22)
	CardDispute       Kind = "card_dispute"       // a cardholder disputes a charge (F25)
	BankNotice        Kind = "bank_notice"        // a bank's or processor's message that no program could use
	ScreeningOpen     Kind = "screening_open"     // a name resembles a listed one (F29)
	ScreeningReport   Kind = "screening_report"   // a confirmed match must be reported (F29)
	AutopayPaused     Kind = "autopay_paused"     // by returned debits: a person reviews (F23)
	CardsStopped      Kind = "cards_stopped"      // of a company: too many charges were disputed (F25)
	CollectionStopped Kind = "collection_stopped" // items need review (F12, F23)
	ChargeOffProposed Kind = "charge_off_proposed"
	AccountMissing    Kind = "account_missing"              // money waits for a merchant without a bank account (F32)
	PayoutsHeld       Kind = "payouts_held"                 // of a merchant
	PayoutsLimited    Kind = "payouts_limited"              // captures above a merchant's limit wait (F41.12)
	AccountChange     Kind = "account_change"               // a merchant's payouts will go to another account (F41.12)
	ReportWithdrawn   Kind = "reported_payment_withdrawn"   // a merchant has withdrawn its report of a payment (F41.5)
	SharedAccount     Kind = "account_at_several_companies" // a merchant has added an account that another company has (F41.1)
	MerchantDebits    Kind = "merchant_debits"              // a merchant's debits are stopped: too many were returned (F41.8)
	ClawbackUnpaid    Kind = "clawback_unpaid"              // a merchant owes a clawback that nothing collects (F32)
	CompanySuspended  Kind = "company_suspended"            // until a person lifts it (F26)
	RefundOwed        Kind = "refund_owed"                  // refunds of a payment that no rail pays (F35)
	CreditWaiting     Kind = "credit_waiting"               // credit that should be sent back and cannot be (F36)

	ApplicationReview Kind = "application_review" // an application waits for a person (F27)
	MailFailed        Kind = "mail_failed"        // a mail did not reach its recipient
	CaseOverdue       Kind = "case_overdue"       // a dispute or question should have been resolved

	ReceiptUnidentified Kind = "receipt_unidentified" // money was received whose owner is unknown (F39)
)

// Kinds lists the kinds, most urgent first.
func Kinds() []Kind {
	return []Kind{NoticeOverdue, ScreeningOpen, ScreeningReport, FileUnsent, FileUnanswered, LateReturn, CardDispute, ReturnRate, BankNotice, NoticeDue, CaseOverdue, ApplicationReview, MailFailed, ReceiptUnidentified, CreditWaiting, RefundOwed, AccountMissing, AccountChange, SharedAccount, ReportWithdrawn, PayoutsHeld, PayoutsLimited, MerchantDebits, ClawbackUnpaid, CompanySuspended, CardsStopped, AutopayPaused, CollectionStopped, ChargeOffProposed}
}

// Alarm is one item that waits for a person.
type Alarm struct {
	Kind    Kind
	Subject string        // identifier of its subject; for a rate its name
	Since   calendar.Date // business date, None if unknown
	Due     calendar.Date // deadline, None if no rule sets one
	Detail  string        // one sentence
	Next    string        // what to do, as one sentence
}

// Name identifies an alarm: while it lasts its name is the same.
func (a Alarm) Name() string { return string(a.Kind) + "/" + a.Subject }

// NoticeDays is how many days before its last day a notice becomes an alarm (F28).
const NoticeDays = 10

const (
	pageSize = 200 // records per read
	most     = 500 // alarms of a kind: more of them mean another problem
)

// Setup is what the list depends on in addition to the books.
type Setup struct {
	Zone   calendar.Zone
	Silent bool // the bank does not acknowledge files: no answer is expected
}

// Open lists every alarm, the most urgent kind first, and oldest first within a kind.
func Open(ctx context.Context, b store.Viewer, s Setup, now time.Time) (list []Alarm, err error) {
	err = b.View(ctx, func(v store.View) (err error) { list, err = List(v, s, now); return err })
	return list, err
}

// List is Open on an existing snapshot.
func List(v store.View, s Setup, now time.Time) ([]Alarm, error) {
	l := &lister{v: v, zone: s.Zone, silent: s.Silent, now: now, today: s.Zone.Date(now)}
	if err := l.rates(report.Since(s.Zone, now)); err != nil {
		return nil, fmt.Errorf("alarms: count returns: %w", err)
	}
	for _, read := range []func() error{l.notices, l.screenings, l.unsent, l.files, l.bankNotices, l.receipts, l.applications, l.cases, l.mails, l.companies, l.paused, l.orders, l.proposals, l.merchants, l.refunds, l.credits, l.shared} {
		if err := read(); err != nil {
			return nil, fmt.Errorf("alarms: %w", err)
		}
	}
	kinds := Kinds()
	slices.SortStableFunc(l.list, func(a, b Alarm) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Subject, b.Subject))
	})
	return l.list, nil
}

type lister struct {
	v      store.View
	zone   calendar.Zone
	silent bool
	now    time.Time
	today  calendar.Date
	list   []Alarm
	count  map[Kind]int
}

func (l *lister) add(a Alarm) {
	if l.count == nil {
		l.count = map[Kind]int{}
	}
	if l.count[a.Kind]++; l.count[a.Kind] <= most {
		l.list = append(l.list, a)
	}
}

// rates compares the returned debits with the network's thresholds.
func (l *lister) rates(since time.Time) error {
	rates, err := report.Returns(l.v, since)
	if err != nil {
		return err
	}
	for _, r := range rates {
		if r.Alarm() {
			l.add(Alarm{
				Kind: ReturnRate, Subject: r.Name, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("%d of %d debits of the last %d days were returned (%s); the limit is %d.%d %%.", r.Returned, r.Debits, ach.WindowDays, r.Name, r.Limit/10, r.Limit%10),
				Next:   "Find what these debits have in common, and contact your bank before it asks.",
			})
		}
	}
	return nil
}

func (l *lister) notices() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListNotices(l.v, store.NoticeFilter{Unsent: true, DueFrom: calendar.None, DueTo: l.today.AddDays(NoticeDays)}, p)
		for _, n := range list {
			a := Alarm{
				Kind: NoticeDue, Subject: n.ID, Since: n.ClockStart, Due: n.DueOn,
				Detail: fmt.Sprintf("The notice of %s to company %d must be sent by %s.", n.Kind, n.Company, n.DueOn),
				Next:   "Send it, and record that it was sent.",
			}
			if n.DueOn < l.today {
				a.Kind, a.Detail = NoticeOverdue, fmt.Sprintf("The notice of %s to company %d was due by %s: a reportable breach.", n.Kind, n.Company, n.DueOn)
			}
			l.add(a)
			p.AfterAt, p.AfterID = n.ActionAt, n.ID
		}
		return len(list), p, err
	})
}

func (l *lister) screenings() error {
	for _, status := range []credit.ScreeningStatus{credit.ScreeningOpen, credit.ScreeningConfirmed} {
		if err := pages(func(p store.Page) (int, store.Page, error) {
			list, err := store.ListScreenings(l.v, store.ScreeningFilter{Status: status}, p)
			for _, x := range list {
				who := "merchant " + x.Merchant
				if x.Company != 0 {
					who = "company " + store.CompanyKey(x.Company)
				}
				a := Alarm{
					Kind: ScreeningOpen, Subject: x.ID, Since: l.zone.Date(x.OpenedAt), Due: calendar.None,
					Detail: fmt.Sprintf("A name of %s resembles %q on the sanctions list (%d %%). No money is sent to it.", who, x.Matches[0].Name, x.Matches[0].Score),
					Next:   "Compare address, date of birth and IDs, then confirm or clear the screening.",
				}
				if status == credit.ScreeningConfirmed {
					a.Kind, a.Due = ScreeningReport, x.ReportBy
					a.Detail = fmt.Sprintf("%s is on a sanctions list; its money is blocked.", who)
					a.Next = fmt.Sprintf("Report it by %s, and keep the report.", x.ReportBy)
				}
				l.add(a)
				p.AfterAt, p.AfterID = x.OpenedAt, x.ID
			}
			return len(list), p, err
		}); err != nil {
			return err
		}
	}
	return nil
}

// companies lists those whose suspension only a person lifts. One for lateness that ends by
// itself is omitted (F26); for one for sanctions the screening is listed instead.
func (l *lister) companies() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListSuspendedCompanies(l.v, p)
		for _, c := range list {
			byItself := c.StatusCode == credit.SuspendedPastDue && !c.Servicing.ManualRelease
			if !byItself && c.StatusCode != credit.SanctionsMatch {
				l.add(Alarm{
					Kind: CompanySuspended, Subject: store.CompanyKey(c.ID), Since: calendar.None, Due: calendar.None,
					Detail: fmt.Sprintf("Company %d is suspended (%s): it cannot buy, and its orders cannot be captured.", c.ID, c.StatusCode),
					Next:   "Investigate, then release or close the company.",
				})
			}
			p.AfterAt, p.AfterID = c.CreatedAt, store.CompanyKey(c.ID)
		}
		return len(list), p, err
	})
}

// proposals lists the orders proposed for charge-off: for lateness, or because of a report
// about their company (F17).
func (l *lister) proposals() error {
	why := map[credit.ReportKind]string{
		"": "The order of company %d is so far past due that a charge-off is proposed.", credit.ReportBankruptcy: "Company %d is bankrupt: a charge-off of the order is proposed.",
		credit.ReportFraud: "Fraud of company %d was discovered: a charge-off of the order is proposed.",
	}
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListProposedOrders(l.v, p)
		for _, o := range list {
			l.add(Alarm{
				Kind: ChargeOffProposed, Subject: o.Key, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf(why[o.Servicing.ProposedFor], o.Company),
				Next:   "Charge it off, or reach an agreement with the buyer.",
			})
			p.AfterAt, p.AfterID = o.CreatedAt, o.Key
		}
		return len(list), p, err
	})
}

// pages reads pages until one is not full.
func pages(read func(store.Page) (int, store.Page, error)) error {
	p := store.Page{Limit: pageSize}
	for {
		n, next, err := read(p)
		if err != nil || n < pageSize {
			return err
		}
		p = next
	}
}

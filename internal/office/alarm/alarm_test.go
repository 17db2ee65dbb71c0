package alarm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/alarm"
)

// step is an event in a story, and the alarms that are open afterwards, as "kind/subject
// due".
type step struct {
	why  string
	at   string // the date from now on, "" as before
	do   func(*book)
	want []string
}

// TestStories follows each kind of alarm: it begins, stays, ends, and begins again.
func TestStories(t *testing.T) {
	for name, steps := range map[string][]step{
		"notice":              noticeStory(),
		"screening":           screeningStory(),
		"return rates":        rateStory(),
		"what is no return":   noReturnStory(),
		"payouts held":        heldStory(),
		"no account":          accountStory(),
		"suspended companies": suspendedStory(),
		"paused autopay":      pausedStory(),
		"orders":              orderStory(),
		"refunds":             refundStory(),
		"credit":              creditStory(),
		"clawbacks":           clawbackStory(),
		"limits of merchants": limitStory(),
		"changed accounts":    changeStory(),
		"withdrawn reports":   withdrawnStory(),
		"shared accounts":     sharedStory(),
		"receipts":            receiptStory(),
		"applications":        buyerStory(),
		"cases":               caseStory(),
		"files":               fileStory(),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, "2026-03-01")
			b.put(credit.Changes{
				Merchants: []*credit.Merchant{{ID: "mch_1", Name: "Harbor", Version: 1}},
				Companies: []*credit.Company{{ID: 7, Name: "Alder", Status: credit.CompanyApproved, Version: 1}},
			})
			for i, s := range steps {
				if s.at != "" {
					b.now = b.instant(s.at)
				}
				if s.do != nil {
					s.do(b)
				}
				if got := b.open(); !slices.Equal(got, s.want) {
					t.Errorf("step %d, %s: %q, not %q", i+1, s.why, got, s.want)
				}
			}
		})
	}
}

func noticeStory() []step {
	n := credit.Notice{ID: "ntc_1", Kind: credit.NoticeSuspension, Company: 7, DueOn: calendar.MustParse("2026-03-31"), Version: 1}
	put := func(change func(*credit.Notice)) func(*book) {
		return func(b *book) { change(&n); x := n; b.put(credit.Changes{Notices: []*credit.Notice{&x}}) }
	}
	return []step{
		{"thirty days are left", "", put(func(n *credit.Notice) { n.ActionAt = time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC) }), nil},
		{"eleven days are left", "2026-03-20", nil, nil},
		{"ten days are left", "2026-03-21", nil, []string{"notice_due/ntc_1 2026-03-31"}},
		{"its last day", "2026-03-31", nil, []string{"notice_due/ntc_1 2026-03-31"}},
		{"a breach", "2026-04-01", nil, []string{"notice_overdue/ntc_1 2026-03-31"}},
		{"it stays one", "2026-09-01", nil, []string{"notice_overdue/ntc_1 2026-03-31"}},
		{"sent", "", put(func(n *credit.Notice) { n.SentAt, n.Version = n.ActionAt.Add(180*24*time.Hour), 2 }), nil},
	}
}

func screeningStory() []step {
	x := credit.Screening{ID: "scr_1", Company: 7, Status: credit.ScreeningOpen, Matches: []credit.Match{{Entry: "T-1", Name: "Alder", Score: 97}}, ReportBy: calendar.None}
	put := func(status credit.ScreeningStatus, report string) func(*book) {
		return func(b *book) {
			x.Status, x.ReportBy, x.Version = status, calendar.None, x.Version+1
			if status != credit.ScreeningOpen {
				x.DecidedAt = b.now
			}
			if report != "" {
				x.ReportBy = calendar.MustParse(report)
			}
			y := x
			b.put(credit.Changes{Screenings: []*credit.Screening{&y}})
		}
	}
	return []step{
		{"a name is found", "", put(credit.ScreeningOpen, ""), []string{"screening_open/scr_1"}},
		{"nobody looks", "2026-05-01", nil, []string{"screening_open/scr_1"}},
		{"confirmed", "", put(credit.ScreeningConfirmed, "2026-05-15"), []string{"screening_report/scr_1 2026-05-15"}},
		{"cleared after all", "", put(credit.ScreeningCleared, ""), nil},
	}
}

// The network compares returned debits with the debits of the same sixty days.
func rateStory() []step {
	return []step{
		{"debits that stay", "2026-03-02", func(b *book) { b.debits(85) }, nil},
		{"fifteen of a hundred came back, as many as may", "2026-03-04", func(b *book) { b.comeBack("PAYMENT", "R01", 15) }, nil},
		{"one more", "", func(b *book) { b.comeBack("CLAWBACK", "R01", 1) }, []string{"return_rate/all"}},
		{"the bank says the last one again", "", func(b *book) { b.say(b.last, "RETURN", "R01") }, []string{"return_rate/all"}},
		{"many more debits", "2026-04-01", func(b *book) { b.debits(900) }, nil},
		{"wrong accounts, fewer than may be", "", func(b *book) { b.comeBack("PAYMENT", "R03", 26) }, nil},
		{"five that nobody had authorized", "", func(b *book) { b.comeBack("PAYMENT", "R10", 5) }, nil},
		{"one more", "", func(b *book) { b.comeBack("PAYMENT", "R29", 1) }, []string{"return_rate/unauthorized"}},
		{"the sixtieth day after the first ones", "2026-05-01", nil, []string{"return_rate/unauthorized"}},
		{"sixty days after the last", "2026-05-31", nil, []string{"return_rate/unauthorized"}},
		{"and a day", "2026-06-01", nil, nil},
		{"again", "", func(b *book) { b.debits(1); b.comeBack("PAYMENT", "R02", 1) }, []string{"return_rate/administrative", "return_rate/all"}},
	}
}

// Returns of money that we sent are not returned debits, nor are those of account checks,
// card charges, entries that the bank rejected, notifications of change, or a return that
// was processed under another code.
func noReturnStory() []step {
	return []step{
		{"a debit", "", func(b *book) { b.debits(1) }, nil},
		{"payouts, refunds and credit", "", func(b *book) {
			b.comeBack("PAYOUT", "R02", 9)
			b.comeBack("REFUND", "R03", 9)
			b.comeBack("CREDIT", "R23", 9)
		}, nil},
		{"micro-deposits and prenotes", "", func(b *book) { b.comeBack("MICRO", "R04", 9); b.comeBack("PRENOTE", "R03", 9) }, nil},
		{"an entry that was not taken", "", func(b *book) { b.say(b.transfer("PAYMENT", "R13"), "REJECT", "R13") }, nil},
		{"a change of the account", "", func(b *book) { b.say(b.transfer("PAYMENT", ""), "CHANGE", "C01") }, nil},
		{"a return that was disputed", "", func(b *book) { b.say(b.transfer("PAYMENT", ""), "RETURN", "R61") }, nil},
		{"a return of nothing of ours", "", func(b *book) { b.say("", "RETURN", "R10") }, nil},
		{"a debit after all", "", func(b *book) { b.comeBack("PAYMENT", "R01", 1) }, []string{"return_rate/all"}},
	}
}

func heldStory() []step {
	version := 1
	hold := func(reason string) func(*book) {
		return func(b *book) {
			version++
			b.put(credit.Changes{Merchants: []*credit.Merchant{{ID: "mch_1", Name: "Harbor", Account: credit.MerchantAccount{HeldReason: reason}, Version: version}}})
		}
	}
	return []step{
		{"nothing is held", "", nil, nil},
		{"held", "", hold("payout_failed"), []string{"payouts_held/mch_1"}},
		{"for another reason", "", hold("review"), []string{"payouts_held/mch_1"}},
		{"released", "", hold(""), nil},
		{"again", "", hold("review"), []string{"payouts_held/mch_1"}},
	}
}

// The alarm for money due to a merchant without an account has its amount and its oldest
// date, until there is an account or nothing waits.
func accountStory() []step {
	m := credit.Merchant{ID: "mch_1", Name: "Harbor", Version: 1}
	account := func(bank *credit.BankAccount, held string) func(*book) {
		return func(b *book) {
			m.Account.Bank, m.Account.HeldReason, m.Version = bank, held, m.Version+1
			x := m
			b.put(credit.Changes{Merchants: []*credit.Merchant{&x}})
		}
	}
	versions := map[string]int{}
	line := func(id string, kind credit.PayoutLineKind, amount money.Amount, due string, change func(*credit.PayoutLine)) func(*book) {
		return func(b *book) {
			versions[id]++
			l := &credit.PayoutLine{
				ID: id, Merchant: "mch_1", Kind: kind, Company: 7, Source: "src_" + id, Amount: amount, Due: calendar.MustParse(due), At: b.now, Version: versions[id],
			}
			if kind == credit.LineCapture {
				l.Gross = amount
			}
			if change != nil {
				change(l)
			}
			b.put(credit.Changes{Lines: []*credit.PayoutLine{l}})
		}
	}
	ended := func(l *credit.PayoutLine) { l.Payout = l.Source }
	listed := []string{"account_missing/mch_1"}
	return []step{
		{"it owes, and is owed nothing", "2026-03-01", line("l0", credit.LineClawback, 29_00, "2026-03-01", nil), nil},
		{"a capture that is due tomorrow", "2026-03-02", line("l1", credit.LineCapture, 485_00, "2026-03-03", nil), nil},
		{"it is due", "2026-03-03", func(b *book) {
			b.detail("2026-03-03 485.00 owed to Harbor since 2026-03-03", "It owes 29.00")
		}, listed},
		{"another one", "2026-03-05", line("l2", credit.LineCarried, 100_00, "2026-03-04", nil), listed},
		{"both are told, and the older day", "", func(b *book) { b.detail("2026-03-03 585.00 owed to Harbor since 2026-03-03", "29.00") }, listed},
		{"held besides", "", account(nil, "review"), []string{"account_missing/mch_1", "payouts_held/mch_1"}},
		{"an account", "", account(&credit.BankAccount{Last4: "1111"}, ""), nil},
		{"it is taken away", "", account(nil, ""), listed},
		{"what it owed is written off", "", line("l0", credit.LineClawback, 29_00, "2026-03-01", ended), listed},
		{"the older line is none any more", "", line("l1", credit.LineCapture, 485_00, "2026-03-03", ended), listed},
		{"the younger one is told", "", func(b *book) {
			b.detail("2026-03-04 100.00 owed to Harbor since 2026-03-04", "no bank account.")
		}, listed},
		{"nor the other one", "", line("l2", credit.LineCarried, 100_00, "2026-03-04", ended), nil},
	}
}

// A clawback that no payout nets and no debit takes is an alarm, with what is owed beyond
// what the merchant is owed itself.
func clawbackStory() []step {
	m := credit.Merchant{ID: "mch_1", Name: "Harbor", Version: 1}
	account := func(debits, broken bool) func(*book) {
		return func(b *book) {
			m.Account.Bank, m.Account.Debits, m.Account.Broken, m.Version = &credit.BankAccount{Last4: "1111"}, debits, broken, m.Version+1
			x := m
			b.put(credit.Changes{Merchants: []*credit.Merchant{&x}})
		}
	}
	line := func(id string, kind credit.PayoutLineKind, amount money.Amount, due string, ended bool) func(*book) {
		return func(b *book) {
			l := &credit.PayoutLine{ID: id, Merchant: "mch_1", Kind: kind, Company: 7, Source: "src_" + id, Amount: amount, Due: calendar.MustParse(due), At: b.now, Version: 1}
			if ended {
				l.Version, l.Payout = 2, l.Source
			}
			b.put(credit.Changes{Lines: []*credit.PayoutLine{l}})
		}
	}
	listed := []string{"clawback_unpaid/mch_1"}
	return []step{
		{"an account that may be debited", "", account(true, false), nil},
		{"a clawback", "2026-03-01", line("l1", credit.LineClawback, 388_00, "2026-03-01", false), nil},
		{"it will be debited", "2026-04-05", nil, nil},
		{"the debit came back, which ended the debits", "", account(false, false), listed},
		{"its amount is told", "", func(b *book) { b.says("clawback_unpaid", "Harbor owes 388.00") }, listed},
		{"it is owed less than that", "", line("l2", credit.LineRepaid, 100_00, "2026-04-05", false), listed},
		{"the difference is told", "", func(b *book) { b.says("clawback_unpaid", "Harbor owes 288.00") }, listed},
		{"it is owed more: the next payout nets it", "", line("l3", credit.LineRepaid, 300_00, "2026-04-05", false), nil},
		{"a younger one alone, when the first is netted", "", func(b *book) {
			line("l1", credit.LineClawback, 388_00, "2026-03-01", true)(b)
			line("l2", credit.LineRepaid, 100_00, "2026-04-05", true)(b)
			line("l3", credit.LineRepaid, 300_00, "2026-04-05", true)(b)
			line("l4", credit.LineClawback, 5_00, "2026-04-05", false)(b)
		}, nil},
		{"thirty days later", "2026-05-05", nil, nil},
		{"and a day", "2026-05-06", nil, listed},
		{"debits are allowed again", "", account(true, false), nil},
		{"but the account does not take anything", "", account(true, true), listed},
	}
}

// Only suspensions that a person must lift are listed.
func suspendedStory() []step {
	version := 1
	set := func(status credit.CompanyStatus, code string, deep bool) func(*book) {
		return func(b *book) {
			version++
			b.put(credit.Changes{Companies: []*credit.Company{{
				ID: 7, Name: "Alder", Status: status, StatusCode: code, Servicing: credit.CompanyServicing{ManualRelease: deep}, Version: version,
			}}})
		}
	}
	listed := []string{"company_suspended/7"}
	return []step{
		{"thirty days late", "", set(credit.CompanySuspended, credit.SuspendedPastDue, false), nil},
		{"sixty days late", "", set(credit.CompanySuspended, credit.SuspendedPastDue, true), listed},
		{"released", "", set(credit.CompanyApproved, "", false), nil},
		{"two debits came back", "", set(credit.CompanySuspended, "returned_payments", false), listed},
		{"nobody looks", "2026-12-01", nil, listed},
		{"held by staff", "", set(credit.CompanyOnHold, "", false), nil},
		{"a frozen account", "", set(credit.CompanySuspended, "compliance_review", true), listed},
		{"closed", "", set(credit.CompanyClosed, "", false), nil},
		{"charged off", "", set(credit.CompanySuspended, credit.SuspendedChargedOff, true), listed},
		{"on a list: its screening says so", "", set(credit.CompanySuspended, credit.SanctionsMatch, true), nil},
		{"more than a page of them", "", func(b *book) {
			var c credit.Changes
			for i := range 230 {
				c.Companies = append(c.Companies, &credit.Company{ID: 1000 + int64(i), Status: credit.CompanySuspended, StatusCode: "returned_payments", CreatedAt: b.now, Version: 1})
			}
			b.put(c)
		}, many("company_suspended/", 1000, 230)},
	}
}

func many(prefix string, from, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint(prefix, from+i))
	}
	return out
}

// Autopay paused by a return is listed until the lender resumes it or switches it off; one
// paused only by bankruptcy is not.
func pausedStory() []step {
	version := 1
	set := func(a credit.Autopay, reports ...credit.CompanyReport) func(*book) {
		return func(b *book) {
			version++
			b.put(credit.Changes{Companies: []*credit.Company{{
				ID: 7, Name: "Alder", Status: credit.CompanyApproved, Servicing: credit.CompanyServicing{Autopay: a, Reports: reports}, Version: version,
			}}})
		}
	}
	cards := func(why string) func(*book) {
		return func(b *book) {
			version++
			b.put(credit.Changes{Companies: []*credit.Company{{
				ID: 7, Name: "Alder", Status: credit.CompanyApproved, Servicing: credit.CompanyServicing{Cards: credit.CardUse{Paused: why}}, Version: version,
			}}})
		}
	}
	closed := func(b *book) {
		version++
		b.put(credit.Changes{Companies: []*credit.Company{{
			ID: 7, Name: "Alder", Status: credit.CompanyClosed, Servicing: credit.CompanyServicing{Cards: credit.CardUse{Paused: payments.StoppedDisputed}}, Version: version,
		}}})
	}
	bankrupt := credit.CompanyReport{Kind: credit.ReportBankruptcy, On: calendar.MustParse("2026-03-01"), Reason: "a letter"}
	listed := []string{"autopay_paused/7"}
	return []step{
		{"its cards are stopped", "", cards(payments.StoppedDisputed), []string{"cards_stopped/7"}},
		{"it is told why", "", func(b *book) { b.says("cards_stopped", "of company 7 were disputed in 30 days") }, []string{"cards_stopped/7"}},
		{"it is closed, and cannot be released", "", closed, nil},
		{"they are charged again", "", cards(""), nil},
		{"it runs", "", set(credit.Autopay{Enabled: true, Method: "pm_1"}), nil},
		{"a debit that nobody had authorized", "", set(credit.Autopay{Enabled: true, Method: "pm_1", Paused: "R10"}), listed},
		{"its code is told", "", func(b *book) { b.says("autopay_paused", "company 7 were returned (R10)") }, listed},
		{"nobody looks", "2026-12-01", nil, listed},
		{"somebody switches it off", "", set(credit.Autopay{Method: "pm_1", Paused: "R10"}), listed},
		{"the lender does", "", set(credit.Autopay{Method: "pm_1", Paused: "R10", Reviewed: true}), nil},
		{"a merchant switches it on", "", set(credit.Autopay{Enabled: true, Method: "pm_1", Paused: "R10", Reviewed: true}), listed},
		{"the company is bankrupt besides", "", set(credit.Autopay{Enabled: true, Method: "pm_1", Paused: "R10"}, bankrupt), listed},
		{"the lender starts it", "", set(credit.Autopay{Enabled: true, Method: "pm_2"}, bankrupt), nil},
		{"two debits come back", "", set(credit.Autopay{Enabled: true, Method: "pm_2", Paused: "returned_payments"}), listed},
		{"they do where it is off", "", set(credit.Autopay{Paused: "returned_payments"}), nil},
		{"a debit by hand that nobody had authorized", "", set(credit.Autopay{Paused: "R07"}), listed},
		{"it is told so", "", func(b *book) { b.says("autopay_paused", "its autopay is off") }, listed},
		{"more than a page of them", "", func(b *book) {
			var c credit.Changes
			for i := range 230 {
				c.Companies = append(c.Companies, &credit.Company{
					ID: 1000 + int64(i), Status: credit.CompanyApproved, CreatedAt: b.now, Version: 1,
					Servicing: credit.CompanyServicing{Autopay: credit.Autopay{Enabled: true, Method: "pm", Paused: "R29"}},
				})
			}
			b.put(c)
		}, append(many("autopay_paused/", 1000, 230), listed...)},
	}
}

func orderStory() []step {
	o := credit.Order{Key: "ord_1", Company: 7, Merchant: "mch_1", Status: credit.OrderCaptured, Captured: 100, Amount: 100, Installments: 3}
	put := func(change func(*credit.Order)) func(*book) {
		return func(b *book) { change(&o); o.Version++; x := o; b.put(credit.Changes{Orders: []*credit.Order{&x}}) }
	}
	return []step{
		{"its company is bankrupt", "", put(func(o *credit.Order) {
			o.Financing, o.Servicing.Proposed, o.Servicing.ProposedFor = credit.FinancingActive, true, credit.ReportBankruptcy
		}), []string{"charge_off_proposed/ord_1"}},
		{"which is withdrawn", "", put(func(o *credit.Order) { o.Servicing.Proposed, o.Servicing.ProposedFor = false, "" }), nil},
		{"autopay gives up the last installment, which is not due yet", "", put(func(o *credit.Order) { o.Servicing.Stopped = refs(1) }), []string{"collection_stopped/ord_1"}},
		{"how much it is, is told", "", func(b *book) { b.says("collection_stopped", "collecting 1 installment of the order of company 7") }, []string{"collection_stopped/ord_1"}},
		{"it is paid by wire", "", put(func(o *credit.Order) { o.Servicing.Stopped = nil }), nil},
		{"a fee is left when everything else is paid", "", put(func(o *credit.Order) {
			o.Servicing.Stopped = []schedule.Ref{{Order: "ord_1", Fee: "fee_1"}}
		}), []string{"collection_stopped/ord_1"}},
		{"which is told too", "", func(b *book) { b.says("collection_stopped", "collecting 1 fee of") }, []string{"collection_stopped/ord_1"}},
		{"it is waived", "", put(func(o *credit.Order) { o.Servicing.Stopped = nil }), nil},
		{"late", "", put(func(o *credit.Order) { o.Financing = credit.FinancingOverdue }), nil},
		{"autopay gives up", "", put(func(o *credit.Order) {
			o.Servicing.Stopped = append(refs(2), schedule.Ref{Order: "ord_1", Fee: "fee_1"}, schedule.Ref{Order: "ord_1", Fee: "fee_2"})
		}), []string{"collection_stopped/ord_1"}},
		{"all of it is told", "", func(b *book) { b.says("collection_stopped", "collecting 2 installments and 2 fees of") }, []string{"collection_stopped/ord_1"}},
		{"a charge-off is proposed", "", put(func(o *credit.Order) { o.Servicing.Proposed = true }), []string{"collection_stopped/ord_1", "charge_off_proposed/ord_1"}},
		{"collection goes on", "", put(func(o *credit.Order) { o.Servicing.Stopped = nil }), []string{"charge_off_proposed/ord_1"}},
		{"charged off", "", put(func(o *credit.Order) {
			o.Financing, o.Servicing.ChargedOff = credit.FinancingChargedOff, calendar.MustParse("2026-03-01")
		}), nil},
	}
}

// A refund that a bank has not delivered, or of money that came by check, is an alarm until
// somebody has paid it; one in transit is not.
func refundStory() []step {
	p := credit.Payment{ID: "pay_1", Company: 7, Method: credit.Check, Direction: "IN", Amount: 100_00, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
	set := func(list ...credit.PaymentRefund) func(*book) {
		return func(b *book) {
			x := p
			x.Refunds, x.OwedSince = list, time.Time{}
			for i := range list {
				list[i].CreatedAt = b.instant("2026-03-02").Add(time.Duration(i) * time.Hour)
				if x.OwedSince.IsZero() && list[i].Open() {
					x.OwedSince = list[i].CreatedAt
				}
			}
			p.Version++
			x.Version = p.Version
			b.put(credit.Changes{Payments: []*credit.Payment{&x}})
		}
	}
	failed := credit.PaymentRefund{ID: "rfd_1", Amount: 20_00, Status: credit.RefundFailed, Transfer: "trf_1", Failure: &credit.Failure{ReturnCode: "R02", Message: "Account Closed"}}
	sent := credit.PaymentRefund{ID: "rfd_1", Amount: 20_00, Status: credit.RefundPending, Transfer: "trf_2"}
	arrived := credit.PaymentRefund{ID: "rfd_1", Amount: 20_00, Status: credit.RefundSettled, Transfer: "trf_2"}
	byHand := credit.PaymentRefund{ID: "rfd_2", Amount: 5_50, Status: credit.RefundPending}
	listed := []string{"refund_owed/pay_1"}
	return []step{
		{"it is on its way", "2026-03-02", set(sent), nil},
		{"the bank returned it", "2026-03-06", set(failed), listed},
		{"its amount and its cause are told", "", func(b *book) {
			b.says("refund_owed", "Refunds of 20.00 to company 7", "rfd_1 was returned (R02 Account Closed)", "2026-03-02")
		}, listed},
		{"another one, of a check", "", set(failed, byHand), listed},
		{"both are told", "", func(b *book) { b.says("refund_owed", "25.50", "rfd_2 refunds money received by CHECK") }, listed},
		{"the first is sent to another account", "", set(sent, byHand), listed},
		{"the second is told alone", "", func(b *book) { b.says("refund_owed", "Refunds of 5.50") }, listed},
		{"both are paid", "", set(arrived), nil},
	}
}

// The alarm for credit that should be sent back and cannot be has the last day on which it
// may.
func creditStory() []step {
	set := func(source string, amount money.Amount, on string, waits credit.CreditWait) func(*book) {
		return func(b *book) {
			x := credit.Credit{Company: 7, Waits: waits}
			x.Source, x.Date, x.Amount = source, calendar.MustParse(on), amount
			b.put(credit.Changes{Credits: []credit.Credit{x}})
		}
	}
	version := 1
	asked := func(day string) func(*book) {
		return func(b *book) {
			version++
			b.put(credit.Changes{Companies: []*credit.Company{{
				ID: 7, Name: "Alder", Status: credit.CompanyApproved, Servicing: credit.CompanyServicing{CreditAsked: b.instant(day)}, Version: version,
			}}})
		}
	}
	return []step{
		{"money that is not good yet", "2026-11-05", set("rfd_1", 30_00, "2026-11-05", credit.CreditUnripe), nil},
		{"there is no account", "2026-11-13", set("rfd_1", 30_00, "2026-11-05", credit.CreditNoAccount), []string{"credit_waiting/7 2026-11-17"}},
		{"an overpayment has half a year", "", set("pay_1", 12_00, "2026-10-01", credit.CreditNoAccount), []string{"credit_waiting/7 2026-11-17"}},
		{"both are told, since the older", "", func(b *book) { b.says("credit_waiting", "Credit of 42.00", "no account", "2026-10-01") }, []string{"credit_waiting/7 2026-11-17"}},
		{"the refund's has gone", "", set("rfd_1", 0, "2026-11-05", ""), []string{"credit_waiting/7 2027-04-01"}},
		{"the company asks for it", "", asked("2026-11-13"), []string{"credit_waiting/7 2026-11-24"}},
		{"the bank sends it back", "", set("pay_1", 12_00, "2026-10-01", credit.CreditCameBack), []string{"credit_waiting/7 2026-11-24"}},
		{"which is told", "", func(b *book) { b.says("credit_waiting", "the bank returned it") }, []string{"credit_waiting/7 2026-11-24"}},
		{"a merchant holds it", "", set("pay_1", 12_00, "2026-10-01", credit.CreditHeldByMerchant), nil},
		{"for half a year less a day", "2027-03-31", nil, nil},
		{"for half a year", "2027-04-01", nil, []string{"credit_waiting/7 2026-11-24"}},
		{"which is told", "", func(b *book) {
			b.says("credit_waiting", "Credit of 12.00 of company 7", "a merchant has held the money for six months", "Have the merchant remit")
		}, []string{"credit_waiting/7 2026-11-24"}},
	}
}

// The most urgent comes first, and each alarm says what to do.
func TestOrder(t *testing.T) {
	b := newBook(t, "2026-04-01")
	b.put(credit.Changes{
		Merchants: []*credit.Merchant{{ID: "mch_1", Account: credit.MerchantAccount{HeldReason: "review"}, Version: 1}},
		Lines:     []*credit.PayoutLine{{ID: "l1", Merchant: "mch_1", Kind: credit.LineRepaid, Company: 7, Source: "src", Amount: 5, Due: calendar.MustParse("2026-04-01"), Version: 1}},
		Companies: []*credit.Company{{ID: 7, Status: credit.CompanySuspended, StatusCode: "returned_payments", Version: 1}},
		Notices: []*credit.Notice{
			{ID: "ntc_3", Company: 7, ClockStart: calendar.MustParse("2026-03-05"), DueOn: calendar.MustParse("2026-04-04"), Version: 1},
			{ID: "ntc_2", Company: 7, ClockStart: calendar.MustParse("2026-03-03"), DueOn: calendar.MustParse("2026-04-02"), Version: 1},
			{ID: "ntc_1", Company: 7, ClockStart: calendar.MustParse("2026-02-01"), DueOn: calendar.MustParse("2026-03-03"), Version: 1},
		},
	})
	b.comeBack("PAYMENT", "R07", 1)
	want := []string{
		"notice_overdue/ntc_1 2026-03-03", "return_rate/all", "return_rate/unauthorized", "notice_due/ntc_2 2026-04-02", "notice_due/ntc_3 2026-04-04",
		"account_missing/mch_1", "payouts_held/mch_1", "company_suspended/7",
	}
	if got := b.open(); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	list, err := alarm.Open(t.Context(), b.db, alarm.Setup{Zone: b.zone}, b.now)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, a := range list {
		if a.Detail == "" || !strings.HasSuffix(a.Next, ".") || names[a.Name()] || !slices.Contains(alarm.Kinds(), a.Kind) {
			t.Errorf("%+v", a)
		}
		names[a.Name()] = true
	}
}

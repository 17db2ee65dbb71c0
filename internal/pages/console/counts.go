package console

import (
	"context"
	"strconv"
	"sync"
	"time"

	"tenor/internal/office/alarm"
)

// countsLife is how old the counts of the navigation may be: they are on every page, and each takes
// the whole list of alarms.
const countsLife = 10 * time.Second

// counts are how much waits in each section.
type counts struct {
	mu sync.Mutex
	at time.Time // the wall clock's, zero: not counted
	by map[string]int
}

// section is where the work of an alarm is done, "" if the home page alone has it.
func section(k alarm.Kind) string {
	switch k {
	case alarm.ApplicationReview:
		return "applications"
	case alarm.ScreeningOpen, alarm.ScreeningReport, alarm.CompanySuspended, alarm.CardsStopped, alarm.AutopayPaused, alarm.SharedAccount:
		return "companies"
	case alarm.ChargeOffProposed, alarm.CollectionStopped:
		return "orders"
	case alarm.CardDispute, alarm.RefundOwed, alarm.CreditWaiting, alarm.ReceiptUnidentified, alarm.ReportWithdrawn, alarm.LateReturn:
		return "payments"
	case alarm.AccountMissing, alarm.AccountChange, alarm.PayoutsHeld, alarm.PayoutsLimited, alarm.MerchantDebits, alarm.ClawbackUnpaid:
		return "payouts"
	case alarm.FileUnsent, alarm.FileUnanswered, alarm.BankNotice:
		return "ledger"
	}
	return ""
}

// counted is how much waits in each section, as of a few seconds ago, and for a second person now.
func (v *visit) counted(ctx context.Context) (map[string]int, error) {
	waiting, err := v.desk().Waiting(ctx)
	if err != nil {
		return nil, err
	}
	c := &v.Pages.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := v.desk().Wall(); c.at.IsZero() || now.Sub(c.at) >= countsLife {
		c.at = now
		// They are for all: that one visitor has gone must not leave the others without.
		list, err := alarm.Open(context.WithoutCancel(ctx), v.desk().Store, v.config.Alarms, v.desk().Now())
		switch {
		case err == nil:
			c.by = map[string]int{}
			for _, a := range list {
				c.by[section(a.Kind)]++
			}
		case v.config.Log != nil: // the last numbers stay, and each page works
			v.config.Log.Error("the console could not count what waits", "error", err.Error())
		}
	}
	out := map[string]int{"approvals": waiting}
	for name, n := range c.by {
		out[name] = n
	}
	return out, nil
}

// recount forgets the counts, as somebody has just done something.
func (p *Pages) recount() {
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	p.counts.at = time.Time{}
}

// many writes a count for the navigation.
func many(n int) string {
	if n > 99 {
		return "99+"
	}
	return strconv.Itoa(n)
}

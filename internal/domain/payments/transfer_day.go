package payments

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Until this time, in minutes after the cut-off, the network takes an entry that settles
// on the same day (F22).
const sameDayWindow = 45 * time.Minute

// DebitDays are the day on which a debit that is asked for now goes to the bank, and that on
// which it arrives (F22).
func DebitDays(z calendar.Zone, now time.Time) (sent, arrives calendar.Date) {
	return lending.TransferDays(credit.Env{Now: now, Zone: z}, calendar.None)
}

// RetryDay is the day on which the retry of a returned debit settles (F23): after the
// first return the 2nd banking day, or the first 1st or 15th after it if that is
// earlier; after the second return the 5th banking day. A day whose cut-off has passed
// moves on.
func RetryDay(e credit.Env, attempt int) calendar.Date {
	today := e.Today()
	day := today.AddBankingDays(5)
	if attempt == 1 {
		day = today.AddBankingDays(2)
		for payday := today + 1; payday < day; payday++ {
			if _, _, n := payday.Civil(); n == 1 || n == 15 {
				day = min(day, payday.NextBankingDay())
				break
			}
		}
	}
	_, day = lending.TransferDays(e, day)
	return day
}

package payments

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// The network takes same-day entries until this long after the cut-off (F22).
const sameDayWindow = 45 * time.Minute

// DebitDays are the day on which a debit requested now is sent to the bank, and the day on
// which it arrives (F22).
func DebitDays(z calendar.Zone, now time.Time) (sent, arrives calendar.Date) {
	return lending.TransferDays(credit.Env{Now: now, Zone: z}, calendar.None)
}

// RetryDay is the day on which the retry of a returned debit settles (F23): after the first
// return the 2nd banking day, or the first 1st or 15th after the return if that is earlier;
// after the second return the 5th banking day. If its cut-off has passed, it moves to the next
// possible day.
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

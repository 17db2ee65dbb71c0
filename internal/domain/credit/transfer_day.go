package credit

import (
	"time"

	"tenor/internal/domain/calendar"
)

// Transfers settle at this time of their settlement date, in the business zone; those of
// the same day when the day's last settlement is over.
const (
	settlementHour, settlementMinute = 8, 30
	sameDayHour                      = 18
)

// Until this time, in minutes after the cut-off, the network takes an entry that settles
// on the same day (F22).
const sameDayWindow = 45 * time.Minute

// cutOff is when the file of a banking day is made.
func cutOff(z calendar.Zone, d calendar.Date) time.Time { return z.At(d, CutOffHour, 0) }

// SameDay reports that an ACH transfer settles on the day of its file (F22).
func (t *Transfer) SameDay() bool { return t.Rail.Can().SameDay && t.SettlesOn == t.SendOn }

// SettlesAt is when a transfer settles, if it is sent in time.
func (t *Transfer) SettlesAt(z calendar.Zone) time.Time {
	if t.SameDay() {
		return z.At(t.SettlesOn, sameDayHour, 0)
	}
	return z.At(t.SettlesOn, settlementHour, settlementMinute)
}

// bankingDayBefore is the last banking day before a date.
func bankingDayBefore(d calendar.Date) calendar.Date {
	for d--; !d.IsBankingDay(); d-- {
	}
	return d
}

// nextFile is the banking day of the first file that something decided now can be in.
func nextFile(e Env) calendar.Date {
	today := e.Today()
	if today.IsBankingDay() && e.Now.Before(cutOff(e.Zone, today)) {
		return today
	}
	return today.AddBankingDays(1)
}

// TransferDays are the file and the settlement of a transfer that is decided now and
// is wished to settle on a date, None for as soon as possible. A wish that is too
// early, or on a closed day, moves to the next banking day (F22).
func TransferDays(e Env, wished calendar.Date) (sendOn, settlesOn calendar.Date) {
	sendOn = nextFile(e)
	settlesOn = sendOn.AddBankingDays(1)
	if wished == calendar.None || wished.NextBankingDay() <= settlesOn {
		return sendOn, settlesOn
	}
	settlesOn = wished.NextBankingDay()
	return bankingDayBefore(settlesOn), settlesOn
}

// DebitDays are the day on which a debit that is asked for now goes to the bank, and that on
// which it arrives (F22).
func DebitDays(z calendar.Zone, now time.Time) (sent, arrives calendar.Date) {
	return TransferDays(Env{Now: now, Zone: z}, calendar.None)
}

// RetryDay is the day on which the retry of a returned debit settles (F23): after the
// first return the 2nd banking day, or the first 1st or 15th after it if that is
// earlier; after the second return the 5th banking day. A day whose cut-off has passed
// moves on.
func RetryDay(e Env, attempt int) calendar.Date {
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
	_, day = TransferDays(e, day)
	return day
}

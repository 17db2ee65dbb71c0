package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// NextFile is the banking day of the first file that something decided now can be in.
func NextFile(e credit.Env) calendar.Date {
	today := e.Today()
	if today.IsBankingDay() && e.Now.Before(credit.CutOff(e.Zone, today)) {
		return today
	}
	return today.AddBankingDays(1)
}

// TransferDays are the file and the settlement of a transfer decided now that should settle on
// a date, None for as soon as possible. A date that is too early, or on a closed day, moves to
// the next banking day (F22).
func TransferDays(e credit.Env, wished calendar.Date) (sendOn, settlesOn calendar.Date) {
	sendOn = NextFile(e)
	settlesOn = sendOn.AddBankingDays(1)
	if wished == calendar.None || wished.NextBankingDay() <= settlesOn {
		return sendOn, settlesOn
	}
	settlesOn = wished.NextBankingDay()
	return credit.BankingDayBefore(settlesOn), settlesOn
}

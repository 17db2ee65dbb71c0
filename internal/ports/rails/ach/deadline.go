package ach

import "tenor/internal/domain/calendar"

// Frame is how long a return may take after the settlement of its entry (F22).
type Frame int

// The frames of return codes.
const (
	NoFrame   Frame = iota // by agreement, or counted from something other than the entry's settlement
	TwoDays                // by the opening of the second banking day
	SixtyDays              // by the opening of the banking day after the sixtieth calendar day
	NextFile               // an operator's reject: with its next file
)

// FrameOf returns the frame of a return code. R23 counts from the refusal of a credit, R61 to R77
// from another return: they have no frame here.
func FrameOf(code string) Frame {
	switch code {
	case "R05", "R07", "R10", "R11", "R33", "R37", "R38", "R51", "R52", "R53":
		return SixtyDays
	case "R01", "R02", "R03", "R04", "R08", "R09", "R12", "R14", "R15", "R16", "R17", "R20", "R21", "R22", "R24", "R29", "R39", "R50":
		return TwoDays
	case "R13", "R18", "R19", "R25", "R26", "R27", "R28", "R30", "R32", "R34", "R35", "R36":
		return NextFile
	}
	return NoFrame
}

// BetweenBanks reports whether a code is not a return of an entry: with R61 to R70 a bank refuses
// a return, with R71 to R77 the other bank insists on it. Only the banks know where the money is,
// so a person has to ask.
func BetweenBanks(code string) bool { return len(code) == 3 && code >= "R61" && code <= "R77" }

// Deadline returns the banking day by whose opening a return must arrive, for an entry that
// settled on a given day; None if the code has no such day.
func Deadline(code string, settled calendar.Date) calendar.Date {
	switch FrameOf(code) {
	case TwoDays:
		return settled.AddBankingDays(2)
	case SixtyDays:
		return settled.AddDays(60).AddBankingDays(1)
	}
	return calendar.None
}

// Late reports whether a return arrived after its deadline: it can be disputed until DisputeBy.
func Late(code string, settled, arrived calendar.Date) bool {
	d := Deadline(code, settled)
	return d != calendar.None && arrived > d
}

// DisputeBy returns the last day on which a late or wrong return can be disputed.
func DisputeBy(arrived calendar.Date) calendar.Date { return arrived.AddBankingDays(5) }

// ApplyBy returns the day by which a notification of change must be applied, or before the next
// entry if that is later.
func ApplyBy(arrived calendar.Date) calendar.Date { return arrived.AddBankingDays(6) }

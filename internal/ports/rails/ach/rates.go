package ach

import "slices"

// Rate is the share of debits that were returned, compared with the network's threshold (F22).
type Rate struct {
	Name     string // unauthorized, administrative, all
	Returned int
	Debits   int
	Limit    int // in tenths of a percent
}

// Alarm reports whether the share is above its limit.
func (r Rate) Alarm() bool { return r.Returned*1000 > r.Limit*r.Debits }

// WindowDays is how many days the network looks back.
const WindowDays = 60

// Rates counts returns by code, relative to the debits of the same days: unauthorized 0.5 %,
// administrative 3 %, all 15 %. Codes that are not returns of an entry (notifications of change,
// disputes between banks) do not count.
func Rates(returned map[string]int, debits int) []Rate {
	unauthorized, administrative := []string{"R05", "R07", "R10", "R11", "R29", "R51"}, []string{"R02", "R03", "R04"}
	out := []Rate{{"unauthorized", 0, debits, 5}, {"administrative", 0, debits, 30}, {"all", 0, debits, 150}}
	for code, n := range returned {
		if len(code) != 3 || code[0] != 'R' || BetweenBanks(code) {
			continue
		}
		out[2].Returned += n
		switch {
		case slices.Contains(unauthorized, code):
			out[0].Returned += n
		case slices.Contains(administrative, code):
			out[1].Returned += n
		}
	}
	return out
}

package statement

import (
	"cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// AccountChangePaper tells a merchant that another bank account, or another contact, was
// requested in its name (F41.12). It goes to the contact before the change.
func AccountChangePaper(x *credit.AccountNotice, merchant string, lender Lender, on calendar.Date) Paper {
	p := Paper{
		Title: "Another bank account is to receive your payouts", Subtitle: merchant,
		Facts: []Fact{
			{"Lender", lender.Name}, {"Asked for", Day(on)}, {"Account now", "ending in " + x.Was}, {"Account then", "ending in " + x.Becomes}, {"From", Day(x.From) + ", at the earliest"},
		},
		Notes: []string{
			"If this is your wish, you need not do anything. If it is not, or you do not know of it, get in touch with us before that day: " + cmp.Or(lender.Contact, lender.Name) + ". Until then we pay to the account that you have now.",
		},
	}
	if x.Contact != x.To {
		p.Facts = append(p.Facts, Fact{"Contact then", cmp.Or(x.Contact, "none")})
	}
	if x.Was == x.Becomes && x.Contact != x.To {
		p.Title = "Another address is to receive what we write about your bank account"
	}
	return p
}

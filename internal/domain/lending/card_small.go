package lending

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// TooManySmall limits the small charges that merchants may request on a company's card.
func TooManySmall(x *credit.Company, amount money.Amount, today calendar.Date) *credit.Rejection {
	open := x.Servicing.Cards.Open(today)
	if amount >= credit.SmallBelow || len(open) < credit.MaxSmall {
		return nil
	}
	first := open[0].Until
	for _, c := range open {
		first = min(first, c.Until)
	}
	return credit.TooManyOpenDebits.With(
		fmt.Sprintf("At most %d charges of less than %s of a company's cards can be disputed at a time; the first is final after %s.", credit.MaxSmall, credit.SmallBelow, first),
		map[string]any{"maximum": credit.MaxSmall})
}

package statement

import (
	"encoding/csv"
	"io"
)

// HistoryHeader is the first line of a balance history. New columns are only added at the
// end.
func HistoryHeader() []string {
	return []string{"date", "value_date", "company_id", "order_key", "merchant_id", "reason", "change", "balance", "payment_id", "entry_id"}
}

// openingReason is the reason of the first row of an order that was already owed on.
const openingReason = "OPENING"

// History writes the month's balance history as CSV, in the form for bureaus: for each
// order the opening balance, then each change with its reason and the balance after it. The
// changes of an order add up to its closing balance.
func (x *Company) History(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(HistoryHeader()); err != nil {
		return err
	}
	company := key(x.Company.ID)
	for _, o := range x.Orders {
		if o.Opening != 0 {
			if err := out.Write([]string{
				x.From.String(), x.From.String(), company, o.Order.Key, o.Order.Merchant, openingReason, o.Opening.String(), o.Opening.String(), "", "",
			}); err != nil {
				return err
			}
		}
		for _, l := range x.Lines {
			if l.Order != o.Order.Key {
				continue
			}
			if err := out.Write([]string{
				l.Date.String(), l.Value.String(), company, l.Order, o.Order.Merchant, string(l.Kind), l.Amount.String(), l.Balance.String(), l.Payment, l.Entry,
			}); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

package accountpages

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
)

// A payment in transit to one order does not cover another's late amount, nor does one that
// arrives too late: the account asks for the rest, and for nothing already in transit.
func TestUnmet(t *testing.T) {
	const arrives = calendar.Date(20_000)
	owed := func(late, coming money.Amount, on calendar.Date) *buyer.Owed {
		o := &credit.Order{}
		if coming > 0 {
			o.Servicing.Open = []credit.OpenDebit{{Amount: coming, On: on}}
		}
		row := schedule.RowView{Status: schedule.RowOverdue, Outstanding: late}
		return &buyer.Owed{Order: o, Loan: &schedule.Loan{}, View: schedule.View{Remaining: 1_000_00, Rows: []schedule.RowView{row}}, Coming: coming}
	}
	for _, x := range []struct {
		name   string
		orders []*buyer.Owed
		want   money.Amount
	}{
		{"nothing comes", []*buyer.Owed{owed(200_00, 0, arrives)}, 200_00},
		{"all of it comes", []*buyer.Owed{owed(200_00, 200_00, arrives)}, 0},
		{"it comes later", []*buyer.Owed{owed(200_00, 200_00, arrives+1)}, 200_00},
		{"a part of it comes", []*buyer.Owed{owed(200_00, 199_99, arrives-1)}, 1},
		{"more comes, for another order", []*buyer.Owed{owed(200_00, 0, arrives), owed(0, 500_00, arrives)}, 200_00},
	} {
		if got := unmet(&buyer.Book{Orders: x.orders}, arrives); got != x.want {
			t.Errorf("%s: %s is asked for, want %s", x.name, got, x.want)
		}
	}
}

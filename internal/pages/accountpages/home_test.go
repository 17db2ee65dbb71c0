package accountpages

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
)

// What is on its way to one order does not pay what is late of another: the account asks for
// that still. It does not ask for what is on its way in full.
func TestCovered(t *testing.T) {
	owed := func(late, coming money.Amount) *buyer.Owed {
		row := schedule.RowView{Status: schedule.RowOverdue, Outstanding: late}
		return &buyer.Owed{Order: &credit.Order{}, Loan: &schedule.Loan{}, View: schedule.View{Remaining: 1_000_00, Rows: []schedule.RowView{row}}, Coming: coming}
	}
	for _, x := range []struct {
		name   string
		orders []*buyer.Owed
		want   bool
	}{
		{"nothing comes", []*buyer.Owed{owed(200_00, 0)}, false},
		{"all of it comes", []*buyer.Owed{owed(200_00, 200_00)}, true},
		{"a part of it comes", []*buyer.Owed{owed(200_00, 199_99)}, false},
		{"more comes, for another order", []*buyer.Owed{owed(200_00, 0), owed(0, 500_00)}, false},
	} {
		if got := covered(&buyer.Book{Orders: x.orders}); got != x.want {
			t.Errorf("%s: covered is %v", x.name, got)
		}
	}
}

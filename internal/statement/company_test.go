package statement

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/store"
)

// book is a view of nothing but the worked example's journal.
type book struct {
	store.View
	entries []store.EntryRow
}

const alder = 4821073356

func (b book) EachEntryOf(f store.BookFilter, fn func(store.EntryRow) error) error {
	for _, e := range b.entries {
		if f.To != calendar.None && e.BookDate > f.To || f.From != calendar.None && e.BookDate < f.From {
			continue
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

func (book) CompanyAt(id int64, _ int64) (*credit.Company, error) {
	return &credit.Company{ID: id, Name: "Alder Kitchens", Limit: 25_000_00}, nil
}

func (book) Load(*credit.State, credit.Keys) error { return nil }

func (book) OrderAt(key string, _ int64) (*credit.Order, error) {
	return &credit.Order{Key: key, MerchantOrderID: "PO-7781", Captured: 1200_00}, nil
}

// workedExample reads the specification's journal. The other order's capture, which is
// of another company, is left out.
func workedExample(t *testing.T) book {
	t.Helper()
	text, err := os.ReadFile("testdata/derived_worked_example_ledger.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Vectors []struct {
			Journal []struct {
				N           int
				Date, Event string
				Lines       []struct {
					Account       string
					Debit, Credit *string
				}
			}
		}
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var b book
	for _, j := range v.Vectors[0].Journal {
		if j.N == 21 {
			continue
		}
		day, err := calendar.Parse(j.Date)
		if err != nil {
			t.Fatal(err)
		}
		event, _, _ := strings.Cut(j.Event, " ")
		e := store.EntryRow{Q: int64(j.N), Entry: ledger.Entry{ID: fmt.Sprint("ent_", j.N), BookDate: day, ValueDate: day, Event: strings.TrimRight(event, ":,")}}
		for _, l := range j.Lines {
			account, _ := strconv.Atoi(l.Account)
			p := ledger.Posting{Account: ledger.Account(account), Dimensions: ledger.Dimensions{Company: alder, Order: "ord_1"}}
			if l.Debit != nil {
				p.Amount = money.MustParse(*l.Debit)
			} else {
				p.Amount = -money.MustParse(*l.Credit)
			}
			e.Postings = append(e.Postings, p)
		}
		b.entries = append(b.entries, e)
	}
	return b
}

// April of the worked example (F38): opening 807.93 and the fee of 25.00, charge 6.72,
// payment 232.06, refund 300.00, closing 307.59.
func TestCompany(t *testing.T) {
	x, err := OfCompany(workedExample(t), alder, calendar.Of(2026, 4, 10), Moment{})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(x.From, x.To, x.Opening, x.Totals[Charge], x.Totals[Payment], x.Totals[Refund], x.Closing, x.YearCharge, x.YearFees)
	if want := "2026-04-01 2026-04-30 832.93 6.72 -232.06 -300.00 307.59 28.77 25.00"; got != want {
		t.Errorf("\n is: %s\nnow: %s", want, got)
	}
	if len(x.Orders) != 1 || x.Orders[0].Opening != x.Opening || x.Orders[0].Closing != x.Closing {
		t.Errorf("orders: %+v", x.Orders)
	}
	if p := x.Paper(Lender{Name: "Lender"}); len(p.Tables) != 5 || p.Tables[0].Total[1] != "$307.59" {
		t.Errorf("%+v", p.Tables)
	}
}

// Each month begins where the last one ended, and what lies between is its lines.
func TestMonthsFollow(t *testing.T) {
	b := workedExample(t)
	closing := money.Amount(0)
	for month := calendar.Of(2026, 1, 1); month < calendar.Of(2026, 9, 1); month = month.AddMonths(1) {
		x, err := OfCompany(b, alder, month, Moment{})
		if err != nil {
			t.Fatal(err)
		}
		sum, lines := x.Opening, x.Opening
		for _, k := range Kinds() {
			sum = sum.Add(x.Totals[k])
		}
		for _, l := range x.Lines {
			lines = lines.Add(l.Amount)
			if l.Kind == Adjustment {
				t.Errorf("%s: an entry of no kind: %+v", month, l)
			}
		}
		if x.Opening != closing || sum != x.Closing || lines != x.Closing {
			t.Errorf("%s: opening %s after %s, closing %s, of totals %s, of lines %s", month, x.Opening, closing, x.Closing, sum, lines)
		}
		closing = x.Closing
	}
	if closing != 0 {
		t.Errorf("%s is left of an order that is paid off", closing)
	}
}

package statement

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// book is a view of only the worked example's journal.
type book struct {
	store.View
	entries []store.EntryRow
}

const alder = 4821073356

func (b book) Entries(f store.EntryFilter, fn func(store.EntryRow) error) error {
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

func (book) At(n store.Noun, key store.Value, _ int64) (any, error) {
	if n == store.OrderNoun {
		row := store.OrderNoun.Row(&credit.Order{Key: key.Text, MerchantOrderID: "PO-7781", Captured: 1200_00}, 1)
		return &row, nil
	}
	row := store.CompanyNoun.Row(&credit.Company{ID: key.Int, Name: "Alder Kitchens", Limit: 25_000_00}, 1)
	return &row, nil
}

func (book) Load(*credit.State, credit.Keys) error { return nil }

// workedExample reads the specification's journal, without the other company's capture.
func workedExample(t *testing.T) book {
	t.Helper()
	text, err := os.ReadFile("../../app/demo/journal.json")
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

// Each month begins where the previous one ended, and its lines are the difference.
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

// moved is an entry of small.
type moved struct {
	event   string
	account ledger.Account
	amount  string
}

// small is a view of entries named by their event: each moves an amount on one account of
// the company.
func small(entries ...moved) book {
	var b book
	for i, x := range entries {
		day := calendar.Of(2026, 3, 1).AddMonths(i)
		b.entries = append(b.entries, store.EntryRow{Entry: ledger.Entry{ID: fmt.Sprint("ent_", i), BookDate: day, ValueDate: day, Event: x.event, Postings: []ledger.Posting{
			{Account: x.account, Amount: money.MustParse(x.amount), Dimensions: ledger.Dimensions{Company: alder, Order: "ord_1", Payment: "pay_1"}},
		}}})
	}
	return b
}

// Each entry that changes what a company owes has a kind that people understand: a flat fee
// is a finance charge, in the year's total too, and so is waived charge.
func TestKinds(t *testing.T) {
	for _, x := range []struct {
		event string
		kind  Kind
	}{
		{"ORDER_CAPTURED", Purchase}, {"FINANCE_CHARGE_ACCRUED", Charge}, {"FINANCE_CHARGE_ADJUSTED", Charge}, {"FLAT_FEE_BOOKED", Charge}, {"FLAT_FEE_REBATED", Charge},
		{"CHARGE_WAIVED", Charge}, {"LATE_FEE_ASSESSED", Fee}, {"NSF_FEE_ASSESSED", Fee}, {"FEE_WAIVED", Fee}, {"PAYMENT_APPLIED", Payment}, {"CREDIT_APPLIED", Payment},
		{"ORDER_REFUNDED", Refund}, {"PAYMENT_RETURNED", Reversal}, {"ACH_RETURNED", Reversal}, {"ACH_REVERSED", Reversal}, {"CARD_CHARGEBACK", Reversal}, {"CARD_DISPUTE_WON", Reversal},
		{"PAYMENT_REFUNDED", Reversal}, {"CREDIT_SENT", Reversal}, {"SOMETHING_NEW", Adjustment},
	} {
		s, err := OfCompany(small(moved{x.event, ledger.ChargeReceivable, "72.00"}), alder, calendar.Of(2026, 3, 1), Moment{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Totals[x.kind] != 72_00 || len(s.Totals) != 1 || s.Closing != 72_00 {
			t.Errorf("%s: %v", x.event, s.Totals)
		}
		if year := map[Kind]money.Amount{Charge: 72_00}[x.kind]; s.YearCharge != year {
			t.Errorf("%s: %s of charge this year", x.event, s.YearCharge)
		}
	}
}

// Movements of credit are listed line by line: credit at the end = at the beginning + the
// lines, and each month begins where the previous one ended (F38).
func TestCredits(t *testing.T) {
	events := []moved{
		{"PAYMENT_APPLIED", ledger.BorrowerCredit, "-300.00"}, {"ORDER_REFUNDED", ledger.BorrowerCredit, "-50.00"}, {"FLAT_FEE_REBATED", ledger.BorrowerCredit, "-7.50"},
		{"CREDIT_APPLIED", ledger.BorrowerCredit, "207.06"}, {"CREDIT_SENT", ledger.BorrowerCredit, "50.00"}, {"PAYMENT_REFUNDED", ledger.BorrowerCredit, "10.00"},
		{"ACH_RETURNED", ledger.BorrowerCredit, "90.44"}, {"MOVED", ledger.BorrowerCredit, "-1.00"}, {"PAYMENT_RECEIVED", ledger.PaymentsPending, "-5.00"},
	}
	kinds := []CreditKind{Overpaid, FromRefund, FromRebate, Applied, SentBack, SentBack, CreditReversed, CreditAdjusted}
	before := money.Amount(0)
	for i := range events {
		x, err := OfCompany(small(events...), alder, calendar.Of(2026, 3, 1).AddMonths(i), Moment{})
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(kinds) {
			if len(x.Credits) != 0 || x.Unapplied != 1_00 {
				t.Errorf("no credit moved: %+v", x.Credits)
			}
			continue
		}
		if len(x.Credits) != 1 || x.Credits[0].Kind != kinds[i] || x.Credits[0].Payment != "pay_1" || x.UnappliedOpening != before ||
			x.Credits[0].Balance != x.Unapplied || before.Add(x.Credits[0].Amount) != x.Unapplied || x.Credits[0].Amount != -money.MustParse(events[i].amount) {
			t.Errorf("%s: from %s to %s by %+v", events[i].event, before, x.Unapplied, x.Credits)
		}
		if x.Closing != 0 || len(x.Lines) != 0 {
			t.Errorf("%s: credit is counted as owed: %+v", events[i].event, x.Lines)
		}
		text := onPage(t, x.Paper(Lender{}))
		if !strings.Contains(text, "Opening credit "+Dollars(before)) || !strings.Contains(text, kinds[i].words()+" "+Dollars(x.Credits[0].Amount)+" Closing credit "+Dollars(x.Unapplied)) {
			t.Errorf("%s: the paper says\n%s", events[i].event, text)
		}
		before = x.Unapplied
	}
	if x, err := OfCompany(workedExample(t), alder, calendar.Of(2026, 4, 1), Moment{}); err != nil || strings.Contains(onPage(t, x.Paper(Lender{})), "Opening credit") {
		t.Errorf("without credit the paper speaks of it, %v", err)
	}
}

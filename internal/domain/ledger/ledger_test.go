package ledger

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

var day = calendar.MustParse("2026-01-15")

// capture is a valid entry that each case below breaks in one way.
func capture() Entry {
	order := Dimensions{Company: 7, Merchant: "mer_1", Order: "ord_1"}
	return Entry{
		ID: "ent_1", BookDate: day, ValueDate: day, Event: "ORDER_CAPTURED", Cause: "ord_1", Currency: money.USD,
		Postings: []Posting{
			{Account: ReservedContra, Amount: 120_000, Dimensions: order},
			{Account: Reserved, Amount: -120_000, Dimensions: order},
			{Account: LoanPrincipal, Amount: 120_000, Dimensions: order},
			{Account: MerchantPayable, Amount: -116_400, Dimensions: order},
			{Account: MerchantDiscount, Amount: -3_600, Dimensions: order},
		},
	}
}

func TestCheck(t *testing.T) {
	if err := capture().Check(); err != nil {
		t.Fatal(err)
	}
	breaks := map[string]func(*Entry){
		"no posting":                  func(e *Entry) { e.Postings = nil },
		"one posting":                 func(e *Entry) { e.Postings = e.Postings[:1] },
		"a cent more":                 func(e *Entry) { e.Postings[2].Amount++ },
		"a cent less in memo":         func(e *Entry) { e.Postings[0].Amount-- },
		"a zero line":                 func(e *Entry) { e.Postings = append(e.Postings, Posting{Account: Cash}) },
		"an unknown account":          func(e *Entry) { e.Postings[2].Account = 1101 },
		"an unknown memo account":     func(e *Entry) { e.Postings[0].Account, e.Postings[1].Account = 9990, 9991 },
		"no currency":                 func(e *Entry) { e.Currency = "" },
		"value date after book date":  func(e *Entry) { e.ValueDate++ },
		"no value date":               func(e *Entry) { e.ValueDate = calendar.None },
		"no book date":                func(e *Entry) { e.BookDate, e.ValueDate = calendar.None, calendar.None },
		"memo against the books":      func(e *Entry) { e.Postings[0].Account = Cash },
		"one memo pair against other": func(e *Entry) { e.Postings[0].Account = ChargedOffContra },
	}
	for name, spoil := range breaks {
		e := capture()
		spoil(&e)
		if e.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// drawEntry draws a balanced entry with any number of lines.
func drawEntry(t *rapid.T, id string) Entry {
	e := Entry{ID: id, BookDate: day, ValueDate: day.AddDays(-rapid.IntRange(0, 40).Draw(t, "days back")), Event: "TEST", Currency: money.USD}
	books := rapid.SampledFrom(slices.DeleteFunc(Chart(), Account.Memo))
	post := func(a Account, amount money.Amount) {
		d := Dimensions{Company: rapid.Int64Range(0, 3).Draw(t, "company"), Order: rapid.SampledFrom([]string{"", "ord_1", "ord_2"}).Draw(t, "order")}
		e.Postings = append(e.Postings, Posting{a, amount, d})
	}
	rest := money.Amount(0)
	for range rapid.IntRange(1, 6).Draw(t, "lines") {
		amount := money.Amount(rapid.Int64Range(1, int64(money.Max)).Draw(t, "amount"))
		if rapid.Bool().Draw(t, "credit") {
			amount = -amount
		}
		post(books.Draw(t, "account"), amount)
		rest -= amount
	}
	if rest != 0 {
		post(books.Draw(t, "account"), rest)
	}
	if pair := rapid.SampledFrom([]Account{0, Reserved, NonaccrualCharge, ChargedOff, UnfundedExternal}).Draw(t, "memo"); pair != 0 {
		amount := money.Amount(rapid.Int64Range(1, int64(money.Max)).Draw(t, "memo amount"))
		post(pair, amount)
		post(pair+1, -amount)
	}
	return e
}

// LG1, LG2: a balanced entry passes; with one cent off anywhere it fails.
func TestBalancedEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEntry(t, "ent_1")
		if len(e.Postings) < 2 {
			t.Skip("too short")
		}
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		lines := TrialBalance([]Entry{e})
		if err := CheckTrialBalance(lines); err != nil {
			t.Error(err)
		}
		e.Postings[rapid.IntRange(0, len(e.Postings)-1).Draw(t, "line")].Amount++
		if e.Check() == nil {
			t.Error("a cent more passes")
		}
		if CheckTrialBalance(TrialBalance([]Entry{e})) == nil {
			t.Error("a cent more passes the trial balance")
		}
	})
}

// LG4: an entry and its reversal leave every balance at zero, and the entry unchanged.
func TestReversal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEntry(t, "ent_1")
		before := slices.Clone(e.Postings)
		r := e.Reversal("ent_2", day+3)
		if !slices.Equal(before, e.Postings) {
			t.Fatal("the reversal changed the entry")
		}
		if r.ID != "ent_2" || r.Reverses != e.ID || r.BookDate != day+3 || r.ValueDate != e.ValueDate || r.Currency != e.Currency {
			t.Errorf("%+v", r)
		}
		b := Balances{}
		for _, x := range []Entry{e, r} {
			b.Post(x, func(p Posting) Dimensions { return p.Dimensions })
		}
		for k, amount := range b {
			if amount != 0 {
				t.Errorf("%s is left on %s", amount, k)
			}
		}
		if err := CheckReversals([]Entry{e, r}); err != nil {
			t.Error(err)
		}
	})
}

func TestCheckReversals(t *testing.T) {
	e := capture()
	r := e.Reversal("ent_2", day)
	spoiled := func(spoil func(*Entry)) Entry {
		x := e.Reversal("ent_2", day+1)
		spoil(&x)
		return x
	}
	again := e.Reversal("ent_3", day)
	ofReversal := r
	ofReversal.ID, ofReversal.Reverses = "ent_3", "ent_2"
	self := e
	self.Reverses = e.ID
	tests := map[string][]Entry{
		"of nothing":          {r},
		"before its original": {r, e},
		"of itself":           {self},
		"twice":               {e, r, again},
		"of a reversal":       {e, r, ofReversal},
		"one id twice":        {e, e},
		"another amount":      {e, spoiled(func(x *Entry) { x.Postings[2].Amount-- })},
		"another account":     {e, spoiled(func(x *Entry) { x.Postings[2].Account = Cash })},
		"another order":       {e, spoiled(func(x *Entry) { x.Postings[2].Order = "ord_2" })},
		"a line less":         {e, spoiled(func(x *Entry) { x.Postings = x.Postings[2:] })},
		"another value date":  {e, spoiled(func(x *Entry) { x.ValueDate++ })},
		"booked before":       {e, spoiled(func(x *Entry) { x.BookDate = day - 1 })},
		"another currency":    {e, spoiled(func(x *Entry) { x.Currency = "EUR" })},
	}
	for name, entries := range tests {
		if CheckReversals(entries) == nil {
			t.Errorf("%s passes", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a reversal was reversed")
		}
	}()
	r.Reversal("ent_3", day)
}

func TestReversalNeverWraps(t *testing.T) {
	e := Entry{Postings: []Posting{{Account: Cash, Amount: math.MinInt64}}}
	defer func() {
		if recover() == nil {
			t.Error("the smallest amount was negated")
		}
	}()
	e.Reversal("ent_2", day)
}

// Every account of the chart has a unique name, in order of number, and memo accounts come in
// pairs.
func TestChart(t *testing.T) {
	names := map[string]Account{}
	var before Account
	memo := 0
	for _, a := range Chart() {
		if other, taken := names[a.Name()]; a.Name() == "" || taken {
			t.Errorf("%d and %d are both named %q", other, a, a.Name())
		}
		names[a.Name()] = a
		if a <= before {
			t.Errorf("%d comes after %d", a, before)
		}
		before = a
		if a.Memo() {
			memo++
			if g := a.group(); g < 1 || g > memoPairs || g != (a^1).group() || (a^1).Name() == "" {
				t.Errorf("%d is in group %d, its pair in %d", a, g, (a ^ 1).group())
			}
		}
	}
	if len(names) != 34 || memo != 2*memoPairs {
		t.Errorf("%d accounts, %d of them memo; F39 has 34 and 8", len(names), memo)
	}
	for _, a := range []Account{0, -1, 999, 1001, 9002, 9032, 10000} {
		if a.Name() != "" {
			t.Errorf("%d is named %q", a, a.Name())
		}
	}
}

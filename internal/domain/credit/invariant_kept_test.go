package credit

import (
	"errors"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// keptState is a state with one record of each kind that hangs on another.
func keptState(at time.Time) *State {
	s := NewState()
	s.Companies[7], s.Companies[8] = &Company{ID: 7}, &Company{ID: 8}
	s.Methods["pm1"] = &PaymentMethod{ID: "pm1", Company: 7, Type: ACH, Bank: &BankAccount{}, Version: 2}
	s.Methods["pm2"] = &PaymentMethod{ID: "pm2", Company: 8, Type: Card, Card: &CardAccount{}, Version: 2}
	s.Payouts["po1"] = &Payout{ID: "po1", Merchant: "m", Date: 20_454, Status: PayoutSettled, Gross: 9, Discount: 4, Net: 5, Version: 2}
	s.Lines["l1"] = &PayoutLine{ID: "l1", Merchant: "m", Kind: LineRepaid, Company: 7, Source: "s", Amount: 5, Due: 20_454, Version: 2}
	s.Transfers["t1"] = &Transfer{ID: "t1", Rail: ACH, Kind: TransferRefund, Company: 7, Method: "pm1", Amount: 5, Status: TransferSettled, SentAt: at, Version: 2}
	s.Notices["n1"] = &Notice{ID: "n1", Company: 7, ActionAt: at, SentAt: at, Lender: &NoticeLender{}, Reasons: []string{"r"}, Version: 2}
	s.Screenings["x1"] = &Screening{ID: "x1", Company: 7, Status: ScreeningCleared, OpenedAt: at, DecidedAt: at, Version: 2}
	s.Periods[20_423] = &Period{Month: 20_423, ClosedAt: at}
	return s
}

// changed is a copy of a record with something else in it.
func changed[T any](x *T, set func(*T)) *T {
	y := *x
	set(&y)
	return &y
}

// Each change of what a record is about, or of what it hangs on, is found and named as the
// invariant that it breaks.
func TestCheckKeepsWhatRecordsAreAbout(t *testing.T) {
	at := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	s := keptState(at)
	method := func(set func(*PaymentMethod)) Changes {
		return Changes{Methods: []*PaymentMethod{changed(s.Methods["pm1"], set)}}
	}
	transfer := func(set func(*Transfer)) Changes {
		return Changes{Transfers: []*Transfer{changed(s.Transfers["t1"], set)}}
	}
	payout := func(set func(*Payout)) Changes { return Changes{Payouts: []*Payout{changed(s.Payouts["po1"], set)}} }
	line := func(set func(*PayoutLine)) Changes { return Changes{Lines: []*PayoutLine{changed(s.Lines["l1"], set)}} }
	notice := func(set func(*Notice)) Changes { return Changes{Notices: []*Notice{changed(s.Notices["n1"], set)}} }
	screening := func(set func(*Screening)) Changes {
		return Changes{Screenings: []*Screening{changed(s.Screenings["x1"], set)}}
	}
	month := func(p Period, entries ...ledger.Entry) Changes {
		return Changes{Periods: []*Period{&p}, Entries: entries}
	}
	booked := ledger.Entry{ID: "e", BookDate: 20_400, ValueDate: 20_400, Currency: money.USD, Cause: "c", Event: "x",
		Postings: []ledger.Posting{{Account: ledger.Cash, Amount: 5}, {Account: ledger.Cash, Amount: -5}}}
	for name, x := range map[string]struct {
		invariant string
		c         Changes
	}{
		"a bank account with a card":            {"AU1", method(func(x *PaymentMethod) { x.Card = &CardAccount{} })},
		"a bank account that is a card":         {"AU1", method(func(x *PaymentMethod) { x.ID, x.Type = "pm9", Card })},
		"a method of no account":                {"AU1", method(func(x *PaymentMethod) { x.Bank = nil })},
		"a method that is disabled for nothing": {"AU1", method(func(x *PaymentMethod) { x.Status = MethodDisabled })},
		"an active method with a reason":        {"AU1", method(func(x *PaymentMethod) { x.DisabledReason = "R02" })},
		"a method of no company":                {"AU1", method(func(x *PaymentMethod) { x.ID, x.Company = "pm9", 9 })},
		"a method of another company":           {"AU1", method(func(x *PaymentMethod) { x.Company = 8 })},
		"an older version of a method":          {"AU1", method(func(x *PaymentMethod) { x.Version = 1 })},
		"a transfer by another's method":        {"AU1", transfer(func(x *Transfer) { x.ID, x.Status, x.Method = "t9", TransferQueued, "pm2" })},
		"a transfer by another method":          {"AU1", transfer(func(x *Transfer) { x.Method = "" })},
		"a transfer of another refund":          {"AU1", transfer(func(x *Transfer) { x.Refund = "r" })},
		"a transfer of nobody":                  {"AU1", transfer(func(x *Transfer) { x.ID, x.Status, x.Company, x.Method = "t9", TransferQueued, 0, "" })},
		"a company's clawback":                  {"AU1", transfer(func(x *Transfer) { x.ID, x.Status, x.Kind = "t9", TransferQueued, TransferClawback })},
		"a transfer of another's payout": {"AU1", transfer(func(x *Transfer) {
			x.ID, x.Status, x.Kind, x.Company, x.Method, x.Merchant, x.Payout = "t9", TransferQueued, TransferPayout, 0, "", "other", "po1"
		})},
		"a transfer that was sent at no time":       {"PA1", transfer(func(x *Transfer) { x.SentAt = time.Time{} })},
		"a payout of other parts":                   {"PO2", payout(func(x *Payout) { x.Gross, x.Net = 10, 6 })},
		"a payout of a negative part":               {"PO2", payout(func(x *Payout) { x.Refunds, x.Net = -1, 6 })},
		"a payout of another day":                   {"PO2", payout(func(x *Payout) { x.Date++ })},
		"a line that is due on another day":         {"PO2", line(func(x *PayoutLine) { x.Due++ })},
		"a line that is due on no day":              {"PO2", line(func(x *PayoutLine) { x.Due = calendar.None })},
		"a notice of another kind":                  {"F28", notice(func(x *Notice) { x.Kind = NoticeClosure })},
		"a notice of another action":                {"F28", notice(func(x *Notice) { x.ActionAt = at.Add(time.Second) })},
		"a notice that was not sent":                {"F28", notice(func(x *Notice) { x.SentAt, x.Lender = time.Time{}, nil })},
		"a notice that says something, unsent":      {"F28", notice(func(x *Notice) { x.ID, x.SentAt = "n9", time.Time{} })},
		"a notice with other reasons":               {"F28", notice(func(x *Notice) { x.Reasons = nil })},
		"a notice with other words":                 {"F28", notice(func(x *Notice) { x.Lender = &NoticeLender{Regulator: Party{Name: "x"}} })},
		"a notice that is erased and says why":      {"F28", notice(func(x *Notice) { x.ErasedAt, x.Lender = at, nil })},
		"a notice that answers nobody":              {"F28", notice(func(x *Notice) { x.ID, x.Kind = "n9", NoticeFurtherReasons })},
		"a screening of another company":            {"F29", screening(func(x *Screening) { x.Company = 8 })},
		"a screening of nobody":                     {"F29", screening(func(x *Screening) { x.Company = 0 })},
		"a decision without a day":                  {"F29", screening(func(x *Screening) { x.DecidedAt = time.Time{} })},
		"a screening that is open again":            {"F29", screening(func(x *Screening) { x.Status, x.DecidedAt = ScreeningOpen, time.Time{} })},
		"a month closed twice":                      {"LG7", month(Period{Month: 20_423, ClosedAt: at})},
		"a month that begins on its second day":     {"LG7", month(Period{Month: 20_394})},
		"a month of less than nothing":              {"LG7", month(Period{Month: 20_393, Debits: -1})},
		"an entry in the month that closes with it": {"LG7", month(Period{Month: 20_393}, booked)},
	} {
		t.Run(name, func(t *testing.T) {
			var v *Violation
			if err := x.c.Check(s); !errors.As(err, &v) || v.Invariant != x.invariant {
				t.Errorf("%v, want a violation of %s", err, x.invariant)
			}
		})
	}
	for name, c := range map[string]Changes{
		"a method": method(func(*PaymentMethod) {}), "a transfer": transfer(func(*Transfer) {}), "a payout": payout(func(*Payout) {}),
		"a notice": notice(func(*Notice) {}), "a notice that is erased": notice(func(x *Notice) { x.ErasedAt, x.Reasons, x.Lender = at, nil, nil }),
		"a screening": screening(func(*Screening) {}), "a month": month(Period{Month: 20_393}),
	} {
		if err := c.Check(s); err != nil {
			t.Errorf("%s that is as it was: %v", name, err)
		}
	}
}

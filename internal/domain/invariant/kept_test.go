package invariant

import (
	"errors"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// keptState is a state with one record of each kind that refers to another.
func keptState(at time.Time) *credit.State {
	s := credit.NewState()
	s.Companies[7], s.Companies[8] = &credit.Company{ID: 7}, &credit.Company{ID: 8}
	s.Methods["pm1"] = &credit.PaymentMethod{ID: "pm1", Company: 7, Type: credit.ACH, Bank: &credit.BankAccount{}, Version: 2}
	s.Methods["pm2"] = &credit.PaymentMethod{ID: "pm2", Company: 8, Type: credit.Card, Card: &credit.CardAccount{}, Version: 2}
	s.Payouts["po1"] = &credit.Payout{ID: "po1", Merchant: "m", Date: 20_454, Status: credit.PayoutSettled, Gross: 9, Discount: 4, Net: 5, Version: 2}
	s.Lines["l1"] = &credit.PayoutLine{ID: "l1", Merchant: "m", Kind: credit.LineRepaid, Company: 7, Source: "s", Amount: 5, Due: 20_454, Version: 2}
	s.Transfers["t1"] = &credit.Transfer{ID: "t1", Rail: credit.ACH, Kind: credit.TransferRefund, Company: 7, Method: "pm1", Amount: 5, Status: credit.TransferSettled, SentAt: at, Version: 2}
	s.Notices["n1"] = &credit.Notice{ID: "n1", Company: 7, ActionAt: at, SentAt: at, Lender: &credit.NoticeLender{}, Reasons: []string{"r"}, Version: 2}
	s.Screenings["x1"] = &credit.Screening{ID: "x1", Company: 7, Status: credit.ScreeningCleared, OpenedAt: at, DecidedAt: at, Version: 2}
	s.Periods[20_423] = &credit.Period{Month: 20_423, ClosedAt: at}
	return s
}

// changed is a modified copy of a record.
func changed[T any](x *T, set func(*T)) *T {
	y := *x
	set(&y)
	return &y
}

// Each change of a record's subject, or of what it refers to, is detected, naming the
// invariant that it breaks.
func TestCheckKeepsWhatRecordsAreAbout(t *testing.T) {
	at := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	s := keptState(at)
	method := func(set func(*credit.PaymentMethod)) credit.Changes {
		return credit.Changes{Methods: []*credit.PaymentMethod{changed(s.Methods["pm1"], set)}}
	}
	transfer := func(set func(*credit.Transfer)) credit.Changes {
		return credit.Changes{Transfers: []*credit.Transfer{changed(s.Transfers["t1"], set)}}
	}
	payout := func(set func(*credit.Payout)) credit.Changes {
		return credit.Changes{Payouts: []*credit.Payout{changed(s.Payouts["po1"], set)}}
	}
	line := func(set func(*credit.PayoutLine)) credit.Changes {
		return credit.Changes{Lines: []*credit.PayoutLine{changed(s.Lines["l1"], set)}}
	}
	notice := func(set func(*credit.Notice)) credit.Changes {
		return credit.Changes{Notices: []*credit.Notice{changed(s.Notices["n1"], set)}}
	}
	screening := func(set func(*credit.Screening)) credit.Changes {
		return credit.Changes{Screenings: []*credit.Screening{changed(s.Screenings["x1"], set)}}
	}
	month := func(p credit.Period, entries ...ledger.Entry) credit.Changes {
		return credit.Changes{Periods: []*credit.Period{&p}, Entries: entries}
	}
	booked := ledger.Entry{ID: "e", BookDate: 20_400, ValueDate: 20_400, Currency: money.USD, Cause: "c", Event: "x",
		Postings: []ledger.Posting{{Account: ledger.Cash, Amount: 5}, {Account: ledger.Cash, Amount: -5}}}
	for name, x := range map[string]struct {
		invariant string
		c         credit.Changes
	}{
		"a bank account with a card":            {"AU1", method(func(x *credit.PaymentMethod) { x.Card = &credit.CardAccount{} })},
		"a bank account that is a card":         {"AU1", method(func(x *credit.PaymentMethod) { x.ID, x.Type = "pm9", credit.Card })},
		"a method of no account":                {"AU1", method(func(x *credit.PaymentMethod) { x.Bank = nil })},
		"a method that is disabled for nothing": {"AU1", method(func(x *credit.PaymentMethod) { x.Status = credit.MethodDisabled })},
		"an active method with a reason":        {"AU1", method(func(x *credit.PaymentMethod) { x.DisabledReason = "R02" })},
		"an active method without proof":        {"AU1", method(func(x *credit.PaymentMethod) { x.Status = credit.MethodActive })},
		"a method of no company":                {"AU1", method(func(x *credit.PaymentMethod) { x.ID, x.Company = "pm9", 9 })},
		"a method of another company":           {"AU1", method(func(x *credit.PaymentMethod) { x.Company = 8 })},
		"an older version of a method":          {"AU1", method(func(x *credit.PaymentMethod) { x.Version = 1 })},
		"a transfer by another's method":        {"AU1", transfer(func(x *credit.Transfer) { x.ID, x.Status, x.Method = "t9", credit.TransferQueued, "pm2" })},
		"a transfer by another method":          {"AU1", transfer(func(x *credit.Transfer) { x.Method = "" })},
		"a transfer of another refund":          {"AU1", transfer(func(x *credit.Transfer) { x.Refund = "r" })},
		"a transfer of nobody":                  {"AU1", transfer(func(x *credit.Transfer) { x.ID, x.Status, x.Company, x.Method = "t9", credit.TransferQueued, 0, "" })},
		"a company's clawback": {"AU1", transfer(func(x *credit.Transfer) {
			x.ID, x.Status, x.Kind = "t9", credit.TransferQueued, credit.TransferClawback
		})},
		"a transfer of another's payout": {"AU1", transfer(func(x *credit.Transfer) {
			x.ID, x.Status, x.Kind, x.Company, x.Method, x.Merchant, x.Payout = "t9", credit.TransferQueued, credit.TransferPayout, 0, "", "other", "po1"
		})},
		"a transfer that was sent at no time":       {"PA1", transfer(func(x *credit.Transfer) { x.SentAt = time.Time{} })},
		"a payout of other parts":                   {"PO2", payout(func(x *credit.Payout) { x.Gross, x.Net = 10, 6 })},
		"a payout of a negative part":               {"PO2", payout(func(x *credit.Payout) { x.Refunds, x.Net = -1, 6 })},
		"a payout of another day":                   {"PO2", payout(func(x *credit.Payout) { x.Date++ })},
		"a line that is due on another day":         {"PO2", line(func(x *credit.PayoutLine) { x.Due++ })},
		"a line that is due on no day":              {"PO2", line(func(x *credit.PayoutLine) { x.Due = calendar.None })},
		"a notice of another kind":                  {"F28", notice(func(x *credit.Notice) { x.Kind = credit.NoticeClosure })},
		"a notice of another action":                {"F28", notice(func(x *credit.Notice) { x.ActionAt = at.Add(time.Second) })},
		"a notice that was not sent":                {"F28", notice(func(x *credit.Notice) { x.SentAt, x.Lender = time.Time{}, nil })},
		"a notice that says something, unsent":      {"F28", notice(func(x *credit.Notice) { x.ID, x.SentAt = "n9", time.Time{} })},
		"a notice with other reasons":               {"F28", notice(func(x *credit.Notice) { x.Reasons = nil })},
		"a notice with other words":                 {"F28", notice(func(x *credit.Notice) { x.Lender = &credit.NoticeLender{Regulator: credit.Party{Name: "x"}} })},
		"a notice that is erased and says why":      {"F28", notice(func(x *credit.Notice) { x.ErasedAt, x.Lender = at, nil })},
		"a notice that answers nobody":              {"F28", notice(func(x *credit.Notice) { x.ID, x.Kind = "n9", credit.NoticeFurtherReasons })},
		"a screening of another company":            {"F29", screening(func(x *credit.Screening) { x.Company = 8 })},
		"a screening of nobody":                     {"F29", screening(func(x *credit.Screening) { x.Company = 0 })},
		"a decision without a day":                  {"F29", screening(func(x *credit.Screening) { x.DecidedAt = time.Time{} })},
		"a screening that is open again":            {"F29", screening(func(x *credit.Screening) { x.Status, x.DecidedAt = credit.ScreeningOpen, time.Time{} })},
		"a month closed twice":                      {"LG7", month(credit.Period{Month: 20_423, ClosedAt: at})},
		"a month that begins on its second day":     {"LG7", month(credit.Period{Month: 20_394})},
		"a month of less than nothing":              {"LG7", month(credit.Period{Month: 20_393, Debits: -1})},
		"an entry in the month that closes with it": {"LG7", month(credit.Period{Month: 20_393}, booked)},
	} {
		t.Run(name, func(t *testing.T) {
			var v *Violation
			if err := Check(x.c, s); !errors.As(err, &v) || v.Invariant != x.invariant {
				t.Errorf("%v, want a violation of %s", err, x.invariant)
			}
		})
	}
	for name, c := range map[string]credit.Changes{
		"a method": method(func(*credit.PaymentMethod) {}), "a transfer": transfer(func(*credit.Transfer) {}), "a payout": payout(func(*credit.Payout) {}),
		"a notice": notice(func(*credit.Notice) {}), "a notice that is erased": notice(func(x *credit.Notice) { x.ErasedAt, x.Reasons, x.Lender = at, nil, nil }),
		"a screening": screening(func(*credit.Screening) {}), "a month": month(credit.Period{Month: 20_393}),
	} {
		if err := Check(c, s); err != nil {
			t.Errorf("%s that is as it was: %v", name, err)
		}
	}
}

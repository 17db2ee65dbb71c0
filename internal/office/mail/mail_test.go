package mail

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/office/statement"
)

// A paper as text has its tables in columns, figures right-aligned.
func TestText(t *testing.T) {
	got := text(statement.Paper{
		Title: "Invoice 7", Subtitle: "Elm Street Dental", Facts: []statement.Fact{{Name: "Due", Value: "Feb 15, 2026"}, {Name: "Lender", Value: "Tenor"}, {Name: "Transfer"}},
		Tables: []statement.Table{{
			Caption: "Lines", Columns: []statement.Column{{Name: "What"}, {Name: "Amount", Figure: true}},
			Rows: [][]string{{"Käse", "$1,200.00"}, {"Paid", "-$7.00"}}, Total: []string{"Balance", "$1,193.00"},
		}},
		Notes: []string{"Thank you."},
	})
	want := `Invoice 7
Elm Street Dental

Due       Feb 15, 2026
Lender    Tenor
Transfer

Lines
What        Amount
Käse     $1,200.00
Paid        -$7.00
Balance  $1,193.00

Thank you.
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A long paragraph is broken between its words, and keeps its text.
func TestTextIsWrapped(t *testing.T) {
	long := "It " + strings.Repeat("goes on ", 40) + strings.Repeat("x", 100) + " ünd ends."
	got := text(statement.Paper{Title: "T", Notes: []string{long}})
	_, body, _ := strings.Cut(got, "T\n\n\n")
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		if utf8.RuneCountInString(line) > 78 && line != strings.Repeat("x", 100) {
			t.Errorf("a line of %d: %s", len(line), line)
		}
	}
	if strings.Join(strings.Fields(body), " ") != long {
		t.Errorf("it says something else:\n%s", got)
	}
}

// lending is a view of a company and of the lender's settings.
type lending struct {
	store.View
	company *credit.Company
	by      credit.LenderSettings
}

func (lending) List(_ store.Query, fn func(row any) error) error {
	return fn(&store.BatchRow{LastQ: 7})
}

func (v lending) At(store.Noun, store.Value, int64) (any, error) {
	row := store.CompanyNoun.Row(v.company, 1)
	return &row, nil
}

func (v lending) Load(s *credit.State, k credit.Keys) error {
	s.Companies[v.company.ID] = v.company
	for _, id := range k.Lenders {
		s.Lenders[id] = &credit.Lender{ID: id, Settings: v.by}
	}
	return nil
}

// A notice's message is the notice, as text and as a page; before the lender has set its
// name and regulator, it says what is missing, and contains no notice.
func TestNotices(t *testing.T) {
	day := calendar.MustParse("2026-02-04")
	location, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	zone := calendar.NewZone(location)
	v := lending{company: &credit.Company{ID: 1000000001, Name: "<Elm & Sons>", Email: "elm@example.test"}, by: credit.LenderSettings{
		Creditor: credit.Party{Name: "First Lender", Address: "1 Market Street"}, Regulator: credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"},
	}}
	n := &credit.Notice{ID: "ntc_1", Kind: credit.NoticeSuspension, Company: v.company.ID, ActionAt: zone.Start(day), ClockStart: day, DueOn: day.AddDays(30), Reasons: []string{"time_in_business"}}
	e := Envelope{ID: idOf(Notice, n.ID), Kind: Notice, Date: zone.Start(day + 1), company: n.Company, notice: n}
	m, err := Office{View: v, Zone: zone}.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	if m.Subject != "Notice: your credit line was suspended" || m.To != "elm@example.test" || m.Name != "<Elm & Sons>" {
		t.Errorf("%+v", m.Envelope)
	}
	said := strings.Join(strings.Fields(m.Text), " ")
	for _, want := range []string{"<Elm & Sons>", "1000000001", "First Lender", "Feb 4, 2026", "Feb 5, 2026", "Length of time in business", "Equal Credit Opportunity Act", "Federal Trade Commission"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, m.Text)
		}
	}
	if strings.Contains(m.HTML, "<Elm") || !strings.Contains(m.HTML, "&lt;Elm &amp; Sons&gt;") {
		t.Error("the name is HTML")
	}
	v.by.Regulator = credit.Party{}
	if m, err = (Office{View: v, Zone: zone}).Open(e); err != nil {
		t.Fatal(err)
	}
	if m.Subject != "Not sent: a notice that is due by Mar 6, 2026" || !strings.Contains(m.Text, "regulator.name, regulator.address") || strings.Contains(m.Text, "Equal Credit") {
		t.Errorf("%s\n%s", m.Subject, m.Text)
	}
}

// reversing is a view of a company's returned payments.
type reversing struct {
	lending
	payments []*credit.Payment
}

func (v reversing) List(q store.Query, fn func(row any) error) error {
	if !slices.ContainsFunc(q.Where, func(c store.Cond) bool { return c.Column == "status" && c.Value.Text == string(credit.PaymentReturned) }) {
		return nil
	}
	for _, p := range v.payments {
		row := store.PaymentNoun.Row(p, 1)
		if err := fn(&row); err != nil {
			return err
		}
	}
	return nil
}

func (v reversing) Load(s *credit.State, k credit.Keys) error {
	for _, id := range k.Methods {
		s.Methods[id] = &credit.PaymentMethod{ID: id, Type: credit.ACH, Bank: &credit.BankAccount{Last4: "6789"}}
	}
	return v.lending.Load(s, k)
}

// A reversed debit sends a message to the company, with what was wrong; one returned by its
// bank does not.
func TestReversals(t *testing.T) {
	location, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	zone, day := calendar.NewZone(location), calendar.MustParse("2026-02-18")
	paid := func(id string, refunds ...credit.PaymentRefund) *credit.Payment {
		return &credit.Payment{ID: id, Company: 1000000001, MethodID: "pm_1", Status: credit.PaymentReturned, ScheduledDate: day - 1, Refunds: refunds}
	}
	v := reversing{lending{company: &credit.Company{ID: 1000000001, Name: "Elm & Sons", Email: "elm@example.test"}}, []*credit.Payment{
		paid("pay_1"), paid("pay_2", credit.PaymentRefund{ID: "rfd_2", Amount: 207_06, Reversal: payments.ReversalWrongAmount, CreatedAt: zone.Start(day)}),
	}}
	o := Office{View: v, Zone: zone, Lender: statement.Lender{Name: "First Lender"}}
	var all []Envelope
	if err := o.reversals(&all); err != nil || len(all) != 1 || all[0].Object.ID != "pay_2" || !all[0].Date.Equal(zone.Start(day)) {
		t.Fatalf("%v %+v", err, all)
	}
	m, err := o.Open(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != Reversal || m.To != "elm@example.test" || m.Subject != "We reversed a debit of your account" {
		t.Errorf("%+v", m)
	}
	for _, want := range []string{"pay_2", "$207.06", "ending in 6789", "Feb 17, 2026", "Feb 18, 2026", "Its amount was wrong.", "First Lender", "REVERSAL", "we get in touch"} {
		if !strings.Contains(strings.Join(strings.Fields(m.Text), " "), want) {
			t.Errorf("no %q in\n%s", want, m.Text)
		}
	}
}

// told is a view of a merchant.
type told struct {
	store.View
	merchant *credit.Merchant
}

func (v told) Stored(s store.Schema, fn func([]store.Value) error) error {
	if s.Name != store.Merchants.Name {
		return nil
	}
	row := store.MerchantNoun.Row(v.merchant, 1)
	return fn(store.Merchants.Encode(&row, nil))
}

func (v told) Load(s *credit.State, _ credit.Keys) error {
	s.Merchants[v.merchant.ID] = v.merchant
	return nil
}

// A request for another account, or contact, of a merchant sends a message to the contact
// before the request, each time; and to no other merchant.
func TestAccountChange(t *testing.T) {
	location, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	zone, day := calendar.NewZone(location), calendar.MustParse("2026-03-02")
	m := &credit.Merchant{ID: "mch_1", Name: "Harbor Supply"}
	m.Account.Contact = "thief@mail.example"
	m.Account.Told = []credit.AccountNotice{
		{At: zone.Start(day), To: "pay@harbor.example", Was: "1111", Becomes: "2222", Contact: "pay@harbor.example", From: day + 2},
		{At: zone.Start(day + 1), To: "pay@harbor.example", Was: "1111", Becomes: "1111", Contact: "thief@mail.example", From: day + 3},
	}
	o := Office{View: told{merchant: m}, Zone: zone, Lender: statement.Lender{Name: "First Lender", Contact: "help@first.example"}}
	var all []Envelope
	if err := o.changes(&all); err != nil || len(all) != 2 || all[0].ID == all[1].ID || all[0].Object.ID != "mch_1" {
		t.Fatalf("%v %+v", err, all)
	}
	for i, want := range [][]string{
		{"Another bank account is to receive your payouts", "ending in 1111", "ending in 2222", "Mar 4, 2026, at the earliest", "help@first.example"},
		{"Another address is to receive what we write", "thief@mail.example", "Mar 5, 2026"},
	} {
		got, err := o.Open(all[i])
		if err != nil || got.To != "pay@harbor.example" || got.Name != "Harbor Supply" || got.Kind != AccountChange {
			t.Fatalf("%v %+v", err, got)
		}
		for _, words := range want {
			if !strings.Contains(strings.Join(strings.Fields(got.Text), " "), words) {
				t.Errorf("no %q in\n%s", words, got.Text)
			}
		}
	}
	all, o.Merchant = nil, "mch_2"
	if err := o.changes(&all); err != nil || len(all) != 0 {
		t.Errorf("another merchant: %v %+v", err, all)
	}
}

// A message always has the same identifier, different from any other's.
func TestIdentifiers(t *testing.T) {
	a, b := idOf(Invoice, "inv_1"), idOf(Advice, "inv_1")
	if a != idOf(Invoice, "inv_1") || a == b || !strings.HasPrefix(a, "mail_") || len(a) != len("mail_")+26 {
		t.Errorf("%s, %s", a, b)
	}
}

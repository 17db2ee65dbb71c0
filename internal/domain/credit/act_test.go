package credit_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/staff"
)

// The audit log round-trips a command with its reported changes, whatever they contain.
func TestActRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCommand(t)
		told := journal.Told{Reason: strings.ToValidUTF8(rapid.String().Draw(t, "reason"), "")}
		if rapid.Bool().Draw(t, "changed") {
			told.Was = map[string]journal.Members{"company 1": {"limit": []byte("1.00")}}
			told.Is = map[string]journal.Members{"company 1": {"limit": []byte("2.00")}}
		}
		if rapid.Bool().Draw(t, "approved") { // the command is given as an approval
			text, err := journal.EncodeCommand(c)
			if err != nil {
				t.Fatal(err)
			}
			told.Approval = "apv_1"
			c = staff.Approve{Approval: told.Approval, Act: c.Name(), Payload: string(text)}.With(c)
		}
		text, err := journal.EncodeAct(c, told)
		if err != nil {
			t.Fatal(err)
		}
		again, also, err := journal.DecodeAct(c.Name(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(c, again) || !also.Equal(told) {
			t.Fatalf("%#v %#v\nwritten %s\nread %#v %#v", c, told, text, again, also)
		}
		if a, ok := c.(staff.Approve); ok {
			c = a.Command()
		}
		alone, err := journal.EncodeCommand(c)
		if err != nil || told.Empty() != (string(alone) == string(text)) {
			t.Fatalf("written %s, alone %s, %v", text, alone, err)
		}
	})
}

func TestActIsStrict(t *testing.T) {
	for _, text := range []string{
		`{"act":{}}`, `{"act":{},"reason":""}`, `{"act":{},"reason":"x","more":1}`, `{"act":{},"reason":"x"} {}`,
		`{"act":{"no_such_member":1},"reason":"x"}`, `{"act":null,"was":{}}`, `{"act":"x","reason":"x"}`,
	} {
		if _, _, err := journal.DecodeAct("client.revoke", []byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	for _, c := range journal.Commands() {
		text, err := journal.EncodeCommand(c)
		if err != nil || strings.HasPrefix(string(text), `{"act":`) {
			t.Errorf("%s begins as what tells more than a command: %s, %v", c.Name(), text, err)
		}
	}
}

func TestTell(t *testing.T) {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	s := credit.NewState()
	old := &credit.Company{ID: 7, Name: "Mill", Status: credit.CompanyApproved, Tier: "A", Limit: 100_00, Outstanding: 5_00, Phone: "1", Version: 3}
	s.Companies[7] = old
	s.Merchants["mch_1"] = &credit.Merchant{ID: "mch_1", Name: "Shop", Programs: []credit.Program{{Merchant: "mch_1", Version: 1, Settings: credit.Settings{DueDay: 5, SuspendDPD: 30}}}}
	client := &credit.Client{ID: "cli_1", Merchant: "mch_1", Name: "A", Scopes: []string{"orders:read"}, PerMinute: 600, Burst: 100, CreatedAt: at, Version: 1}
	s.Clients["cli_1"] = client

	worked, limited := *old, *old
	worked.Outstanding, worked.Version = 9_00, 4
	limited.Limit, limited.Phone, limited.Linked = 250_00, "", []string{"mch_1"}
	revoked := *client
	revoked.RevokedAt, revoked.Version = at, 2
	for _, x := range []struct {
		name    string
		changes credit.Changes
		want    string
	}{
		{"nothing", credit.Changes{}, ""},
		{"money has moved", credit.Changes{Companies: []*credit.Company{&worked}}, ""},
		{"a new company", credit.Changes{Companies: []*credit.Company{{ID: 8, Name: "New"}}}, ""},
		{"a line", credit.Changes{Companies: []*credit.Company{&limited}},
			`"was":{"company 7":{"limit":100.00,"linked":null,"phone":"1"}},"is":{"company 7":{"limit":250.00,"linked":["mch_1"],"phone":null}}`},
		{"a program", credit.Changes{Programs: []credit.Program{{Merchant: "mch_1", Version: 2, Settings: credit.Settings{DueDay: 9, SuspendDPD: 30}}}},
			`"was":{"program mch_1":{"due_day":5,"version":1}},"is":{"program mch_1":{"due_day":9,"version":2}}`},
		{"a client", credit.Changes{Clients: []*credit.Client{&revoked}},
			`"was":{"client cli_1":{"revoked_at":null,"version":1}},"is":{"client cli_1":{"burst":100,"created_at":"2026-03-02T15:00:00Z","id":"cli_1",` +
				`"merchant":"mch_1","name":"A","per_minute":600,"revoked_at":"2026-03-02T15:00:00Z","scopes":["orders:read"],"version":2}}`},
		{"the lender", credit.Changes{Lenders: []*credit.Lender{{ID: credit.TheLender, Settings: credit.LenderSettings{Contact: "x"}}}},
			`"was":{"lender":{"contact":null}},"is":{"lender":{"contact":"x"}}`},
	} {
		told, err := journal.Tell(s, "", x.changes)
		if err != nil {
			t.Fatal(err)
		}
		text, err := journal.EncodeAct(access.RevokeClient{}, told)
		want := `{"client":"","at":"0001-01-01T00:00:00Z"}`
		if x.want != "" {
			want = `{"act":` + want + "," + x.want + "}"
		}
		if err != nil || string(text) != want {
			t.Errorf("%s is told as %s, %v\nwant %s", x.name, text, err, want)
		}
	}
}

// A client member that no audit row reports could be changed outside the program unnoticed.
func TestClientIsToldWhole(t *testing.T) {
	kind := reflect.TypeOf(credit.Client{})
	for i := range kind.NumField() {
		x := &credit.Client{}
		v := reflect.ValueOf(x).Elem().Field(i)
		change(v)
		if reflect.DeepEqual(toldOf(t, x), toldOf(t, &credit.Client{})) {
			t.Errorf("a change of %s goes untold", kind.Field(i).Name)
		}
	}
}

// toldOf is what the log reports about a new client.
func toldOf(t *testing.T, x *credit.Client) map[string]journal.Members {
	t.Helper()
	told, err := journal.Tell(credit.NewState(), "", credit.Changes{Clients: []*credit.Client{x}})
	if err != nil {
		t.Fatal(err)
	}
	return told.Is
}

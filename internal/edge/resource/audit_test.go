package resource

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

const marker = "what nobody may see"

// fillSecrets puts the marker into everything in a value that is sealed or derived from a
// secret.
func fillSecrets(v reflect.Value) (filled int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct || v.Type().Elem().Kind() == reflect.Slice {
			v.Set(reflect.New(v.Type().Elem()))
			return fillSecrets(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(marker))
			return 1
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			return fillSecrets(v.Index(0)) + fillSecrets(v.Index(1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, field := v.Field(i), v.Type().Field(i)
			switch name := field.Name; {
			case !field.IsExported():
			case f.Kind() == reflect.String && (name == "Fingerprint" || strings.HasSuffix(name, "Hash") || name == "Token"):
				f.SetString(marker)
				filled++
			default:
				filled += fillSecrets(f)
			}
		}
	}
	return filled
}

// Nothing sealed, no hash of a secret and no fingerprint of an account is shown, whatever
// the command; before and after values hide it too.
func TestAuditRowShowsNoSecret(t *testing.T) {
	filled := 0
	check := func(name string, payload []byte) {
		t.Helper()
		b, err := Encode(ref(NewAuditRow(&store.AuditRow{Q: 1, Audit: store.Audit{At: time.Unix(1, 0).UTC(), Command: name, Payload: payload, Result: "ok"}})))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b); strings.Contains(text, marker) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(marker))) {
			t.Errorf("%s: %s", name, text)
		}
	}
	for _, c := range journal.Commands() {
		v := reflect.New(reflect.TypeOf(c)).Elem()
		v.Set(reflect.ValueOf(c))
		filled += fillSecrets(v)
		payload, err := journal.EncodeCommand(v.Interface().(credit.Command))
		if err != nil {
			t.Fatal(err)
		}
		check(c.Name(), payload)
	}
	if filled < 6 {
		t.Errorf("only %d secrets were hidden", filled)
	}
	s := credit.NewState()
	bank := &credit.BankAccount{Last4: "6789", Sealed: []byte(marker), Fingerprint: marker}
	s.Merchants["mch_1"] = &credit.Merchant{ID: "mch_1", Account: credit.MerchantAccount{Bank: bank}}
	told, err := journal.Tell(s, "why", credit.Changes{
		Clients:   []*credit.Client{{ID: "cli_1", Name: "shop", Secrets: []credit.ClientSecret{{Hash: marker}}}},
		Merchants: []*credit.Merchant{{ID: "mch_1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := journal.EncodeAct(access.RevokeClient{Client: "cli_1"}, told)
	if err != nil {
		t.Fatal(err)
	}
	check("client.revoke", payload)
	w := NewAuditRow(&store.AuditRow{Q: 7, Audit: store.Audit{Command: "client.revoke", Payload: payload, Result: "ok", Company: 4711}})
	if w.Reason == nil || *w.Reason != "why" || w.CommitSeq != 7 || *w.CompanyID != 4711 || string(w.Act["client"]) != `"cli_1"` {
		t.Errorf("%+v", w)
	}
	var was struct {
		Bank struct {
			Last4 string `json:"last4"`
		} `json:"bank"`
	}
	if err := json.Unmarshal(w.Was["merchant mch_1"], &was); err != nil || was.Bank.Last4 != "6789" || !strings.Contains(string(w.Is["client cli_1"]), `"name":"shop"`) {
		t.Errorf("was %s, is %s: %v", w.Was, w.Is, err)
	}
}

// What cannot be decoded is shown without its command.
func TestAuditRowOfAnotherForm(t *testing.T) {
	for _, payload := range []string{"", "null", `{"act":`, `{"act":{},"later":1}`, "[]"} {
		w := NewAuditRow(&store.AuditRow{Audit: store.Audit{Command: "x", Payload: []byte(payload)}})
		if fmt.Sprint(w.Act, w.Was, w.Is) != "map[] map[] map[]" || w.Reason != nil {
			t.Errorf("%s: %+v", payload, w)
		}
	}
}

func ref[T any](x T) *T { return &x }

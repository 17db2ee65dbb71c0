package credit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/lending"
)

// journalProperty describes what is wrong with a reader's result for a row of the audit log:
// the command must have the row's name and round-trip, and every member of the row must be one
// of its own.
func journalProperty(read func(string, []byte) (credit.Command, error), name string, payload []byte) string {
	c, err := read(name, payload)
	if err != nil {
		return ""
	}
	if c.Name() != name {
		return fmt.Sprintf("%s is read as %s", name, c.Name())
	}
	written, err := journal.EncodeCommand(c)
	if err != nil {
		return fmt.Sprintf("%s %s cannot be written: %v", name, payload, err)
	}
	again, err := read(name, written)
	if err != nil || !reflect.DeepEqual(normal(again), normal(c)) {
		return fmt.Sprintf("%s %s is written as %s and read as another: %v", name, payload, written, err)
	}
	var given, has map[string]json.RawMessage
	if json.Unmarshal(payload, &given) != nil || json.Unmarshal(written, &has) != nil {
		return fmt.Sprintf("%s %s is taken and is no object", name, payload)
	}
	if len(given) > len(has) {
		return fmt.Sprintf("%s %s has members that are lost in %s", name, payload, written)
	}
	return ""
}

// normal is a command in normalized JSON: empty and absent lists are the same.
func normal(c credit.Command) string {
	b, err := journal.EncodeCommand(c)
	if err != nil {
		return err.Error()
	}
	return string(bytes.ReplaceAll(b, []byte("[]"), []byte("null")))
}

func FuzzDecodeCommand(f *testing.F) {
	for _, c := range journal.Commands() {
		b, err := journal.EncodeCommand(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(c.Name(), b)
	}
	f.Add("order.create", []byte(`{"company_id":1,"amount":1.00,"installments":3,"metadata":{"a":"b"},"cart_items":[{"name":"x"}]}`))
	f.Add("order.create", []byte(`{"amount":1} {}`))
	f.Add("order.none", []byte(`{}`))
	f.Add("payment.record", []byte(`null`))
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		if complaint := journalProperty(journal.DecodeCommand, name, payload); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// A reader that ignores members is detected.
func TestFuzzCanFail(t *testing.T) {
	lax := func(string, []byte) (credit.Command, error) { return lending.ServiceOrder{}, nil }
	if journalProperty(lax, lending.ServiceOrder{}.Name(), []byte(`{"order":"a","more":1,"still":2}`)) == "" {
		t.Error("not seen: a member that is passed over")
	}
}

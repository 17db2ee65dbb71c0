package payments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"tenor/internal/edge/rest"
)

// listProperty: the standard decoder reads an accepted list, with as many rows.
func listProperty(read func([]byte) (int, error), body []byte) string {
	rows, err := read(body)
	if err != nil {
		return ""
	}
	var loose []struct {
		Number string `json:"merchant_order_id"`
	}
	if err := json.Unmarshal(body, &loose); err != nil || len(loose) != rows {
		return fmt.Sprintf("%q is taken with %d rows, the standard decoder says %d, %v", body, rows, len(loose), err)
	}
	return ""
}

func readListText(body []byte) (int, error) {
	r := httptest.NewRequest("POST", "/v1/reconciliations", bytes.NewReader(body))
	list, err := readList(&rest.Call{Request: r, Stream: bytes.NewReader(body), ContentType: rest.MediaJSON})
	if err != nil {
		return 0, err
	}
	return list.count, nil
}

func FuzzList(f *testing.F) {
	for _, s := range []string{`[]`, `[{"merchant_order_id":"a","amount":1,"status":"captured"}]`, `[{"merchant_order_id":"a","amount":"1.50","status":"CREATED"},{"merchant_order_id":"b","amount":2,"status":"x"}]`, `null`, `[1]`, `[{}]`, `[] []`, `[{"merchant_order_id":"a","merchant_order_id":"b"}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if complaint := listProperty(readListText, body); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// A reader that skips a row is detected; otherwise the fuzz target would find nothing.
func TestFuzzCanFail(t *testing.T) {
	if listProperty(func([]byte) (int, error) { return 0, nil }, []byte(`[{}]`)) == "" {
		t.Error("not seen")
	}
}

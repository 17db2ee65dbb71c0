//go:build linux

package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
)

// teller is one client with a fixed list of requests, which may depend on earlier responses. It
// records them like the other harnesses.
type teller struct {
	script  []func(*teller) request
	calls   []*sent
	answers map[string]answer // by key, once known
	order   string
	child   string
	payment string
}

// tellers are the two clients of the crash point test, each with a company of its own: their
// actions must not depend on each other's timing.
func tellers(w world) []*teller {
	first := &teller{script: []func(*teller) request{
		post("/order", `{"company_id":%q,"amount":"1000.00","installments":6,"merchant_order_id":"first"}`, func(*teller) string { return w.Companies[0] }),
		patchOrder(`{"status":"AUTHORIZED"}`),
		patchOrder(`{"amount":"900.00","merchant_status":"packed","metadata":{"box":"7"}}`),
		patchOrder(`{"status":"CAPTURED"}`),
		post("/payment", `{"order_key":%q,"amount":"300.00","method":"WIRE","external_id":"w-1"}`, func(t *teller) string { return t.order }),
		func(t *teller) request {
			return request{Method: http.MethodPost, Path: "/payment/" + t.payment + "/refund", Body: `{"amount":"50.00"}`}
		},
		refundOrder(`{"amount":"100.00"}`),
		refundOrder(`{}`),
	}}
	second := &teller{script: []func(*teller) request{
		post("/order", `{"company_id":%q,"amount":"2000.00","installments":3,"status":"AUTHORIZED","merchant_order_id":"second"}`, func(*teller) string { return w.Companies[1] }),
		func(t *teller) request {
			return request{Method: http.MethodPost, Path: "/v1/order/" + t.order + "/partial", Body: `{"amount":"500.00","merchant_order_id":"second-a"}`}
		},
		post("/payment", `{"order_key":%q,"amount":"120.00","method":"WIRE","external_id":"w-2"}`, func(t *teller) string { return t.child }),
		patchOrder(`{"status":"CAPTURED"}`),
		refundOrder(`{"amount":"1500.00"}`),
	}}
	for _, t := range []*teller{first, second} {
		t.answers = map[string]answer{}
	}
	return []*teller{first, second}
}

func post(path, body string, value func(*teller) string) func(*teller) request {
	return func(t *teller) request {
		return request{Method: http.MethodPost, Path: path, Body: fmt.Sprintf(body, value(t))}
	}
}

func patchOrder(body string) func(*teller) request {
	return func(t *teller) request {
		return request{Method: http.MethodPatch, Path: "/v1/order/" + t.order, Body: body}
	}
}

func refundOrder(body string) func(*teller) request {
	return func(t *teller) request {
		return request{Method: http.MethodPatch, Path: "/v1/order/" + t.order + "/refund", Body: body}
	}
}

// tell sends what has not been sent, until the end or until a response is missing. It returns an
// error only for a response that does not belong to the story.
func (t *teller) tell(c *client, name string) error {
	for len(t.calls) < len(t.script) {
		r := t.script[len(t.calls)](t)
		r.Key = fmt.Sprintf("%s-%d", name, len(t.calls)+1)
		s := &sent{request: r}
		t.calls = append(t.calls, s)
		a, err := c.do(r)
		if err != nil || !a.definite() {
			return nil // the outcome is unknown
		}
		s.acked = &a
		if err := t.take(s.Key, a); err != nil {
			return err
		}
	}
	return nil
}

// take extracts what later requests need.
func (t *teller) take(key string, a answer) error {
	if a.Status/100 != 2 {
		return fmt.Errorf("key %s: %d %s", key, a.Status, a.Body)
	}
	t.answers[key] = a
	var body struct{ Key, ID, Merchant_order_id string }
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		return err
	}
	switch {
	case body.ID != "":
		t.payment = body.ID
	case body.Merchant_order_id == "second-a":
		t.child = body.Key
	default:
		t.order = body.Key
	}
	return nil
}

// again sends every key again, like a client after a crash.
func (t *teller) again(c *client) (replayed, error) {
	var failed error
	found := replay(c, t.calls, func(key string, a answer) {
		failed = errors.Join(failed, t.take(key, a))
	})
	for _, s := range t.calls {
		if a, ok := t.answers[s.Key]; ok {
			s.acked = &a
		}
	}
	return found, failed
}

// state returns everything that is stored, with IDs, times and hashes masked, which differ
// between any two runs. Rows are sorted: two runs that did the same have the same text. Batches
// and settings are left out: they say how, not what.
func state(dir string) (_ string, err error) {
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := verifyBooks(db); err != nil {
		return "", err
	}
	var dump bytes.Buffer
	if err := store.WriteDump(context.Background(), db, &dump); err != nil {
		return "", err
	}
	var rows, columns []string
	table := ""
	for line := range strings.Lines(dump.String()) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "== "); ok {
			words := strings.Fields(head)
			table, columns = words[0], words[1:]
			continue
		}
		if table == "batches" || table == "settings" || table == "heads" {
			continue
		}
		masked, err := mask(table, columns, line)
		if err != nil {
			return "", err
		}
		rows = append(rows, masked)
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n"), nil
}

var (
	drawn   = regexp.MustCompile(`_[0-9A-HJKMNP-TV-Z]{26}\b|\bINV-[0-9A-HJKMNP-TV-Z]+`)
	instant = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|\b[0-9]{16}\b`) // text, or microseconds
)

// maskedColumns are the columns that differ between any two runs, in addition to all that end in
// _at. Two clients reach the commit sequence in any order.
var maskedColumns = []string{"at", "hash", "digest", "seed", "request", "address", "body_hash", "q", "until_q"}

func mask(table string, columns []string, line string) (string, error) {
	var b strings.Builder
	b.WriteString(table)
	for _, column := range columns {
		value, rest, err := cutValue(line)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", table, column, err)
		}
		line = rest
		own := slices.Contains(maskedColumns, column) && !(table == "books" && column == "q")
		if value != "-" && (own || strings.HasSuffix(column, "_at")) {
			value = "*"
		}
		fmt.Fprintf(&b, " %s=%s", column, instant.ReplaceAllString(drawn.ReplaceAllString(value, "*"), "*"))
	}
	return b.String(), nil
}

// cutValue splits the first value off a row of a dump and shows bytes as text.
func cutValue(line string) (value, rest string, err error) {
	if strings.HasPrefix(line, `"`) {
		if value, err = strconv.QuotedPrefix(line); err != nil {
			return "", "", err
		}
		rest = line[len(value):]
	} else {
		value, rest, _ = strings.Cut(line, " ")
		var text []byte
		if _, e := fmt.Sscanf(value, "x%x", &text); e == nil && len(text) > 32 {
			value = string(text)
		}
	}
	return value, strings.TrimPrefix(rest, " "), nil
}

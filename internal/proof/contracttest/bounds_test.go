package contracttest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/core/engine"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
)

// strangersObjects names another merchant's objects, and ones that do not exist, in bodies and in
// filters. Nothing happens to either, and they add nothing to any list (A8, A11, A12, A36).
func (w *world) strangersObjects(op *operation) {
	w.tb.Helper()
	if op.public || op.open || op.operator() {
		return
	}
	r := w.good(op)
	var body any
	if op.body != nil {
		body = w.example(op)
	}
	objects := map[string][]string{}
	for _, kind := range []string{company, "ord", "inv", "evt", "pay", "mch", "pm"} {
		objects[kind] = []string{w.object(kind, w.b), nobodys(kind)}
	}
	before := w.state()
	for _, p := range op.Parameters {
		for _, id := range objects[kindOf(p.Value.Schema.Value)] {
			if p.Value.In != "query" {
				continue
			}
			r.name, r.query = "filter by "+p.Value.Name+"="+id, p.Value.Name+"="+id
			if a := w.send(r); a.status != 200 || !strings.HasPrefix(string(a.body), `{"data":[],`) {
				w.tb.Errorf("%s: %d %s", r, a.status, clip(a.body))
			}
		}
	}
	r.query = ""
	if body != nil {
		for _, p := range places(op.body) {
			for _, id := range objects[kindOf(p.schema)] {
				r.name, r.body = fmt.Sprint(p, " is ", id), write(with(op.body, body, p.path, id))
				if a := w.send(r); a.status != 403 && a.status != 404 && a.code() != "validation_failed" {
					w.tb.Errorf("%s: %d %s", r, a.status, clip(a.body))
				}
			}
		}
	}
	if w.state() != before {
		w.tb.Errorf("%s: a request about somebody else's things has had an effect", op.OperationID)
	}
}

// outages are writes while nothing can be written: each is refused with the code that says what
// is known.
func (w *world) outages(op *operation) {
	w.tb.Helper()
	if op.public || op.reads() || !op.decided() {
		return
	}
	r := w.good(op)
	r.fault = true
	before := w.state()
	for err, code := range map[error]string{
		engine.ErrReadOnly: "read_only", engine.ErrOutcomeUnknown: "outcome_unknown", engine.ErrOverloaded: "overloaded",
		engine.ErrClosed: "overloaded", engine.ErrExpired: "overloaded", engine.ErrNotCommitted: "overloaded",
	} {
		r.name = "while the engine says " + err.Error()
		w.service.Submit = broken{w.backend, err}
		if a := w.send(r); a.status != 503 || a.code() != code {
			w.tb.Errorf("%s: %d %s", r, a.status, clip(a.body))
		}
	}
	w.mend()
	if w.state() != before {
		w.tb.Errorf("%s: a request that was refused has had an effect", op.OperationID)
	}
}

// cursors follows a list, and then changes the cursor. A cursor belongs to its list, its filters
// and its merchant.
func (w *world) cursors(op *operation) {
	w.tb.Helper()
	if op.parameter("query", "cursor") == nil {
		return
	}
	r := w.stocked(op)
	r.name, r.query = "the first page", "limit=1"
	a := w.send(r)
	var page struct {
		Next *string `json:"next_cursor"`
	}
	if err := json.Unmarshal(a.body, &page); err != nil || a.status != 200 {
		w.tb.Fatalf("%s: %d %s", r, a.status, clip(a.body))
	}
	if page.Next == nil {
		w.tb.Errorf("%s: a list of one page: %s", r, clip(a.body))
		return
	}
	next := *page.Next
	r.name, r.query = "the next page", "limit=2&cursor="+url.QueryEscape(next)
	if a := w.send(r); a.status != 200 {
		w.tb.Errorf("%s: %d %s", r, a.status, clip(a.body))
	}
	for i := 0; i < len(next); i += 7 {
		r.name, r.query = fmt.Sprint("the cursor, changed at ", i), "cursor="+url.QueryEscape(next[:i]+string(other(next[i]))+next[i+1:])
		w.refused(r, 400, "invalid_cursor")
	}
	for name, cursor := range map[string]string{"cut": next[:len(next)-1], "longer": next + "A", "twice": next + next, "with a line break": next[:4] + "\n" + next[4:], "with a space": next + " "} {
		r.name, r.query = "the cursor "+name, "cursor="+url.QueryEscape(cursor)
		w.refused(r, 400, "invalid_cursor")
	}
	for _, p := range op.Parameters {
		if name := p.Value.Name; p.Value.In == "query" && name != "cursor" && name != "limit" && name != "as_of" {
			r.name, r.query = "the cursor with another filter", "cursor="+url.QueryEscape(next)+"&"+name+"="+filter(p.Value.Schema.Value)
			w.refused(r, 400, "invalid_cursor")
		}
	}
	if r.query = "cursor=" + url.QueryEscape(next); op.kind == "" && !op.operator() {
		r.name, r.who = "another merchant's cursor", "b"
		w.refused(r, 400, "invalid_cursor")
	}
	r.who = op.caller()
	for _, list := range w.c.ops {
		if list != op && list.parameter("query", "cursor") != nil && list.kind == "" && !list.operator() {
			r.op, r.name, r.object, r.who = list, "the cursor of "+op.OperationID, "", "a"
			w.refused(r, 400, "invalid_cursor")
		}
	}
}

func filter(s *openapi3.Schema) string { return fmt.Sprint(least(s)) }

// other returns another character in a cursor's alphabet.
func other(c byte) byte {
	if c == 'A' {
		return 'Q'
	}
	return 'A'
}

// stocked is a request for a list with several items.
func (w *world) stocked(op *operation) request {
	w.tb.Helper()
	r := request{op: op, who: op.caller()}
	if fn := stocks[op.OperationID]; fn != nil {
		for range 2 {
			fn(w)
		}
	}
	switch op.kind {
	case "":
		for _, kind := range []string{company, "ord", "pay", "whk", "evt", "mch", "cli", "chk", "app", "case", "apv"} {
			w.object(kind, w.a)
			w.object(kind, w.a)
		}
	case company:
		r.object = fmt.Sprint(w.company)
		w.object("pay", w.a)
		w.object("pay", w.a)
	case "whk":
		r.object = w.endpoint(w.a)
		w.deliver(w.a, r.object)
		w.deliver(w.a, r.object)
	case "mch":
		r.object = w.object("mch", "")
		w.act("", merchants.AddProgram{Merchant: r.object, From: w.zone.Date(w.business()).AddDays(1), Settings: lending.DefaultSettings()})
	default:
		r.object = w.object(op.kind, w.a)
	}
	return r
}

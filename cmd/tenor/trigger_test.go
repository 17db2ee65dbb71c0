package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/domain/outcome"
	"tenor/internal/proof/devtest"
)

// triggered runs a command line with a sandbox.
func triggered(t *testing.T, w operate.World, token string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	a := devtest.App(&o, &e)
	before := a.Getenv
	a.Getenv = func(name string) string {
		switch name {
		case "TENOR_TOKEN":
			return token
		}
		return before(name)
	}
	code = cli.Run(context.Background(), append([]string{"trigger", "--url", w.URL}, args...), a)
	return o.String(), e.String(), code
}

// triggersOf lists the event types that can be triggered, and which need the lender's token.
func triggersOf(t *testing.T, w operate.World) map[string]bool {
	t.Helper()
	out, errs, code := triggered(t, w, "", "list", "--json")
	var page struct {
		Data []struct {
			Event  string
			Lender bool
		}
	}
	if err := json.Unmarshal([]byte(out), &page); code != exit.Done || err != nil {
		t.Fatalf("%d %v %s", code, err, errs)
	}
	all := map[string]bool{}
	for _, x := range page.Data {
		all[x.Event] = x.Lender
	}
	return all
}

// Every event type can be triggered, with real objects: the event that arrives is the one that
// the API lists.
func TestTriggerEveryEvent(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.API(200, "POST", "/v1/sandbox/clock/freeze", "{}")
	lender := devtest.Token(t, w, "--operator")
	all := triggersOf(t, w)
	for _, kind := range outcome.EventTypes() {
		needsLender, found := all[string(kind)]
		if !found {
			t.Errorf("nothing causes %s", kind)
			continue
		}
		delete(all, string(kind))
		token := w.Token
		if needsLender {
			token = lender
		}
		out, errs, code := triggered(t, w, token, string(kind), "--json")
		var page struct{ Data []struct{ ID, Type string } }
		if code != exit.Done || json.Unmarshal([]byte(out), &page) != nil || len(page.Data) == 0 || page.Data[0].Type != string(kind) {
			t.Errorf("%s: %d %s %s", kind, code, out, errs)
			continue
		}
		known := &devtest.Shopper{T: t, URL: w.URL, Token: lender} // a client that makes few calls
		if got := known.API(200, "GET", "/v1/events/"+page.Data[0].ID, "")["type"]; got != string(kind) {
			t.Errorf("%s: the API has %v", kind, got)
		}
	}
	for name := range all {
		t.Errorf("%s is no event type", name)
	}
}

// Steps can be skipped or overridden; what is then missing is reported.
func TestTriggerOtherwise(t *testing.T) {
	s, w := devtest.NewShopper(t)
	out, errs, code := triggered(t, w, w.Token, "order.authorized", "--skip", "company", "--override", "order.company_id=1000000002", "--override", "order.amount=120.00",
		"--override", "order.merchant_order_id=PO-9", "--override", "order.installments=3")
	if code != exit.Done || !strings.Contains(out, "order.authorized") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if o := s.List("/v1/orders?merchant_order_id=PO-9"); len(o) != 1 || o[0]["company_id"].(float64) != 1000000002 || o[0]["status"] != "AUTHORIZED" {
		t.Errorf("%v", o)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"order.captured", "--skip", "company"}, exit.Usage, "${company.id}"},
		{[]string{"order.captured", "--skip", "nothing"}, exit.Usage, "Its steps: company order authorize capture"},
		{[]string{"order.captured", "--override", "order"}, exit.Usage, "must look like"},
		{[]string{"order.captured", "--override", "none.amount=1"}, exit.Usage, "no step"},
		{[]string{"order.captred"}, exit.Usage, "order.captured"},
		{[]string{"payout.failed"}, exit.Forbidden, "token --operator"},
	} {
		if _, errs, code := triggered(t, w, w.Token, c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%v: %d %s", c.args, code, errs)
		}
	}
	out, _, code = triggered(t, w, "", "order.canceled", "--steps", "--override", "order.metadata.note=a b")
	if code != exit.Done || !strings.Contains(out, `"note": "a b"`) || strings.Index(out, `"authorize"`) > strings.Index(out, `"cancel"`) {
		t.Errorf("%d %s", code, out)
	}
	out, _, code = triggered(t, w, "", "list", "-q")
	all := triggersOf(t, w)
	if want := strings.Join(slices.Sorted(maps.Keys(all)), "\n") + "\n"; code != exit.Done || out != want {
		t.Errorf("%d %s", code, out)
	}
}

// An event that arrived after the known one ends a move before the clock moves at all: a caller
// waiting for what the sandbox does by itself does not miss it.
func TestAdvanceUntilKnown(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.API(200, "POST", "/v1/sandbox/clock/freeze", "{}")
	if out, errs, code := triggered(t, w, w.Token, "order.authorized"); code != exit.Done {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	known := ""
	for _, e := range s.List("/v1/events") {
		if e["type"] == "order.authorized" {
			break
		}
		known = e["id"].(string)
	}
	before := s.API(200, "GET", "/v1/sandbox/clock", "")["now"]
	s.Command(exit.Done, "clock", "advance", "--until", "order.authorized", "--after", known, "--wait")
	if x := s.API(200, "GET", "/v1/sandbox/clock", ""); x["now"] != before || x["failed"] != false {
		t.Errorf("%v, it was %v", x, before)
	}
	s.Command(exit.Usage, "clock", "advance", "1h", "--after", known)
	s.Command(exit.Refused, "clock", "advance", "--until", "order.authorized", "--after", "evt_01KB0A4E7W5N3R1P9M8K6J4H2G")
}

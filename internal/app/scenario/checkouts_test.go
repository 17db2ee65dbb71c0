package scenario

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// situations are the ways a checkout can go, and the scenarios that play them: the rows of the
// specification's table, in its order, one per line.
const situations = `
checkout-not-finished
checkout-accepted
checkout-completed
checkout-line-used-meanwhile checkout-company-held-meanwhile
checkout-lapsed
checkout-canceled
checkout-declined checkout-declined-by-review
checkout-in-review
checkout-review-approved
checkout-line-too-small checkout-company-may-not-buy
checkout-expired
checkout-ended-by-merchant checkout-ended-after-acceptance
checkout-replaced checkout-replaced-after-acceptance
checkout-same-cart checkout-already-completed`

// situation is a row of the guide's table. A cell without a quoted word is not checked: the row
// says "as before".
type situation struct {
	name             string
	refused          []string // status and code of a call in this situation
	status, reason   string
	order            []string // status and cancel_reason; none if there is no order
	events           []string // types
	complete, code   string
	noOrder, noEvent bool
}

// Every way a checkout can go has a row in the guide and a scenario that checks what the row
// says: status and reason, the order, the events, and the response of complete.
func TestCheckouts(t *testing.T) {
	rows := guide(t)
	var told []string
	for _, row := range rows {
		told = append(told, row.name)
	}
	if want := strings.Fields(situations); !slices.Equal(told, want) {
		t.Fatalf("the guide has %v\nwant %v", told, want)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		i := slices.Index(told, s.Name)
		switch {
		case i >= 0:
			rows[i].check(t, s)
			told[i] = ""
		case strings.HasPrefix(s.Name, "checkout-"):
			t.Errorf("%s is no row of the table", s.Name)
		}
	}
	for _, name := range told {
		if name != "" {
			t.Errorf("nobody plays %s", name)
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// words returns the quoted words of a cell.
func words(cell string) (out []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// guide reads the table of the guide.
func guide(t *testing.T) (out []situation) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/guides/checkout.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.Contains(cells[6], "`checkout-") {
			continue
		}
		row := situation{
			name: words(cells[6])[0], order: words(cells[3]), noOrder: strings.TrimSpace(cells[3]) == "none",
			events: words(cells[4]), noEvent: strings.TrimSpace(cells[4]) == "none", complete: strings.Trim(strings.Fields(cells[5])[0], ","),
		}
		row.refused = regexp.MustCompile("([0-9]{3}) `([a-z_]+)`").FindStringSubmatch(cells[1])
		row.status, row.reason, _ = strings.Cut(strings.Join(words(cells[2]), " "), " ")
		if code := words(cells[5]); len(code) > 0 {
			row.code = code[0]
		}
		out = append(out, row)
	}
	return out
}

// check requires that a scenario checks each cell of its row.
func (x situation) check(t *testing.T, s Scenario) {
	t.Helper()
	ask := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("%s does not check %s of its row", s.Name, what)
		}
	}
	called := func(call string, fits func(Step) bool) bool {
		return slices.ContainsFunc(s.Steps, func(y Step) bool { return strings.HasPrefix(y.Call, call) && fits(y) })
	}
	if x.refused != nil {
		ask("the refusal", called("POST /v1/checkouts", func(y Step) bool { return strconv.Itoa(y.Status) == x.refused[1] && y.Members["code"] == x.refused[2] }))
	}
	if x.status != "" {
		is := func(m map[string]string) bool {
			return m["status"] == x.status && (m["reason"] == x.reason || m["reason"] == "null" && x.reason == "")
		}
		ask("the status", is(s.Statement.Checkouts["checkout"]) ||
			called("", func(y Step) bool { return strings.Contains(y.Call, "/checkouts/${checkout.id}") && is(y.Members) }))
	}
	if x.noOrder {
		ask("that there is no order", called("GET /v1/order/${checkout.order_key}", func(y Step) bool { return y.Status == 404 }))
	} else if len(x.order) > 0 {
		is := func(m map[string]string) bool {
			return m["status"] == x.order[0] && (len(x.order) == 1 || m["cancel_reason"] == x.order[1])
		}
		ask("the order", is(s.Statement.Orders["order"]) || called("GET /v1/order/${checkout.order_key}", func(y Step) bool { return is(y.Members) }))
	}
	ask("the events", slices.ContainsFunc(s.Steps, func(y Step) bool { return y.Events != nil && x.told(y.Events) }))
	if x.complete != "as" {
		ask("complete", called("POST /v1/checkouts/${checkout.id}/complete", x.answers))
	}
}

// told reports whether events end with those of the row, or are empty if it has none.
func (x situation) told(events [][2]string) bool {
	if x.noEvent {
		return len(events) == 0
	}
	var types []string
	for _, e := range events {
		types = append(types, e[0])
	}
	return len(x.events) > 0 && len(types) >= len(x.events) && slices.Equal(types[len(types)-len(x.events):], x.events)
}

// answers reports whether a step expects from complete what the row says.
func (x situation) answers(y Step) bool {
	if strconv.Itoa(y.Status) != x.complete {
		return false
	}
	if x.code == "" {
		return y.Members["status"] == "AUTHORIZED"
	}
	_, available := y.Members["available"]
	return y.Members["code"] == x.code && y.Members["checkout_status"] == x.status && available == (x.code == "insufficient_credit")
}

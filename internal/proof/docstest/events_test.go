package docstest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

const eventsPage = "docs/events.md"

var rewriteEvents = flag.Bool("rewrite-events", false, "write the tables of "+eventsPage+" anew")

// TestEventTable compares the page's tables with the domain's own. That commands keep to them
// is checked whenever a test of this package has one decided.
func TestEventTable(t *testing.T) {
	file := filepath.Join(root, eventsPage)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	above, _, found := strings.Cut(string(page), eventsHeading)
	if !found {
		t.Fatalf("%s has no %q", eventsPage, eventsHeading)
	}
	want := above + eventTables()
	if *rewriteEvents {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what the table of events says; make generate writes it anew", eventsPage)
	}
}

const eventsHeading = "## Which operation emits which event\n"

// eventTables is what stands on the page from eventsHeading on.
func eventTables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n| Operation | Command | Always | Under a condition |\n|---|---|---|---|\n", eventsHeading)
	for _, r := range outcome.EventTable() {
		fmt.Fprintln(&b, ruleRow(r))
	}
	b.WriteString("\n## Events of loans\n\nMoney that moves, or a day that passes, changes what is owed. Whatever command does that emits these besides its own.\n\n| Event | If |\n|---|---|\n")
	for _, e := range outcome.LoanEvents() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", e.Event, e.Condition)
	}
	return b.String()
}

// ruleRow is a rule as a row of the page. The events of loans, which many rules end with,
// have a table of their own.
func ruleRow(r outcome.EventRule) string {
	var always, when []string
	for _, e := range r.Always {
		always = append(always, "`"+string(e)+"`")
	}
	loan := outcome.LoanEvents()
	own, loans := r.When, false
	if n := len(own) - len(loan); n >= 0 && slices.Equal(own[n:], loan) {
		own, loans = own[:n], true
	}
	for _, e := range own {
		when = append(when, fmt.Sprintf("`%s` if %s", e.Event, e.Condition))
	}
	if loans {
		when = append(when, "[events of loans](#events-of-loans)")
	}
	return fmt.Sprintf("| %s | `%s` | %s | %s |", r.Operation, r.Command, orDash(always, " "), orDash(when, "; "))
}

func orDash(list []string, between string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, between)
}

// unlisted returns which events of a command no rule of the table allows, "" if one rule allows
// them all.
func unlisted(command string, c credit.Changes) string {
	if c.Empty() {
		return ""
	}
	var emitted []credit.EventType
	for _, e := range c.Events {
		emitted = append(emitted, e.Type)
	}
	for _, r := range outcome.EventTable() {
		if r.Command == command && allows(r, emitted) {
			return ""
		}
	}
	return fmt.Sprintf("%s emits %v, which no row of the table of events says", command, emitted)
}

func allows(r outcome.EventRule, emitted []credit.EventType) bool {
	for _, e := range r.Always {
		if !slices.Contains(emitted, e) {
			return false
		}
	}
	return !slices.ContainsFunc(emitted, func(e credit.EventType) bool {
		return !slices.Contains(r.Always, e) && !slices.ContainsFunc(r.When, func(c outcome.ConditionalEvent) bool { return c.Event == e })
	})
}

func TestUnlistedEvents(t *testing.T) {
	changes := credit.Changes{Events: []credit.Event{{Type: credit.OrderCreatedEvent}, {Type: credit.PaymentReturnedEvent}}}
	if unlisted("order.create", changes) == "" {
		t.Error("an event that the table does not know passes")
	}
	changes.Events = changes.Events[:1]
	if why := unlisted("order.create", changes); why != "" {
		t.Error(why)
	}
	if unlisted("order.extend", changes) == "" {
		t.Error("an event that is missing passes")
	}
}

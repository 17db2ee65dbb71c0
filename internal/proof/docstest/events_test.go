package docstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

const eventsPage = "docs/events.md"

// TestEventTable compares the page with the domain's own table. Whenever a test in this package
// decides a command, it is checked against the table.
func TestEventTable(t *testing.T) {
	var want []string
	for _, r := range outcome.EventTable() {
		want = append(want, ruleRow(r))
	}
	var got []string
	for _, r := range readPage(t, eventsPage).rows(t, "Which operation emits which event") {
		got = append(got, "| "+strings.Join(r, " | ")+" |")
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the page says\n%s\nthe domain says\n%s", g, w)
	}
}

// ruleRow returns a rule as a row of the page.
func ruleRow(r outcome.EventRule) string {
	var always, when []string
	for _, e := range r.Always {
		always = append(always, "`"+string(e)+"`")
	}
	for _, e := range r.When {
		when = append(when, fmt.Sprintf("`%s` if %s", e.Event, e.Condition))
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

package portal

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"tenor/docs"
	"tenor/internal/domain/outcome"
)

// statusSections are the sections of the guide: which status each is about, and where the
// contract lists its values.
var statusSections = []struct{ heading, status, operation, field string }{
	{"Orders", "order.status", "getOrder", "status"},
	{"Financing", "order.financing_status", "getOrder", "financing_status"},
	{"Payments", "payment.status", "getPayment", "status"},
	{"Invoices", "invoice.status", "getInvoice", "status"},
	{"Payment methods", "payment_method.status", "getPaymentMethod", "status"},
	{"Payouts", "payout.status", "getPayout", "status"},
	{"Companies", "company.status", "getCompany", "status"},
	{"Installments", "", "getSchedule", "installments[].status"},
}

// TestStatusesAreTold compares the guide with the contract, which lists the statuses, and with
// the domain's table of what leads to them.
func TestStatusesAreTold(t *testing.T) {
	p := realPortal(t)
	told := map[string]bool{}
	for _, x := range statusSections {
		tables := tablesOf(t, "guides/statuses.md", x.heading)
		op := p.site.contract.find(x.operation)
		a, ok := op.success()
		if !ok {
			t.Fatalf("%s answers nothing", x.operation)
		}
		fields := p.site.contract.fields(a.schema)
		i := slices.IndexFunc(fields, func(f field) bool { return f.Name == x.field })
		if i < 0 {
			t.Fatalf("%s has no member %s", x.operation, x.field)
		}
		var listed []string
		for _, row := range tables[0] {
			listed = append(listed, strings.Trim(row[0], "`"))
		}
		if got, want := slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(fields[i].Enum)); !slices.Equal(got, want) {
			t.Errorf("%s: the guide has %v, the contract %v", x.heading, got, want)
		}
		if told[x.status] = true; x.status == "" {
			continue
		}
		var got []string
		for _, row := range tables[1] {
			got = append(got, strings.Join(row, " | "))
		}
		want := guideRows(x.status)
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("%s: the guide says\n%s\nthe domain says\n%s", x.heading, g, w)
		}
	}
	for _, r := range outcome.StatusTable() {
		if !told[r.Object+"."+r.Member] {
			t.Errorf("the guide does not tell of %s.%s", r.Object, r.Member)
		}
	}
}

// manyMovers is the number of equivalent operations above which the guide does not name them.
const manyMovers = 10

// guideRows returns the rules of a status as the guide writes them: equivalent operations share a
// row, and what is common to all that move money has one without their names.
func guideRows(status string) []string {
	var rows []string
	doing := map[string][]string{}
	for _, r := range outcome.StatusTable() {
		if r.Object+"."+r.Member != status {
			continue
		}
		row := guideRow(r)
		if len(doing[row]) == 0 {
			rows = append(rows, row)
		}
		doing[row] = append(doing[row], r.Operation)
	}
	for i, row := range rows {
		who := strings.Join(doing[row], "; ")
		if len(doing[row]) >= manyMovers {
			who = "whatever moves money, and the daily run"
		}
		rows[i] = who + " | " + row
	}
	return rows
}

// guideRow describes a rule's operation.
func guideRow(r outcome.StatusRule) string {
	list := func(all []string, none string) string {
		if len(all) == 0 {
			return none
		}
		return "`" + strings.Join(all, "` `") + "`"
	}
	when := r.Condition
	if when == "" {
		when = "always"
	}
	return strings.Join([]string{list(r.From, "–"), list(r.To, "as before"), when}, " | ")
}

// TestWhatCanFollow compares the table in the guide on orders with the domain's.
func TestWhatCanFollow(t *testing.T) {
	follow := map[string][]string{}
	for _, r := range outcome.StatusTable() {
		for _, from := range r.From {
			if r.Object == "order" && r.Member == "status" {
				follow[from] = append(follow[from], r.To...)
			}
		}
	}
	rows := tablesOf(t, "guides/orders.md", "Statuses")[0]
	if len(rows) != 5 {
		t.Errorf("%d statuses", len(rows))
	}
	for _, row := range rows {
		want := slices.Compact(slices.Sorted(slices.Values(follow[strings.Trim(row[0], "`")])))
		var got []string
		for _, word := range strings.FieldsFunc(row[2], func(r rune) bool { return r == ' ' || r == ',' }) {
			if word == strings.ToUpper(word) {
				got = append(got, word)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the guide says that %v can follow, the domain %v", row[0], got, want)
		}
	}
}

// tablesOf returns the tables below a heading of a page: their rows without the header.
func tablesOf(t *testing.T, file, heading string) [][][]string {
	t.Helper()
	text, err := fs.ReadFile(docs.Files, file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %s", file, heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var tables [][][]string
	within := false
	for _, line := range strings.Split(rest, "\n") {
		switch {
		case !strings.HasPrefix(line, "|"):
			within = false
		case !within:
			tables, within = append(tables, nil), true
		case !strings.HasPrefix(line, "|---"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			tables[len(tables)-1] = append(tables[len(tables)-1], cells)
		}
	}
	if len(tables) == 0 {
		t.Fatalf("%s has no table below %s", file, heading)
	}
	return tables
}

// TestStatusesBeforeAndAfter calls the operations on objects in every status that the API can
// produce, and checks where the pages say they are accepted, and the resulting status.
func TestStatusesBeforeAndAfter(t *testing.T) {
	x, p := newLive(t), realPortal(t)
	orders := species{"order", "getOrder", x.order, []string{"CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED"}}
	payments := species{"payment", "getPayment", x.payment, []string{"SUCCEEDED", "PARTIALLY_REFUNDED", "REFUNDED", "RETURNED"}}
	companies := species{"company", "getCompany", x.company, []string{"PENDING", "APPROVED", "DECLINED", "ON_HOLD", "SUSPENDED", "CLOSED"}}
	for _, a := range []act{
		{orders, "updateOrder", "change fields", x.token, `{"amount": 1100.00}`},
		{orders, "updateOrder", "authorize", x.token, `{"status": "AUTHORIZED"}`},
		{orders, "updateOrder", "capture", x.token, `{"status": "CAPTURED"}`},
		{orders, "updateOrder", "cancel", x.token, `{"status": "CANCELED"}`},
		{orders, "capturePart", "capture part of an order", x.token, `{"amount": 100.00}`},
		{orders, "extendOrder", "extend an authorization", x.token, ""},
		{orders, "refundOrder", "refund an order", x.token, `{"amount": 10.00}`},
		{orders, "refundOrder", "refund an order", x.token, `{}`},
		{orders, "recordPayment", "record a payment", x.token, `{"order_key": "%", "amount": 10.00, "method": "WIRE"}`},
		{payments, "refundPayment", "refund a payment", x.token, `{"amount": 10.00}`},
		{payments, "refundPayment", "refund a payment", x.token, `{}`},
		{payments, "returnPayment", "return a payment", x.ops, `{"code": "bounced"}`},
		{payments, "cancelPayment", "cancel a payment", x.token, ""},
		{companies, "holdCompany", "hold a company", x.ops, `{"code": "manual_hold"}`},
		{companies, "releaseCompany", "release a company", x.ops, `{"reason": "x"}`},
		{companies, "closeCompany", "close a company", x.ops, `{"reason": "x", "reasons": ["credit_score"]}`},
	} {
		for _, before := range a.on.statuses {
			a.try(t, x, p, before)
		}
	}
}

// species is a kind of object with a status.
type species struct {
	name     string
	read     string // the operation that reads one
	make     func(status string) (id string)
	statuses []string
}

// act is a call of an operation on an object; % in the body is its ID.
type act struct {
	on               species
	operation, doing string
	token, body      string
}

// try calls the operation on an object with a status, and compares the result with the page.
func (a act) try(t *testing.T, x *live, p *Portal, before string) {
	t.Helper()
	asked, follows := []string{}, []string{}
	for _, g := range p.site.states(a.operation) {
		for _, row := range g.Rows {
			if g.Doing != a.doing || row.Member != a.on.name+".status" || a.doing == "change fields" && row.Condition != "" {
				continue
			}
			asked = append(asked, row.Before...)
			if slices.Contains(row.Before, before) && len(row.After) == 0 {
				follows = append(follows, before)
			}
			if len(row.Before) > 0 {
				follows = append(follows, row.After...)
			}
		}
	}
	if len(asked) == 0 {
		t.Fatalf("the page of %s does not say when to %s", a.operation, a.doing)
	}
	id := a.on.make(before)
	address := func(operation string) (method, path string) {
		op := p.site.contract.find(operation)
		path = op.path
		for _, part := range op.in("path") {
			path = strings.ReplaceAll(path, "{"+part.name+"}", id)
		}
		return op.method, path
	}
	method, path := address(a.operation)
	status, answer := x.call(a.token, method, path, strings.ReplaceAll(a.body, "%", id))
	method, path = address(a.on.read)
	after, _ := x.must(x.ops, method, path, "")["status"].(string)
	switch {
	case slices.Contains(asked, before) && (status >= 300 || !slices.Contains(follows, after)):
		t.Errorf("%s of a %s %s: %d %v, and then it is %s", a.doing, before, a.on.name, status, answer["code"], after)
	case !slices.Contains(asked, before) && status < 300 && !(after == before && slices.Contains(follows, before)):
		t.Errorf("%s of a %s %s is accepted, and then it is %s", a.doing, before, a.on.name, after)
	case status >= 300 && after != before:
		t.Errorf("%s of a %s %s is refused, and then it is %s", a.doing, before, a.on.name, after)
	}
}

package portal

import (
	"fmt"
	"go/format"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// goCall is a method of the module's own client. Operations without one, or whose arguments the
// example does not fit, are called through Client.Do.
type goCall struct {
	method string
	body   string   // type of the body, "" if there is none
	lacks  []string // members of the body that the type lacks, or has in another form
	args   []string // members of the body that are arguments, in order
	more   string   // an additional argument, before a page's
	filter string   // filter type of a list, "" if it has none
	paged  bool     // it takes a page of a list
	whole  bool     // it answers a list that is one page
	silent bool     // it returns only an error
}

var goCalls = map[string]goCall{
	"createOrder":       {method: "CreateOrder", body: "OrderRequest"},
	"getOrder":          {method: "Order"},
	"updateOrder":       {method: "UpdateOrder", body: "OrderChange"},
	"refundOrder":       {method: "RefundOrder", body: "OrderRefund"},
	"extendOrder":       {method: "ExtendOrder"},
	"capturePart":       {method: "CapturePart", body: "PartialCapture", lacks: []string{"items"}},
	"getPayoff":         {method: "Payoff", more: `""`},
	"getOrderLedger":    {method: "OrderLedger", whole: true},
	"listOrderEvents":   {method: "ListOrderEvents", paged: true},
	"listOrders":        {method: "ListOrders", filter: "OrderFilter", paged: true},
	"recordPayment":     {method: "RecordPayment", body: "PaymentRequest"},
	"getPayment":        {method: "Payment"},
	"refundPayment":     {method: "RefundPayment", body: "RefundRequest"},
	"cancelPayment":     {method: "CancelPayment"},
	"listPayments":      {method: "ListPayments", filter: "PaymentFilter", paged: true},
	"getSchedule":       {method: "Schedule"},
	"getCompany":        {method: "Company"},
	"listCompanyEvents": {method: "ListCompanyEvents", paged: true},
	"listCompanies":     {method: "ListCompanies", paged: true},
	"getInvoice":        {method: "Invoice"},
	"listInvoices":      {method: "ListInvoices", filter: "InvoiceFilter", paged: true},
	"serviceOrder":      {method: "ServiceOrder"},
	"returnPayment":     {method: "ReturnPayment", body: "PaymentReturn"},
	"reversePayment":    {method: "ReversePayment", body: "PaymentReversal"},
	"listEvents":        {method: "ListEvents", filter: "EventFilter", paged: true},
	"getEvent":          {method: "Event"},
	"createWebhook":     {method: "CreateWebhook", body: "WebhookRequest"},
	"getWebhook":        {method: "Webhook"},
	"listWebhooks":      {method: "ListWebhooks", paged: true},
	"deleteWebhook":     {method: "DeleteWebhook", silent: true},
	"rotateWebhook":     {method: "RotateWebhook"},
	"testWebhook":       {method: "TestWebhook"},
	"listDeliveries":    {method: "ListDeliveries", filter: "DeliveryFilter", paged: true},
	"getDelivery":       {method: "Delivery"},
	"redeliver":         {method: "Redeliver"},
	"listRequests":      {method: "ListRequests", filter: "RequestFilter", paged: true},
	"getRequest":        {method: "LoggedRequest"},
	"createClient":      {method: "CreateClient", body: "APIClientRequest"},
	"getClient":         {method: "APIClient"},
	"listClients":       {method: "ListClients", filter: "APIClientFilter", paged: true},
	"revokeClient":      {method: "RevokeClient", args: []string{"reason"}},
	"createCompany":     {method: "CreateCompany", body: "CompanyRequest", lacks: []string{"billing_address", "status_reason"}},
	"setCreditLine":     {method: "SetCreditLine", body: "CreditLineRequest"},
	"linkCompany":       {method: "LinkCompany", args: []string{"merchant_id", "reason"}},
	"unlinkCompany":     {method: "UnlinkCompany", args: []string{"merchant_id", "reason"}},
	"holdCompany":       {method: "HoldCompany", body: "StatusReason"},
	"releaseCompany":    {method: "ReleaseCompany", args: []string{"reason"}},
	"closeCompany":      {method: "CloseCompany", body: "CompanyClosing"},
	"getMerchant":       {method: "Merchant"},
	"listMerchants":     {method: "ListMerchants", paged: true},
	"listPrograms":      {method: "ListPrograms", paged: true},
}

// goTypes are the client's types for members that are structs or maps.
var goTypes = map[string]string{
	"cart_items": "[]client.CartItem", "items": "[]client.RefundItem", "charges": "&client.Charges",
	"shipping_address": "&client.Address", "billing_address": "&client.Address", "metadata": "map[string]string",
	"scopes": "[]string", "event_types": "[]string", "merchants": "[]string", "reasons": "[]string",
}

// goWords are parts of names that Go capitalizes.
var goWords = []string{"id", "sku", "url"}

// goFilters are list query parameters that are numbers in the client.
var goFilters = []string{"company_id"}

// golang returns the call as a program.
func (c *call) golang() string {
	body := c.goDo()
	switch known, ok := goCalls[c.op.id]; {
	case c.op.access == credentials || c.form:
		body = c.goForm()
	case ok && c.fits(known):
		body = c.goMethod(known)
	}
	source, err := format.Source([]byte(body))
	if err != nil { // the tests compile every program: it would have failed there
		return body
	}
	return string(source)
}

// fits reports whether the client's method can express everything in the example.
func (c *call) fits(g goCall) bool {
	q, err := url.ParseQuery(c.query)
	if err != nil {
		return false
	}
	for name := range q {
		if !(g.paged && (name == "limit" || name == "cursor")) && g.filter == "" {
			return false
		}
	}
	for _, m := range c.body.members {
		if slices.Contains(g.lacks, m.name) {
			return false
		}
	}
	return g.body != "" || len(c.body.members) == len(g.args)
}

// program wraps statements in a program.
func program(imports []string, statements string) string {
	slices.Sort(imports)
	var own, other []string
	for _, i := range imports {
		if strings.HasPrefix(i, "tenor/") {
			own = append(own, strconv.Quote(i))
		} else {
			other = append(other, strconv.Quote(i))
		}
	}
	head := strings.Join(other, "\n")
	if len(own) > 0 {
		head += "\n\n" + strings.Join(own, "\n")
	}
	return "package main\n\nimport (\n" + head + "\n)\n\nfunc main() {\n" + statements + "}\n"
}

const goFail = "if err != nil {\nlog.Fatal(err)\n}\n"

const goClient = "ctx := context.Background()\nc, err := client.New(os.Getenv(\"TENOR_URL\"), os.Getenv(\"TENOR_TOKEN\"))\n" + goFail

// goMethod calls a method of the client.
func (c *call) goMethod(g goCall) string {
	args := append([]string{"ctx"}, c.pathValues()...)
	q, _ := url.ParseQuery(c.query) // fits has parsed it
	switch {
	case g.body != "":
		args = append(args, "client."+g.body+goMembers(c.body))
	case g.filter != "":
		args = append(args, "client."+g.filter+goFilter(q))
	}
	for _, name := range g.args {
		args = append(args, goValue(name, c.body.get(name)))
	}
	if g.more != "" {
		args = append(args, g.more)
	}
	if g.paged {
		args = append(args, "client.Paging"+goPaging(q))
	}
	if c.key != "" {
		args = append(args, "client.IdempotencyKey("+strconv.Quote(c.key)+")")
	}
	return goResult(g, g.method+"("+strings.Join(args, ", ")+")")
}

// goResult returns a program with a call that prints its result.
func goResult(g goCall, call string) string {
	imports := []string{"context", "fmt", "log", "os", "tenor/client"}
	switch {
	case g.silent:
		imports = []string{"context", "log", "os", "tenor/client"}
		return program(imports, goClient+"if err := c."+call+"; err != nil {\nlog.Fatal(err)\n}\n")
	case g.paged, g.whole:
		return program(imports, goClient+"page, err := c."+call+"\n"+goFail+
			"for _, one := range page.Data {\nfmt.Printf(\"%s\\n\", one.JSON())\n}\n")
	}
	return program(imports, goClient+"answer, err := c."+call+"\n"+goFail+"fmt.Printf(\"%s\\n\", answer.JSON())\n")
}

// pathValues returns the values of the path parameters, in order.
func (c *call) pathValues() []string {
	var out []string
	have := strings.Split(c.path, "/")
	for i, part := range strings.Split(c.op.path, "/") {
		if strings.HasPrefix(part, "{") && i < len(have) {
			v, err := url.PathUnescape(have[i])
			if err != nil {
				v = have[i]
			}
			out = append(out, strconv.Quote(v))
		}
	}
	return out
}

// goMembers formats the members of an object as struct fields.
func goMembers(v value) string {
	if len(v.members) == 0 {
		return "{}"
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, m := range v.members {
		if m.value.kind != null {
			fmt.Fprintf(&b, "%s: %s,\n", goName(m.name), goValue(m.name, m.value))
		}
	}
	return b.String() + "}"
}

func goName(member string) string {
	parts := strings.Split(member, "_")
	for i, p := range parts {
		switch {
		case slices.Contains(goWords, p):
			parts[i] = strings.ToUpper(p)
		case p != "":
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

func goValue(name string, v value) string {
	switch v.kind {
	case object:
		if goTypes[name] == "map[string]string" {
			var b strings.Builder
			for _, m := range v.members {
				fmt.Fprintf(&b, "%s: %s,\n", strconv.Quote(m.name), strconv.Quote(m.value.text))
			}
			return goTypes[name] + "{\n" + b.String() + "}"
		}
		return goTypes[name] + goMembers(v)
	case array:
		var b strings.Builder
		for _, i := range v.items {
			b.WriteString(strings.TrimPrefix(goValue("", i), "&") + ",\n")
		}
		return goTypes[name] + "{\n" + b.String() + "}"
	case number:
		if strings.Contains(v.text, ".") {
			return strconv.Quote(v.text) // an amount is decimal text
		}
		return v.text
	case boolean:
		return v.text
	}
	return strconv.Quote(v.text)
}

// goFilter formats the query of a list as its filter.
func goFilter(q url.Values) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if name == "limit" || name == "cursor" {
			continue
		}
		v := strconv.Quote(q.Get(name))
		if slices.Contains(goFilters, name) {
			v = q.Get(name)
		}
		all = append(all, goName(name)+": "+v)
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func goPaging(q url.Values) string {
	if n, err := strconv.Atoi(q.Get("limit")); err == nil {
		return fmt.Sprintf("{Limit: %d}", n)
	}
	return "{}"
}

// goDo calls the operation by path.
func (c *call) goDo() string {
	imports := []string{"context", "fmt", "log", "os", "tenor/client"}
	body := "nil"
	if c.body.kind != absent {
		imports = append(imports, "encoding/json")
		body = "json.RawMessage(" + goText(c.body.pretty()) + ")"
	}
	args := []string{"ctx", strconv.Quote(c.op.method), strconv.Quote(c.target()), body}
	if c.key != "" {
		args = append(args, "client.IdempotencyKey("+strconv.Quote(c.key)+")")
	}
	s := goClient + "answer, err := c.Do(" + strings.Join(args, ", ") + ")\n" + goFail + "fmt.Println(answer.Status, string(answer.Body))\n"
	return program(imports, s)
}

// goText formats a multi-line text as a raw string, if possible.
func goText(s string) string {
	if strings.Contains(s, "`") || !strconv.CanBackquote(strings.ReplaceAll(s, "\n", "")) {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

// goForm submits a form with the client's own credentials.
func (c *call) goForm() string {
	imports := []string{"context", "fmt", "io", "log", "net/http", "os", "strings", "time"}
	var s strings.Builder
	s.WriteString("ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)\ndefer cancel()\n")
	fmt.Fprintf(&s, "request, err := http.NewRequestWithContext(ctx, %q, os.Getenv(\"TENOR_URL\")+%q, strings.NewReader(%q))\n%s",
		c.op.method, c.target(), c.fields(), goFail)
	if c.op.access == credentials {
		s.WriteString("request.SetBasicAuth(os.Getenv(\"TENOR_CLIENT_ID\"), os.Getenv(\"TENOR_CLIENT_SECRET\"))\n")
	}
	for _, h := range c.headers() {
		fmt.Fprintf(&s, "request.Header.Set(%q, %q)\n", h.name, h.value)
	}
	s.WriteString("answer, err := http.DefaultClient.Do(request)\n" + goFail + "defer answer.Body.Close()\n" +
		"text, err := io.ReadAll(answer.Body)\n" + goFail + "fmt.Println(answer.StatusCode, string(text))\n")
	return program(imports, s.String())
}

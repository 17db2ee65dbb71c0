package httpapi_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/core/engine"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
)

// The access matrix (T29): every operation of the table, under every path, for every
// caller, on the caller's own object, on another merchant's and on one that does not exist.

// Owners of objects.
const (
	own    = "own" // merchant A's
	other  = "other's"
	random = "random"
)

// ofCompanies are the objects below a company: whoever may not see the company is told so.
var ofCompanies = []string{"company", "method", "month"}

// matrix creates objects and compares responses.
type matrix struct {
	*house
	api   *openapi3.T
	named int
	cells int
	admin map[string][]string // who → scopes
	known map[string]bool     // operations and statuses whose form was checked
}

// act submits a command as a merchant.
func (m *matrix) act(merchant string, c credit.Command) any {
	m.t.Helper()
	var result any
	_, err := m.engine.Submit(context.Background(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "system", Merchant: merchant, Operator: merchant == ""}, Seed: seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				m.t.Errorf("%s: %v", c.Name(), r)
			}
			if result = ch.Result; c.Name() == "webhook.test" {
				result = ch.Events[0].ID
			}
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		m.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// make creates an object of a merchant.
func (m *matrix) make(kind, merchant string) string {
	m.t.Helper()
	company := m.house.company
	if merchant == m.house.b {
		company = m.unlinked
	}
	switch kind {
	case "company":
		return fmt.Sprint(m.act("", lending.CreateCompany{
			Title: "Matrix", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("1000.00"), Merchants: []string{merchant},
		}).(*credit.Company).ID)
	case "order", "invoice", "payment":
		o := m.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 3, Authorize: true}).(*credit.Order)
		o = m.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
		if kind == "order" {
			return o.Key
		}
		if kind == "invoice" {
			return o.Invoice
		}
		who := "a" // a merchant refunds what a merchant recorded; the lender refunds what the lender recorded (F41.3)
		if merchant == m.house.b {
			who = "b"
		}
		r := m.must(201, who, "POST", "/payment", `{"order_key":"`+o.Key+`","amount":10,"method":"WIRE"}`)
		return r.text("id")
	case "webhook":
		return m.act("", access.CreateEndpoint{Merchant: merchant, URL: "https://shop.example/", Enabled: true, Sealed: []byte("sealed")}).(*credit.Endpoint).ID
	case "event":
		return m.act("", access.TestEndpoint{Endpoint: m.make("webhook", merchant)}).(string)
	case "delivery":
		endpoint := m.make("webhook", merchant)
		event := m.act("", access.TestEndpoint{Endpoint: endpoint}).(string)
		m.named++
		id := fmt.Sprintf("dlv_%026d", m.named)
		m.deliverTo(id, merchant, endpoint, event)
		return id
	case "merchant":
		m.named++
		return m.act("", merchants.CreateMerchant{Title: fmt.Sprint("Merchant ", m.named), Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	case "method":
		return fmt.Sprintf("%d/%s", company, m.act(merchant, m.addMethod(company, "123456789")).(*credit.PaymentMethod).ID)
	case "month":
		return fmt.Sprintf("%d/2026-01", company)
	case "payout":
		return m.paidOut(merchant)
	case "fee":
		return m.feeOf(merchant)
	case "transfer":
		return m.debitOf(merchant).Transfer
	case "refund":
		return m.refundOf(merchant)
	case "notice":
		return m.noticeOf(merchant)
	case "screening":
		return m.act("", compliance.RecordScreening{Company: m.freshCompany(merchant), List: "v1", Names: []string{"x"}, Matches: []credit.Match{{Entry: "T-1", Name: "X", Score: 99}}}).(*credit.Screening).ID
	case "receipt":
		return m.act("", payments.RecordReceipt{Amount: 1, Method: credit.Wire, Received: calendar.None}).(*credit.Receipt).ID
	case "bank line":
		return m.bankLine()
	case "match":
		return m.bankMatch()
	case "bank notice":
		m.named++
		return m.bankNotice(fmt.Sprint("returns.ach/", m.named))
	case "lines":
		return strings.Join(m.cancelingLines(), `","`)
	case "entry":
		return m.act("", compliance.MoveFunding{Amount: money.MustParse("5.00"), Reference: fmt.Sprint("matrix ", m.named)}).(ledger.Entry).ID
	case "checkout", "application", "document", "agreed order", "declined application":
		return m.makeBuyers(kind, merchant)
	case "person", "unsigned company", "signed company":
		return m.makePeople(kind, merchant)
	case "approval":
		return askFor(m.house, compliance.MoveFunding{Amount: money.MustParse("1.00"), Reference: "matrix"})
	case "case", "case document":
		return m.makeCase(kind, merchant)
	case "request":
		m.named++
		id := fmt.Sprintf("log_%026d", m.named)
		m.logged(id, &credit.Client{ID: "cli_1", Merchant: merchant})
		return id
	case "client":
		return m.act("", access.CreateClient{Merchant: merchant, Title: "matrix", SecretHash: auth.HashSecret("x"), At: m.now()}).(*credit.Client).ID
	}
	m.t.Fatalf("no maker of %s", kind)
	return ""
}

// objects returns one object of each owner, for one operation.
func (m *matrix) objects(kind string) map[string]string {
	if kind == "" {
		return map[string]string{own: ""}
	}
	return map[string]string{own: m.make(kind, m.house.a), other: m.make(kind, m.house.b), random: nobodys[kind]}
}

// aliases are the paths of an operation (docs/decisions.md, gap 4.7).
func aliases(path string) []string {
	if strings.HasPrefix(path, "/oauth/") {
		return []string{path}
	}
	for _, prefix := range []string{"/v1/", "/v2/"} {
		if strings.HasPrefix(path, prefix) {
			path = path[3:]
		}
	}
	return []string{path, "/v1" + path, "/v2" + path}
}

// request fills in an operation's path and body. A nested object is named by both IDs.
func (m *matrix) request(op rest.Operation, path, object string) (target, body string) {
	segments := strings.Split(path, "/")
	left := object
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i], left, _ = strings.Cut(left, "/")
		}
	}
	m.named++
	body = bodies[op.ID].body
	body = strings.NewReplacer("%s", object, "%d", fmt.Sprint(m.named), "%m", m.house.b, "%c", fmt.Sprint(m.house.company),
		"%D", calendar.MustParse("2026-02-01").AddDays(m.named).String()).Replace(body)
	target = strings.Join(segments, "/")
	return target, because(op.Method, target, body)
}

// kind is the object that an operation names in its path or body.
func (m *matrix) kind(op rest.Operation) string {
	if kind := kindFor[op.ID]; kind != "" {
		return kind
	}
	segments := strings.Split(op.Path, "/")
	kind := bodies[op.ID].kind
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			if kind = kindOf[segments[i-1]]; kind == "" {
				m.t.Fatalf("%s: the matrix does not know what stands behind /%s/", op.ID, segments[i-1])
			}
		}
	}
	return kind
}

// want is the rule: which status an operation returns.
func want(op rest.Operation, who string, scopes []string, kind, owner string) (status int, code string) {
	if scopes == nil {
		return 401, "unauthorized"
	}
	operator := who == "ops" || who == "reader"
	for _, s := range op.Scopes {
		_, verb, _ := strings.Cut(s, ":")
		if !slices.Contains(scopes, s) && !(operator && slices.Contains(scopes, "operator:"+verb)) {
			return 403, "insufficient_scope"
		}
	}
	if op.TenantOnly && operator {
		return 403, "insufficient_scope"
	}
	mine := operator || owner == own && who != "b" || owner == other && who == "b"
	switch {
	case kind == "" || mine && owner != random:
		return 0, "" // let through
	case slices.Contains(ofCompanies, kind) && owner != random:
		return 403, "company_not_linked"
	}
	return 404, "not_found"
}

func newMatrix(t *testing.T) *matrix {
	m := &matrix{known: map[string]bool{}, house: newHouse(t, func(c *rest.Config) { c.MaxFailures, c.MaxMisses = 1_000_000, 1_000_000 })}
	all := auth.Scopes(false, false)
	m.admin = map[string][]string{
		"none": nil, "wrong": nil, "expired": nil, "revoked": nil, "revoked client": nil,
		"a": all, "lacking": {}, "b": all, "ops": auth.Scopes(true, false), "reader": {"operator:read"},
	}
	m.tokens["wrong"] = "tnr_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"
	m.tokens["expired"] = m.ended(false)
	m.tokens["revoked"] = m.ended(true)
	id, secret := m.client(m.house.a, "")
	m.tokens["revoked client"] = m.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	m.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/revoke", "")
	m.pass(auth.CacheFor)
	return m
}

// contract is the contract, read when the first test needs it.
func (m *matrix) contract() *openapi3.T {
	m.t.Helper()
	if m.api == nil {
		doc, _, err := m.house.api.Contract()
		if err != nil {
			m.t.Fatal(err)
		}
		if m.api, err = openapi3.NewLoader().LoadFromData(doc); err != nil {
			m.t.Fatal(err)
		}
	}
	return m.api
}

// ended returns an expired or revoked token of merchant A.
func (m *matrix) ended(revoked bool) string {
	m.t.Helper()
	c, _ := m.person(m.house.a)
	desk := m.issuer()
	if !revoked {
		desk.Now = func() time.Time { return m.now().Add(-time.Hour) }
	}
	token, row, err := desk.NewToken(context.Background(), c, nil, time.Hour)
	if err == nil && revoked {
		err = desk.RevokeToken(context.Background(), row.Hash)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return token
}

// The table, the router and the OpenAPI document name the same operations.
func TestTableIsTheContract(t *testing.T) {
	m := newMatrix(t)
	left := map[string]bool{}
	for path, item := range m.contract().Paths.Map() {
		for method := range item.Operations() {
			left[method+" "+path] = true
		}
	}
	for _, op := range httpapi.Table(m.service) {
		if !left[op.Method+" "+op.Path] {
			t.Errorf("%s is not in the document", op.ID)
		}
		delete(left, op.Method+" "+op.Path)
		if !op.Public && len(op.Scopes) == 0 {
			t.Errorf("%s asks for no scope", op.ID)
		}
		if op.Public != (strings.HasPrefix(op.Path, "/oauth/") || op.PerAddress) {
			t.Errorf("%s is open to everybody", op.ID)
		}
		if operator := strings.HasPrefix(op.Path, "/v1/operator/") || lendersOwn(op.Path); operator != slices.ContainsFunc(op.Scopes, lenders) {
			t.Errorf("%s: scopes %v", op.ID, op.Scopes)
		}
		if read := op.Method == http.MethodGet || op.Reads; !op.Public && !slices.ContainsFunc(op.Scopes, func(s string) bool {
			return (strings.HasSuffix(s, ":write") || strings.HasSuffix(s, ":manage")) != read
		}) {
			t.Errorf("%s %s asks for %v", op.Method, op.ID, op.Scopes)
		}
		doc := m.contract().Paths.Find(op.Path).GetOperation(op.Method)
		if doc.RequestBody != nil && doc.RequestBody.Value.Required && because(op.Method, op.Path, bodies[op.ID].body) == "" && !op.Public {
			t.Errorf("%s: the matrix has no body for it", op.ID)
		}
	}
	if len(left) > 0 {
		t.Errorf("in the document and not in the table: %v", slices.Sorted(maps.Keys(left)))
	}
}

// lendersOwn are paths below a company that no merchant has, because they are between the
// company and the lender.
func lendersOwn(path string) bool {
	return strings.HasSuffix(path, "/credit_refunds") || strings.HasSuffix(path, "/vouch") || strings.Contains(path, "/statements")
}

func TestAccessMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine asks one thing after the other: nothing for the race detector")
	}
	m := newMatrix(t)
	party := credit.Party{Name: "Harbor Credit", Address: "Albany"}
	m.submit(compliance.SetLender{Creditor: &party, Regulator: &party}) // named in notices
	tried := 0
	for _, op := range httpapi.Table(m.service) {
		if !op.Public {
			t.Run(op.ID, func(t *testing.T) {
				defer func(outer *testing.T) { m.t = outer }(m.t)
				m.t = t
				m.operation(op)
				tried++
			})
		}
	}
	t.Logf("%d cells", m.cells)
	if tried > 1 && m.cells < 3000 { // a single operation can be asked for
		t.Errorf("only %d cells", m.cells)
	}
}

// operation tries every caller on an operation: first those who are refused.
func (m *matrix) operation(op rest.Operation) {
	kind := m.kind(op)
	objects := m.objects(kind)
	m.tokens["lacking"] = m.lacking(op)
	before := m.state()
	m.each(op, objects, func(path, who, owner string) { m.refused(op, path, who, kind, owner, objects) })
	if m.state() != before {
		m.t.Errorf("%s: somebody who was refused has had an effect", op.ID)
	}
	m.each(op, objects, func(path, who, owner string) { m.let(op, path, who, kind, owner, objects) })
}

// each iterates over every caller, path and owner.
func (m *matrix) each(op rest.Operation, objects map[string]string, fn func(path, who, owner string)) {
	for _, who := range slices.Sorted(maps.Keys(m.admin)) {
		for _, path := range aliases(op.Path) {
			for _, owner := range slices.Sorted(maps.Keys(objects)) {
				fn(path, who, owner)
			}
		}
	}
}

// lacking returns a token of merchant A with every scope but the operation's.
func (m *matrix) lacking(op rest.Operation) string {
	scopes := slices.DeleteFunc(auth.Scopes(false, false), func(s string) bool { return slices.Contains(op.Scopes, s) })
	if slices.ContainsFunc(op.Scopes, lenders) {
		scopes = auth.Scopes(false, false) // no merchant's token has it
	}
	return m.token(m.house.a, scopes...)
}

func (m *matrix) ask(op rest.Operation, path, who, object string) reply {
	target, body := m.request(op, path, object)
	header := []string{"X-Request-Id", "same"}
	if len(op.Consumes) > 0 && op.Stream == nil {
		header = append(header, "Content-Type", op.Consumes[0])
	}
	if who == "none" {
		who = ""
	}
	return m.call(who, op.Method, target, body, header...)
}

// refused makes the requests that must be refused.
func (m *matrix) refused(op rest.Operation, path, who, kind, owner string, objects map[string]string) {
	m.t.Helper()
	status, code := want(op, who, m.admin[who], kind, owner)
	if status == 0 {
		return
	}
	m.cells++
	r := m.ask(op, path, who, objects[owner])
	if r.status != status || r.code() != code {
		m.t.Errorf("%s %s %s as %s on %s: %d %s, want %d %s", op.ID, op.Method, path, who, owner, r.status, r.code(), status, code)
	}
	m.conformsOnce(op, r)
	if r.header.Get("Commit-Seq") != "" || r.header.Get("ETag") != "" || r.header.Get("Location") != "" {
		m.t.Errorf("%s %s as %s on %s: %v", op.ID, path, who, owner, r.header)
	}
	if owner != random && (!slices.Contains(ofCompanies, kind) || status != 403) {
		m.alike(op, path, who, objects[owner], objects[random])
	}
}

// let makes the requests that must be let through.
func (m *matrix) let(op rest.Operation, path, who, kind, owner string, objects map[string]string) {
	m.t.Helper()
	if status, _ := want(op, who, m.admin[who], kind, owner); status != 0 {
		return
	}
	m.cells++
	object := objects[owner]
	if op.Method == http.MethodDelete || op.ID == "removePerson" { // what is gone stays gone for the next cell
		merchant := m.house.a
		if owner == other {
			merchant = m.house.b
		}
		object = m.make(kind, merchant)
	}
	r := m.ask(op, path, who, object)
	if !letThrough(op, r) {
		m.t.Errorf("%s %s %s as %s on %s: %d %s", op.ID, op.Method, path, who, owner, r.status, r.raw)
	}
	m.conformsOnce(op, r)
}

// letThrough reports whether a response is one of the operation's own: success, or a
// refusal by its rules.
func letThrough(op rest.Operation, r reply) bool {
	switch {
	case r.status >= 200 && r.status < 300:
		return true
	case op.Method == http.MethodGet:
		return false
	}
	return r.status == 409 || r.status == 422 && (r.code() != "validation_failed" || r.body["errors"] == nil) // a rule, not the schema
}

// alike checks that another's object is indistinguishable from one that does not exist, by
// bytes or headers. Companies are the contract's exception.
func (m *matrix) alike(op rest.Operation, path, who, foreign, none string) {
	m.t.Helper()
	print := func(r reply) string {
		h := r.header.Clone()
		h.Del("Ratelimit") // it counts requests
		return fmt.Sprintf("%d %v %s", r.status, h, r.raw)
	}
	if a, b := print(m.ask(op, path, who, foreign)), print(m.ask(op, path, who, none)); a != b {
		m.t.Errorf("%s %s as %s tells a foreign object from none:\n%s\n%s", op.ID, path, who, a, b)
	}
}

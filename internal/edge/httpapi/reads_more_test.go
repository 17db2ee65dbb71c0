package httpapi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// ids returns the IDs of a list's members, in order.
func (r reply) ids() []string {
	out := []string{}
	for _, x := range r.body["data"].([]any) {
		m := x.(map[string]any)
		for _, name := range []string{"key", "id"} {
			if id, ok := m[name].(string); ok {
				out = append(out, id)
				break
			}
		}
	}
	return out
}

// Every filter of every list narrows it as specified, alone and combined, also below a
// company. A foreign ID finds nothing (A12).
func TestFilters(t *testing.T) {
	s := open(t)
	second := s.submit(lending.CreateCompany{Title: "Birch Joinery", Status: credit.CompanyApproved, Tier: "B", Limit: money.MustParse("25000.00"), Merchants: []string{s.merchant}}).(*credit.Company).ID
	create := func(company int64, day, number, status string) string {
		s.at(day)
		return s.order(`{"company_id":%d,"merchant_order_id":"%s","amount":300,"installments":3,"status":"%s"}`, company, number, status)
	}
	a := create(s.company, "2026-01-10", "A", "CREATED")
	b := create(s.company, "2026-01-11", "B", "AUTHORIZED")
	c := create(second, "2026-01-12", "C", "AUTHORIZED")
	d := create(second, "2026-01-13", "D", "CREATED")
	s.at("2026-01-14")
	s.must(200, "shop", "PATCH", "/v1/order/"+b, `{"status":"CAPTURED"}`)
	s.at("2026-01-16")
	s.must(200, "shop", "PATCH", "/v1/order/"+c, `{"status":"CAPTURED"}`)
	changed := s.clock()
	s.at("2026-01-18")
	s.must(200, "shop", "PATCH", "/v1/order/"+d, `{"status":"CANCELED"}`)
	pay := func(token, day, body string) string {
		s.at(day)
		return s.must(201, token, "POST", "/payment", body).body["id"].(string)
	}
	p1 := pay("shop", "2026-01-19", `{"order_key":"`+b+`","amount":10,"method":"WIRE"}`)
	p2 := pay("ops", "2026-01-20", `{"order_key":"`+c+`","amount":20,"method":"CHECK","effective_date":"2026-01-17"}`)
	p3 := pay("ops", "2026-01-21", fmt.Sprintf(`{"company_id":%d,"amount":30,"method":"WIRE"}`, second)) // the operator's, of no order
	p4 := pay("shop", "2026-01-22", `{"order_key":"`+b+`","amount":40,"method":"CASH"}`)
	s.must(200, "shop", "POST", "/payment/"+p4+"/refund", `{}`)
	invoice := func(key string) string {
		return s.must(200, "shop", "GET", "/v1/order/"+key, "").body["invoice_id"].(string)
	}
	ib, ic := invoice(b), invoice(c)
	one, two := strconv.FormatInt(s.company, 10), strconv.FormatInt(second, 10)
	for _, x := range []struct {
		token, path string
		want        []string // newest first
	}{
		{"shop", "/v1/orders", []string{d, c, b, a}},
		{"other", "/v1/orders", nil},
		{"shop", "/v1/orders?company_id=" + one, []string{b, a}},
		{"shop", "/v1/orders?company_id=3000000000", nil},
		{"other", "/v1/orders?company_id=" + one, nil},
		{"shop", "/v1/orders?merchant_order_id=B", []string{b}},
		{"shop", "/v1/orders?merchant_order_id=b", nil},
		{"other", "/v1/orders?merchant_order_id=B", nil},
		{"shop", "/v1/orders?merchant_order_id=%27%20OR%201%3D1--", nil},
		{"shop", "/v1/orders?status=CAPTURED", []string{c, b}},
		{"shop", "/v1/orders?status=CANCELED&merchant_order_id=D", []string{d}},
		{"shop", "/v1/orders?financing_status=NONE", []string{d, a}},
		{"shop", "/v1/orders?financing_status=ACTIVE&company_id=" + two, []string{c}},
		{"shop", "/v1/orders?financing_status=OVERDUE", nil},
		{"shop", "/v1/orders?created_from=2026-01-11&created_to=2026-01-12", []string{c, b}},
		{"shop", "/v1/orders?created_from=2026-01-13", []string{d}},
		{"shop", "/v1/orders?created_to=2026-01-10", []string{a}},
		{"shop", "/v1/orders?captured_from=2026-01-15", []string{c}},
		{"shop", "/v1/orders?captured_to=2026-01-15", []string{b}},
		{"shop", "/v1/orders?captured_from=2026-01-14&captured_to=2026-01-16&company_id=" + one, []string{b}},
		{"shop", "/v1/orders?updated_since=" + changed.Add(time.Microsecond).UTC().Format(time.RFC3339Nano), []string{d}},
		{"shop", "/v1/orders?updated_since=" + changed.UTC().Format(time.RFC3339Nano), []string{d, c}},
		{"ops", "/v1/orders?status=CREATED", []string{a}},

		{"shop", "/payments", []string{p4, p2, p1}},
		{"ops", "/payments", []string{p4, p3, p2, p1}},
		{"shop", "/payments?order_key=" + b, []string{p4, p1}},
		{"shop", "/payments?order_id=" + b + "&method=WIRE", []string{p1}},
		{"other", "/payments?order_key=" + b, nil},
		{"shop", "/payments?invoice_id=" + ic, []string{p2}},
		{"shop", "/payments?status=REFUNDED", []string{p4}},
		{"shop", "/payments?company_id=" + two, []string{p2}},
		{"ops", "/payments?company_id=" + two, []string{p3, p2}},
		{"shop", "/payments?from=2026-01-17&to=2026-01-19", []string{p2, p1}},
		{"shop", "/payments?to=2026-01-18", []string{p2}},
		{"shop", "/payments?method=OTHER", nil},

		{"shop", "/v1/invoices", []string{ic, ib}},
		{"shop", "/v1/invoices?order_key=" + b, []string{ib}},
		{"shop", "/v1/invoices?company_id=" + two + "&status=OPEN", []string{ic}},
		{"other", "/v1/invoices?order_key=" + b, nil},

		{"shop", "/v1/companies/" + one + "/orders", []string{b, a}},
		{"shop", "/v1/companies/" + one + "/orders?status=CREATED", []string{a}},
		{"shop", "/v2/companies/" + two + "/orders?created_from=2026-01-13", []string{d}},
		{"shop", "/companies/" + two + "/orders?merchant_order_id=A", nil},
		{"shop", "/v1/companies/" + two + "/payments", []string{p2}},
		{"ops", "/v1/companies/" + two + "/payments", []string{p3, p2}},
		{"ops", "/v1/companies/" + two + "/payments?method=CHECK", []string{p2}},
		{"shop", "/v1/companies/" + one + "/payments?order_key=" + c, nil},
		{"shop", "/v1/companies/" + one + "/invoices", []string{ib}},
		{"shop", "/v1/companies/" + one + "/invoices?status=PAID", nil},
	} {
		r := s.must(200, x.token, "GET", x.path, "")
		if below := companyList.FindStringSubmatch(x.path); below != nil {
			conforms(t, "GET", "/v1/companies/{company_id}/"+below[1], r)
		}
		if got := r.ids(); !slices.Equal(got, append([]string{}, x.want...)) {
			t.Errorf("%s %s: %v, want %v", x.token, x.path, got, x.want)
		}
	}
	for _, x := range []struct {
		token, path string
		status      int
		code        string
	}{
		{"shop", "/v1/companies/3000000000/orders", 404, "not_found"},
		{"shop", "/v1/companies/x/orders", 404, "not_found"},
		{"other", "/v1/companies/" + one + "/orders", 403, "company_not_linked"},
		{"other", "/v1/companies/" + one + "/payments", 403, "company_not_linked"},
		{"other", "/v1/companies/" + one + "/invoices", 403, "company_not_linked"},
		{"other", "/v1/companies/" + one + "/events", 403, "company_not_linked"},
		{"blind", "/v1/companies/" + one + "/events", 403, "insufficient_scope"},
		{"shop", "/v1/companies/" + one + "/orders?company_id=" + two, 400, "unknown_parameter"},
		{"shop", "/v1/companies/" + one + "/orders?captured_from=2026-02-01&captured_to=2026-01-01", 400, "invalid_parameter"},
		{"shop", "/v1/companies/" + one + "/payments?from=2026-02-01&to=2026-01-01", 400, "invalid_parameter"},
		{"shop", "/v1/companies/" + one + "/statements", 403, "insufficient_scope"},
		{"shop", "/v1/companies/" + one + "/nothing", 404, "not_found"},
		{"shop", "/v1/orders?created_from=0000-01-01", 400, "invalid_parameter"},
		{"shop", "/v1/orders?created_to=9999-12-31", 400, "invalid_parameter"},
		{"shop", "/v1/orders?updated_since=2026-01-10T10:00:60Z", 400, "invalid_parameter"},
		{"shop", "/v1/orders?updated_since=2026-01-10T10:00:00", 400, "invalid_parameter"},
		{"shop", "/v1/orders?limit=1000000000", 400, "invalid_parameter"},
		{"shop", "/v1/orders?status[ne]=CREATED", 400, "unknown_parameter"},
		{"shop", "/v1/orders?financing_status=paid_off", 400, "invalid_parameter"},
		{"shop", "/payments?invoice_id=" + b, 400, "invalid_parameter"},
		{"shop", "/v1/invoices?status=open", 400, "invalid_parameter"},
		{"shop", "/v1/order/" + b + "/payoff?date=2026-01-21", 400, "invalid_parameter"},
		{"shop", "/v1/order/" + b + "/payoff?date=tomorrow", 400, "invalid_parameter"},
		{"shop", "/v1/order/" + a + "/payoff", 409, "order_not_captured"},
	} {
		if r := s.call(x.token, "GET", x.path, ""); r.status != x.status || r.code() != x.code {
			t.Errorf("%s %s: %d %s, want %d %s", x.token, x.path, r.status, r.raw, x.status, x.code)
		}
	}
}

var companyList = regexp.MustCompile(`/companies/[0-9]+/([a-z]+)`)

// A cursor of a list below a company is valid only there (A12).
func TestCursorsBelowCompanies(t *testing.T) {
	s := open(t)
	second := s.submit(lending.CreateCompany{Title: "Birch Joinery", Status: credit.CompanyApproved, Tier: "B", Limit: money.MustParse("25000.00"), Merchants: []string{s.merchant}}).(*credit.Company).ID
	for i := range 5 {
		s.pass(time.Second)
		s.order(`{"company_id":%d,"amount":%d}`, s.company, i+1)
	}
	first := s.must(200, "shop", "GET", fmt.Sprintf("/v1/companies/%d/orders?limit=2", s.company), "")
	next := first.body["next_cursor"].(string)
	rest := s.must(200, "shop", "GET", fmt.Sprintf("/v1/companies/%d/orders?limit=3&cursor=%s", s.company, next), "")
	if len(first.ids()) != 2 || len(rest.ids()) != 3 || rest.body["has_more"] != false {
		t.Errorf("%v, then %v", first.ids(), rest.ids())
	}
	for _, path := range []string{
		fmt.Sprintf("/v1/companies/%d/orders?cursor=%s", second, next), "/v1/orders?cursor=" + next,
		fmt.Sprintf("/v1/companies/%d/payments?cursor=%s", s.company, next), fmt.Sprintf("/v1/companies/%d/orders?status=CREATED&cursor=%s", s.company, next),
	} {
		if r := s.call("shop", "GET", path, ""); r.status != 400 || r.code() != "invalid_cursor" {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
}

// Of a company's events a merchant sees those from the time the company was linked to it.
// The operator sees all of them. They come oldest first, at any page size.
func TestCompanyEvents(t *testing.T) {
	s := open(t)
	company := s.submit(lending.CreateCompany{Title: "Birch Joinery", Status: credit.CompanyApproved, Tier: "B", Limit: money.MustParse("9000.00"), Merchants: []string{s.merchant}}).(*credit.Company).ID
	for range 3 {
		s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, company)
	}
	s.submit(lending.UpdateCompany{Company: company, Link: []string{s.stranger}})
	for range 2 {
		s.order(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, company)
	}
	path := fmt.Sprintf("/v1/companies/%d/events", company)
	walk := func(token string, limit int) (out []string) {
		next := ""
		for range 20 {
			p := fmt.Sprintf("%s?limit=%d", path, limit)
			if next != "" {
				p += "&cursor=" + next
			}
			r := s.must(200, token, "GET", p, "")
			for _, x := range r.body["data"].([]any) {
				e := x.(map[string]any)
				out = append(out, fmt.Sprint(e["sequence"], " ", e["type"]))
			}
			var more bool
			if next, more = r.body["next_cursor"].(string); !more {
				return out
			}
		}
		t.Fatalf("%s: the list does not end", token)
		return nil
	}
	all := walk("ops", 100)
	if len(all) < 6 || !strings.HasPrefix(all[0], "1 company.created") {
		t.Fatalf("all: %v", all)
	}
	for _, limit := range []int{1, 2, 100} {
		if got := walk("ops", limit); !slices.Equal(got, all) {
			t.Errorf("by %d: %v, want %v", limit, got, all)
		}
		if got := walk("shop", limit); !slices.Equal(got, all) {
			t.Errorf("linked always, by %d: %v, want %v", limit, got, all)
		}
	}
	linked := slices.IndexFunc(all, func(e string) bool { return strings.HasPrefix(e, "5 ") })
	for _, limit := range []int{1, 3, 100} {
		if got := walk("other", limit); linked < 0 || !slices.Equal(got, all[linked:]) {
			t.Errorf("linked late, by %d: %v, want %v", limit, got, all[linked:])
		}
	}
}

// amountAt finds the value in resources that a name in an explanation refers to.
func amountAt(t *testing.T, name string, resources map[string]any) any {
	t.Helper()
	segment := regexp.MustCompile(`^([a-z_]+)(?:\[([^\]]+)\])?$`)
	var at any = resources
	for _, part := range strings.Split(name, ".") {
		m := segment.FindStringSubmatch(part)
		if m == nil {
			return nil
		}
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		if at = object[m[1]]; m[2] == "" {
			continue
		}
		list, _ := at.([]any)
		at = nil
		for _, x := range list {
			o := x.(map[string]any)
			if fmt.Sprint(o["number"]) == m[2] || o["id"] == m[2] {
				at = x
			}
		}
	}
	return at
}

// Every amount of an order that is captured, paid, refunded and paid back is explained by a
// rule, and equals what the other reads show.
func TestExplain(t *testing.T) {
	s := open(t)
	key := s.order(`{"company_id":%d,"amount":1200.00,"installments":6,"status":"AUTHORIZED"}`, s.company)
	s.at("2026-01-15")
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	s.at("2026-02-15")
	s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":207.06,"method":"WIRE"}`)
	s.at("2026-03-01")
	s.must(200, "shop", "PATCH", "/v1/order/"+key+"/refund", `{"amount":300.00}`)
	s.at("2026-03-20")
	r := s.must(200, "shop", "GET", "/v1/order/"+key+"/explain", "")
	conforms(t, "GET", "/v1/order/{key}/explain", r)
	resources := s.must(200, "shop", "GET", "/v1/order/"+key, "").body
	resources["schedule"] = any(s.must(200, "shop", "GET", "/payments/schedule/"+key, "").body)
	resources["payoff"] = any(s.must(200, "shop", "GET", "/v1/order/"+key+"/payoff?date=2026-03-20", "").body)
	ledger := s.must(200, "shop", "GET", "/v1/order/"+key+"/ledger", "").body["data"].([]any)
	if text(r.body["entries"]) != text(ledger) {
		t.Error("the entries are not those of the ledger")
	}
	named := map[string]bool{}
	compared := 0
	for _, x := range r.body["amounts"].([]any) {
		a := x.(map[string]any)
		name := a["name"].(string)
		if named[name] {
			t.Errorf("%s twice", name)
		}
		named[name] = true
		if !regexp.MustCompile(`^F[0-9]+$`).MatchString(a["rule"].(string)) || a["rule_text"] == "" {
			t.Errorf("%s by %v: %v", name, a["rule"], a["rule_text"])
		}
		if shown := amountAt(t, name, resources); shown != nil {
			compared++
			if fmt.Sprint(shown) != fmt.Sprint(a["value"]) {
				t.Errorf("%s is explained as %v and shown as %v", name, a["value"], shown)
			}
		}
	}
	for _, name := range []string{"amount", "captured_amount", "refunded_amount", "terms.finance_charge", "schedule.remaining_balance", "schedule.installments[2].finance_charge", "payoff.amount"} {
		if !named[name] {
			t.Errorf("%s is not explained", name)
		}
	}
	if compared < 40 {
		t.Errorf("only %d of %d amounts are those of a resource", compared, len(named))
	}
	for _, x := range []struct {
		token, path string
		status      int
	}{{"other", "/v1/order/" + key + "/explain", 404}, {"blind", "/v1/order/" + key + "/explain", 403}, {"ops", "/v1/order/" + key + "/explain", 200}, {"shop", "/v1/order/ord_none/explain", 404}} {
		if r := s.call(x.token, "GET", x.path, ""); r.status != x.status {
			t.Errorf("%s %s: %d", x.token, x.path, r.status)
		}
	}
	open := s.order(`{"company_id":%d,"amount":50.00}`, s.company)
	if r := s.must(200, "shop", "GET", "/v1/order/"+open+"/explain", ""); len(r.body["entries"].([]any)) != 0 || !strings.Contains(r.raw, `"name":"amount"`) {
		t.Errorf("before authorization: %s", r.raw)
	}
}

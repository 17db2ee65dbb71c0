package console

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/permit"
)

// real makes one of each object, and returns the page of one for the path of a page of any.
func (r *rig) real() func(path string) string {
	r.t.Helper()
	o, _ := r.sold()
	x := r.paidOut(o)
	vic, _ := r.invite("vic@lender.example", "Vic Amann", permit.Viewer)
	r.two("0.00")
	asked := r.act(credit.Actor{Client: "cli_ERP", Operator: true}, lending.RefundOrder{Order: o.Key}).(*credit.Approval)
	paid, a := r.act(credit.Actor{Client: "system", Operator: true}, paid(o)).(*credit.Payment), r.applied("00-0000003")
	real := map[string]*strings.Replacer{}
	for section, x := range map[string][2]string{
		"orders": {o.Key, "ledger"}, "companies": {strconv.FormatInt(o.Company, 10), "payments"}, "applications": {a.ID, ""}, "payments": {paid.ID, ""}, "approvals": {asked.ID, ""}, "ledger": {"", ""}, "audit": {"", ""}, "payouts": {x.ID, ""}, "people": {vic.ID, ""}, "reports": {"", "cash"}, "merchants": {o.Merchant, ""},
	} {
		real[section] = strings.NewReplacer("{key}", x[0], "{id}", x[0], "{tab}", x[1], "{act}", "burn", "{account}", "1000", "{row}", "1", "{bucket}", "DPD_1_29", "{file}", "cash.csv")
	}
	return func(path string) string {
		section, _, _ := strings.Cut(strings.TrimPrefix(path, Prefix+"/"), "/")
		if names := real[section]; names != nil {
			return names.Replace(path)
		}
		return path
	}
}

// In a sandbox every page has the bar with the business time and the way to move it; a live console
// names no way to a clock on any page.
func TestSandboxBar(t *testing.T) {
	r := newRig(t)
	real := r.real()
	ada, _, _ := r.enrolled("ada@lender.example", permit.Admin)
	finn, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	for _, sandbox := range []bool{false, true} {
		r.desk.Sandbox = sandbox
		clock, seen := r.wall.In(r.desk.Zone.Location()).Format("Jan 2, 2006 15:04"), 0
		for _, x := range r.pages.rights {
			b := ada
			if permit.May([]permit.Role{permit.Admin}, x.permission) == permit.None {
				b = finn
			}
			if b.get(real(x.path)); !strings.HasPrefix(b.last.Header().Get("Content-Type"), "text/html") || b.last.Code >= 300 && b.last.Code < 400 {
				continue
			}
			seen++
			if bar := strings.Contains(b.body, "no real money") && strings.Contains(b.body, clock) && strings.Contains(b.body, `href="/sandbox"`); bar != sandbox {
				t.Errorf("sandbox %t, %s: bar %t", sandbox, x.path, bar)
			}
			if !sandbox && (strings.Contains(b.body, "/sandbox") || strings.Contains(b.body, "move the clock")) {
				t.Errorf("the live page %s leads to a clock", x.path)
			}
		}
		if seen < 35 {
			t.Errorf("only %d pages", seen)
		}
	}
}

// Every page asks the table of roles: a role that lacks the permission is refused, and told which
// roles have it.
func TestEveryRouteAndRole(t *testing.T) {
	r := newRig(t)
	real := r.real()
	for _, role := range permit.Roles() {
		b, _, _ := r.enrolled(string(role)+"@lender.example", role)
		for _, x := range r.pages.rights {
			if x.permission == "" {
				continue
			}
			want := http.StatusOK
			switch {
			case strings.HasSuffix(x.path, "/{act}"): // each act asks for its own: see TestEveryActAndRole
				want = http.StatusNotFound
			case permit.May([]permit.Role{role}, x.permission) == permit.None:
				want = http.StatusForbidden
			}
			path := real(x.path)
			if code := b.get(path); code != want {
				t.Errorf("%s %s: %d, want %d", role, x.path, code, want)
			}
			if linked := strings.Contains(b.body, `href="`+x.path+`"`); want == http.StatusOK && !linked && !strings.ContainsAny(x.path, "{.") && strings.Count(x.path, "/") == 2 && x.path != Prefix+"/search" {
				t.Errorf("%s: %s is not in the navigation", role, x.path)
			}
		}
		b.get(Prefix)
		if got, want := strings.Contains(b.body, `href="/console/people"`), permit.May([]permit.Role{role}, permit.ReadStaff) > permit.None; got != want {
			t.Errorf("%s: people in the navigation: %v", role, got)
		}
	}
}

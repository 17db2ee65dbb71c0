// Package console serves the lender's back office below /console: where its staff sign in, see
// what waits for a person, and look after their own access.
//
// Files:
//
//	console.go  the handler: headers, limits, access     visit.go   one request: session, forms
//	keys.go     the keyboard
//	signin.go   password, code, signing out, set-up      you.go     one's own password and recovery codes
//	home.go     what waits for a person                  people.go  who works here
//	lists.go    filters, pages and files of lists        act.go     what staff do with an object
//	orders.go   orders                                   order.go   one of them, order_acts.go
//	companies.go, applications.go, payments.go, payouts.go  the same of the other objects
//	reports.go  what is late, with reports_cash.go, reports_today.go; reports_rows.go what is behind
//	notes.go    what staff write about an object
//	golive.go   what is left to do before going live
//	ledger.go   trial balance and postings               approvals.go  what takes two people
//	audit.go    the audit log
//	search.go   anything by its identifier
//	show.go     shell and parts                          demo.go    a sandbox's made-up staff
//
// The pages decide nothing. Each says which permission it needs, by the table in package staff,
// and the member's record is read with each request. A GET changes nothing; a POST answers with
// 303. Nobody comes in before somebody has been invited on the server itself.
package console

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/permit"
	"tenor/internal/edge/throttle"
	"tenor/internal/office/alarm"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// Prefix is where the pages are.
const Prefix = signin.Path

// Config configures the pages. Desk, Assets and Address are required.
type Config struct {
	Desk *signin.Desk
	// Assets are the pages' files. Those with paths below Prefix are served here.
	Assets design.Assets
	// Secure means that the pages are served over https.
	Secure bool
	// Address returns the network address of a request's client, as far as it can be trusted.
	Address func(*http.Request) string
	// RequestID identifies a request in the log and on an error page; nil: the pages generate one.
	RequestID func(*http.Request) string
	// Alarms is what the list of waiting work depends on.
	Alarms alarm.Setup
	Setup  Setup // what the server was started with
	// Demo is the secret of the page that signs in as a made-up staff member; "": there is
	// none. Only a sandbox has it.
	Demo string
	// Limit bounds the requests per minute from one network address; 0 is a default.
	Limit int
	Log   *slog.Logger
}

// Pages is a handler for everything below Prefix. It is safe for concurrent use.
type Pages struct {
	config    Config
	texts     pages.Texts
	templates *template.Template
	guard     *http.CrossOriginProtection
	addresses *throttle.Throttle
	mux       *http.ServeMux
	rights    []right // of the pages, in the order added
	exported  int     // rows after which a file is cut off
	counts    counts
}

// right says who may see a page.
type right struct {
	path       string
	who        who
	permission permit.Permission // of those who have signed in; "": everybody
	post       bool              // it has a form
}

// who is the audience of a page.
type who int

const (
	anybody  who = iota // signed in or not
	halfway             // has given the password
	signedIn            // has given the code too
	fresh               // has done so in the last minutes
)

// New creates the pages. It fails if a template or a text cannot be read.
func New(c Config) (*Pages, error) {
	if c.Desk == nil || c.Assets.CSS == "" || c.Address == nil {
		return nil, errors.New("console: the configuration lacks Desk, Assets or Address")
	}
	p := &Pages{config: c, guard: http.NewCrossOriginProtection(), mux: http.NewServeMux(), exported: 50_000}
	if err := p.load(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	limit := c.Limit
	if limit <= 0 {
		limit = 600
	}
	p.addresses = throttle.New(limit, time.Minute, 100_000)
	p.routes()
	return p, nil
}

// routes registers the pages.
func (p *Pages) routes() {
	p.page("/sign-in", anybody, "", (*visit).signIn, (*visit).givePassword)
	p.page("/code", halfway, "", (*visit).code, (*visit).giveCode)
	p.page("/set-up/{member}/{token}", anybody, "", (*visit).setUp, (*visit).enroll)
	p.page("/sign-out", halfway, "", nil, (*visit).signOut)
	p.page("/again", signedIn, "", (*visit).again, (*visit).giveAgain)
	p.page("", signedIn, permit.Read, (*visit).home, nil)
	p.page("/you", signedIn, "", (*visit).you, nil)
	p.page("/keys", signedIn, "", (*visit).keys, (*visit).setKeys)
	p.page("/you/password", fresh, "", (*visit).password, (*visit).changePassword)
	p.page("/you/recovery", signedIn, "", (*visit).recovery, (*visit).recoverySaved)
	p.page("/you/recovery/new", fresh, "", (*visit).newRecovery, (*visit).drawRecovery)
	p.page("/approvals", signedIn, permit.Read, (*visit).approvals, nil)
	p.page("/approvals/{id}", signedIn, permit.Read, (*visit).approval, (*visit).decideApproval)
	p.page("/orders", signedIn, permit.Read, (*visit).orders, nil)
	p.page("/orders.csv", signedIn, permit.Export, (*visit).ordersCSV, nil)
	p.page("/orders/{key}", signedIn, permit.Read, (*visit).order, nil)
	p.page("/orders/{key}/{tab}", signedIn, permit.Read, (*visit).order, nil)
	p.object("/orders/{key}", findOrderSubject)
	p.page("/companies", signedIn, permit.Read, (*visit).companies, nil)
	p.page("/companies.csv", signedIn, permit.Export, (*visit).companiesCSV, nil)
	p.page("/companies/{id}", signedIn, permit.Read, (*visit).oneCompany, nil)
	p.page("/companies/{id}/{tab}", signedIn, permit.Read, (*visit).oneCompany, nil)
	p.object("/companies/{id}", findCompanySubject)
	p.page("/applications", signedIn, permit.Read, (*visit).applications, nil)
	p.page("/applications/{id}", signedIn, permit.Read, (*visit).application, nil)
	p.object("/applications/{id}", findApplicationSubject)
	p.page("/applications/{id}/reveal", signedIn, permit.Reveal, (*visit).application, (*visit).reveal)
	p.page("/payments", signedIn, permit.Read, (*visit).payments, nil)
	p.page("/payments.csv", signedIn, permit.Export, (*visit).paymentsCSV, nil)
	p.page("/payments/{id}", signedIn, permit.Read, (*visit).payment, nil)
	p.object("/payments/{id}", findPaymentSubject)
	p.page("/payouts", signedIn, permit.Read, (*visit).payouts, nil)
	p.page("/payouts.csv", signedIn, permit.Export, (*visit).payoutsCSV, nil)
	p.page("/payouts/{id}", signedIn, permit.Read, (*visit).payout, nil)
	p.page("/merchants/{id}", signedIn, permit.Read, (*visit).merchant, nil)
	p.object("/merchants/{id}", findMerchantSubject)
	p.page("/ledger", signedIn, permit.Read, (*visit).ledger, nil)
	p.page("/ledger.csv", signedIn, permit.Export, (*visit).ledgerCSV, nil)
	p.page("/ledger/{account}", signedIn, permit.Read, (*visit).account, nil)
	p.actPage("/ledger", findLedgerSubject)
	p.page("/audit", signedIn, permit.Audit, (*visit).audit, nil)
	p.page("/audit.csv", signedIn, permit.Audit, (*visit).auditCSV, nil)
	p.page("/audit/{row}", signedIn, permit.Audit, (*visit).auditRow, nil)
	p.page("/search", signedIn, permit.Read, (*visit).search, nil)
	p.page("/reports", signedIn, permit.ReadReports, (*visit).reports, nil)
	p.page("/reports/{tab}", signedIn, permit.ReadReports, (*visit).reports, nil)
	p.page("/reports/aging/{bucket}", signedIn, permit.ReadReports, (*visit).aging, nil)
	p.page("/reports/due", signedIn, permit.ReadReports, (*visit).due, nil)
	p.page("/reports/files/{file}", signedIn, permit.Export, (*visit).reportCSV, nil)
	p.page("/people", signedIn, permit.ReadStaff, (*visit).people, nil)
	p.page("/people/go-live", signedIn, permit.ReadStaff, (*visit).goLive, nil)
	p.page("/people/policy", signedIn, permit.ReadStaff, (*visit).policy, nil)
	p.actPage("/people/policy", findPolicySubject)
	p.page("/people/{id}", signedIn, permit.ReadStaff, (*visit).member, nil)
	p.actPage("/people/{id}", findMemberSubject)
	if p.config.Demo != "" {
		p.page("/demo/{secret}", anybody, "", (*visit).demo, (*visit).demoIn)
	}
}

// page registers a page.
func (p *Pages) page(path string, for_ who, permission permit.Permission, get, post func(*visit) error) {
	x := right{Prefix + path, for_, permission, post != nil}
	p.rights = append(p.rights, x)
	p.mux.HandleFunc(x.path, func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Pages: p, w: w, r: r, address: p.config.Address(r), route: x.path}
		if err := v.serve(x, get, post); err != nil && !errors.Is(err, errLed) {
			v.fault(err)
		}
	})
}

// ServeHTTP serves the pages. Every response, including errors, has the same headers.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Rules{Scripts: true, Fonts: true}.Harden(w.Header(), p.config.Secure)
	if a, ok := p.config.Assets.Files[r.URL.Path]; ok {
		w.Header().Del("X-Robots-Tag")
		a.Serve(w, r)
		return
	}
	if _, pattern := p.mux.Handler(r); pattern == "" || strings.HasSuffix(r.URL.Path, "/") {
		v := &visit{Pages: p, w: w, r: r}
		_ = v.bare(http.StatusNotFound, "lost")
		return
	}
	p.mux.ServeHTTP(w, r)
}

// serve identifies the visitor and passes the request on.
func (v *visit) serve(x right, get, post func(*visit) error) error {
	now := v.desk().Wall()
	if wait := v.addresses.Wait(v.address, now); wait > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		return v.bare(http.StatusTooManyRequests, "slow")
	}
	v.addresses.Count(v.address, now)
	handler := get
	switch v.r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		handler = post
	default:
		handler = nil
	}
	if handler == nil {
		v.w.Header().Set("Allow", allowed(get, post))
		return v.bare(http.StatusMethodNotAllowed, "method")
	}
	if err := v.find(); err != nil {
		return err
	}
	if err := v.admit(x); err != nil {
		return err
	}
	if v.r.Method == http.MethodPost {
		if status, key := v.readForm(); status != 0 {
			return v.bare(status, key)
		}
	}
	return handler(v)
}

func allowed(get, post func(*visit) error) string {
	switch {
	case get == nil:
		return "POST"
	case post == nil:
		return "GET, HEAD"
	}
	return "GET, HEAD, POST"
}

// errLed means that a request was redirected or refused, and is answered.
var errLed = errors.New("console: led elsewhere")

// admit redirects a visitor who may not see a page to where she can continue.
func (v *visit) admit(x right) error {
	signed := v.visitor != nil && v.visitor.Signed
	switch {
	case x.who == anybody:
		return nil
	case v.visitor == nil:
		if err := v.unclaimed(); err != nil {
			return err
		}
		return v.lead("/sign-in" + v.after())
	case !signed && x.who != halfway:
		return v.lead("/code" + v.after())
	case x.who == fresh && !v.desk().Fresh(v.visitor.Session):
		return v.lead("/again" + v.after())
	case len(v.visitor.Codes) > 0 && !strings.HasPrefix(x.path, Prefix+"/you/recovery") && x.path != Prefix+"/sign-out":
		return v.lead("/you/recovery") // what is shown once is not passed by
	case x.permission != "" && v.visitor.May(x.permission) == permit.None:
		return v.refuse(x.permission)
	}
	return nil
}

// refuse answers that a permission is missing, and says which roles have it.
func (v *visit) refuse(p permit.Permission) error {
	if v.config.Log != nil {
		v.config.Log.Warn("a staff member was refused", "member", v.visitor.Member, "permission", string(p), "page", v.route)
	}
	var roles []string
	for _, r := range permit.Holders(p) {
		roles = append(roles, v.say("role."+string(r)))
	}
	_ = v.bare(http.StatusForbidden, "role", strings.Join(roles, ", "))
	return errLed
}

// unclaimed answers while nobody has ever signed in: the console is nobody's yet.
func (v *visit) unclaimed() error {
	claimed, err := v.desk().Claimed(v.r.Context())
	if err != nil || claimed || v.config.Demo != "" {
		return err
	}
	_ = v.bare(http.StatusServiceUnavailable, "unclaimed")
	return errLed
}

// after is where a step leads when it is done: the page that was asked for.
func (v *visit) after() string {
	path := v.r.URL.Path
	if v.r.Method != http.MethodGet || path == Prefix {
		return ""
	}
	return "?to=" + url.QueryEscape(path)
}

// next is where a step leads: to a page that these pages have, home otherwise.
func (v *visit) next() string {
	to := v.r.URL.Query().Get("to")
	at, err := url.Parse(to)
	if err != nil || at.Path != to || strings.Contains(to, "//") {
		return Prefix
	}
	_, pattern := v.mux.Handler(&http.Request{Method: http.MethodGet, URL: at})
	if slices.ContainsFunc(v.rights, func(x right) bool { return x.path == pattern && x.who >= signedIn }) {
		return to
	}
	return Prefix
}

// lead redirects to a page of the console, and ends the request.
func (v *visit) lead(path string) error {
	_ = v.to(path)
	return errLed
}

// fault answers with an internal error.
func (v *visit) fault(err error) {
	if errors.Is(err, context.Canceled) && v.r.Context().Err() != nil {
		return // the visitor is gone and needs no response
	}
	if errors.Is(err, buyer.ErrRaced) { // another tab was faster: its result is shown
		_ = v.to("")
		return
	}
	id := buyer.Random(16)
	if v.config.RequestID != nil {
		id = v.config.RequestID(v.r)
	}
	if v.config.Log != nil {
		v.config.Log.Error("a page of the console failed", "request_id", id, "page", v.route, "error", err.Error())
	}
	_ = v.bare(http.StatusInternalServerError, "fault", id)
}

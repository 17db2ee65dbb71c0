// Package accountpages serves a buyer's own pages: the account, below /account, where the
// people of a business manage what it owes, and below /apply/ the application for a credit line
// at a merchant without a cart.
//
// Files:
//
//	account.go  the handler: headers, limits, access         visit.go    one request: session, business, role
//	signin.go   email, code, which business, signing out     show.go     shell, sections, forms
//	home.go     what is wrong, the line, what comes next     orders.go   orders and their papers
//	pay.go      a payment, and what it will pay              payments.go what was paid
//	banks.go    bank accounts and autopay                    people.go   who acts for the business
//	papers.go   statements, notices, the master agreement    line.go     a higher line
//	you.go      another email, a fresh proof                 cases.go    disputes and questions
//	apply.go    an application without a cart                time.go     how long a session lasts
//
// The pages decide nothing: each action is a command that names its actor, and the domain checks
// whether she may (credit.SetPerson, credit.SignAgreement, credit.RecordPayment and others).
// What a role may not do is not offered, and refused if requested. Anything that could hand the
// account to somebody else requires a fresh proof of the email. A GET changes nothing; a POST
// answers with 303.
package accountpages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/edge/throttle"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// Paths of the pages.
const (
	Prefix = buyer.AccountPath
	Apply  = "/apply/"
)

// Config configures the pages. Desk, Assets and Address are required.
type Config struct {
	Desk *buyer.Desk
	// Assets are the pages' files. Those with paths below Prefix are served here.
	Assets design.Assets
	// Secure means that the pages are served over https.
	Secure bool
	// Address returns the network address of a request's client, as far as it can be trusted.
	Address func(*http.Request) string
	// Contact is whom to ask, if the lender's settings do not say.
	Contact string
	// RequestID identifies a request in the log and on an error page; nil: the pages generate one.
	RequestID func(*http.Request) string
	// Limit bounds the requests per minute from one network address; 0 is a default.
	Limit int
	// Texts reads the catalog of a language; nil: that of package pages.
	Texts func(design.Language) (pages.Texts, error)
	Log   *slog.Logger
}

// Pages is a handler for everything below Prefix and Apply. It is safe for concurrent use.
type Pages struct {
	config    Config
	voices    pages.Voices
	guard     *http.CrossOriginProtection
	addresses *throttle.Throttle
	mux       *http.ServeMux
	rights    []right // of the account's pages, in the order added
	uploads   chan struct{}
	timeAt    string // URL of the script that warns before the session ends
	time      web.Asset
}

// right says who may see a page of the account.
type right struct {
	path string
	who  who
	post bool // it has a form
}

// New creates the pages. It fails if a template or a catalog cannot be read.
func New(c Config) (*Pages, error) {
	if c.Desk == nil || c.Assets.CSS == "" || c.Address == nil {
		return nil, errors.New("accountpages: the configuration lacks Desk, Assets or Address")
	}
	c.Assets.Font = "" // the system's font: a first page must be small
	p := &Pages{config: c, guard: http.NewCrossOriginProtection(), mux: http.NewServeMux()}
	var err error
	if p.voices, err = pages.LoadVoices(templateFiles, c.Texts); err != nil {
		return nil, fmt.Errorf("accountpages: %w", err)
	}
	limit := c.Limit
	if limit <= 0 {
		limit = 600
	}
	p.timeAt, p.time = pages.TimeAsset(Prefix + "/assets/")
	p.uploads = make(chan struct{}, maxUploads)
	p.addresses = throttle.New(limit, time.Minute, 100_000)
	p.routes()
	return p, nil
}

// maxUploads is the number of forms with files that are read concurrently.
const maxUploads = 4

// who is the audience of a page.
type who int

const (
	anybody   who = iota // signed in or not
	signedIn             // has proved an email
	colleague            // acts for the business, in any role
	payer                // an owner or buyer of the business
	owner                // an owner of the business
	myself               // signed in, with the email proved recently
	fresh                // an owner, with the email proved recently
)

// routes registers the pages.
func (p *Pages) routes() {
	p.page("", colleague, (*visit).home, nil)
	p.page("/sign-in", anybody, (*visit).signIn, (*visit).sendCode)
	p.page("/code", anybody, (*visit).code, (*visit).prove)
	p.page("/sign-out", signedIn, nil, (*visit).signOut)
	p.page(stayPage, anybody, (*visit).left, (*visit).stay)
	p.page("/help", anybody, (*visit).help, nil)
	p.page("/business", signedIn, (*visit).business, (*visit).chooseBusiness)
	p.page("/invitation", signedIn, nil, (*visit).answerInvitation)
	p.page("/again", signedIn, (*visit).again, (*visit).sendAgain)
	p.page("/again/code", signedIn, (*visit).againCode, (*visit).proveAgain)
	p.page("/you", signedIn, (*visit).you, (*visit).newEmail)
	p.page("/you/name", myself, (*visit).yourName, (*visit).rename)
	p.page("/you/code", myself, (*visit).newEmailCode, (*visit).proveEmail)
	p.page("/orders", colleague, (*visit).orders, nil)
	p.page("/orders/{key}", colleague, (*visit).order, nil)
	p.page("/orders/{key}/{paper}", colleague, (*visit).orderPaper, nil)
	p.page("/pay", payer, (*visit).pay, (*visit).choosePay)
	p.page("/pay/check", payer, (*visit).checkPay, (*visit).confirmPay)
	p.page("/payments", colleague, (*visit).payments, (*visit).cancelPayment)
	p.page("/banks", colleague, (*visit).banks, (*visit).removeBank)
	p.page("/banks/add", fresh, (*visit).addBank, (*visit).saveBank)
	p.page("/banks/verify", owner, (*visit).verifyBank, (*visit).proveBank)
	p.page("/autopay", owner, (*visit).autopay, (*visit).setAutopay)
	p.page("/statements", colleague, (*visit).statements, nil)
	p.page("/statements/{month}", colleague, (*visit).statement, nil)
	p.page("/notices", owner, (*visit).notices, nil)
	p.page("/notices/{notice}", owner, (*visit).notice, nil)
	p.page("/people", colleague, (*visit).people, nil)
	p.page("/people/invite", fresh, (*visit).invite, (*visit).sendInvitation)
	p.page("/people/{person}", fresh, (*visit).colleague, (*visit).changeRole)
	p.page("/line", owner, (*visit).line, (*visit).askLine)
	p.page("/sign", fresh, (*visit).sign, (*visit).signMaster)
	p.page("/sign/{paper}", owner, (*visit).masterPaper, nil)
	p.page("/cases", colleague, (*visit).cases, nil)
	p.page("/cases/new", colleague, (*visit).newCase, (*visit).openCase)
	p.page("/cases/{case}", colleague, (*visit).oneCase, (*visit).answerCase)
	p.page("/cases/{case}/withdraw", colleague, (*visit).toCase, (*visit).withdrawCase)
	p.applyRoutes()
}

// page adds a page of the account.
func (p *Pages) page(path string, for_ who, get, post func(*visit) error) {
	p.rights = append(p.rights, right{Prefix + path, for_, post != nil})
	p.handle(Prefix+path, func(v *visit) error { return v.admit(for_) }, get, post)
}

// takesFiles reports whether a page's form includes files. No other page reads that much.
func takesFiles(pattern string) bool {
	return pattern == Prefix+"/cases/{case}" || pattern == Apply+"{merchant}/decision"
}

// handle registers a page at a pattern. admit redirects visitors who may not see it.
func (p *Pages) handle(pattern string, admit, get, post func(*visit) error) {
	p.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Pages: p, files: takesFiles(pattern), Call: pages.Call{
			Desk: p.config.Desk, Contact: p.config.Contact, W: w, R: r, Address: p.config.Address(r), Draft: buyer.Draft{},
		}}
		v.Greet(p.voices)
		if err := v.serve(admit, get, post); err != nil && !errors.Is(err, errLed) {
			v.fault(err)
		}
	})
}

// ServeHTTP serves the pages. Every response, including errors, has the same headers.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Rules{}.Harden(w.Header(), p.config.Secure)
	if a, ok := p.config.Assets.Files[r.URL.Path]; ok {
		w.Header().Del("X-Robots-Tag")
		a.Serve(w, r)
		return
	}
	if r.URL.Path == p.timeAt {
		w.Header().Del("X-Robots-Tag")
		p.time.Serve(w, r)
		return
	}
	if _, pattern := p.mux.Handler(r); pattern == "" || strings.HasSuffix(r.URL.Path, "/") {
		v := &visit{Pages: p, Call: pages.Call{Desk: p.config.Desk, Contact: p.config.Contact, W: w, R: r}}
		v.Greet(p.voices)
		_ = v.bare(http.StatusNotFound, "lost")
		return
	}
	p.mux.ServeHTTP(w, r)
}

// serve identifies the visitor and passes the request on.
func (v *visit) serve(admit, get, post func(*visit) error) error {
	now := v.Desk.Wall()
	if wait := v.addresses.Wait(v.Address, now); wait > 0 {
		v.W.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		return v.bare(http.StatusTooManyRequests, "slow")
	}
	v.addresses.Count(v.Address, now)
	handler := get
	switch v.R.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		handler = post
	default:
		handler = nil
	}
	if handler == nil {
		v.W.Header().Set("Allow", allowed(get, post))
		return v.bare(http.StatusMethodNotAllowed, "method")
	}
	if err := v.find(); err != nil {
		return err
	}
	if v.late() {
		return v.takeLate()
	}
	if err := admit(v); err != nil {
		return err
	}
	if v.R.Method == http.MethodPost {
		done, status, key := v.read(v.ours)
		defer done()
		if status != 0 {
			return v.bare(status, key)
		}
	}
	return v.goOn(handler)
}

// read reads a form. While its files are in memory, it holds one of the slots for uploads, which
// done releases.
func (v *visit) read(ours func(string) bool) (done func(), status int, key string) {
	done = func() {}
	if v.files {
		select { // each may take ten megabytes of memory
		case v.uploads <- struct{}{}:
			done = func() { <-v.uploads }
		default:
			return done, http.StatusTooManyRequests, "slow"
		}
	}
	status, key = v.ReadForm(v.guard, v.files, ours)
	return done, status, key
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

// errLed means that a request was redirected and is answered.
var errLed = errors.New("accountpages: led elsewhere")

// admit redirects a visitor who may not see a page to where she can continue.
func (v *visit) admit(for_ who) error {
	switch {
	case for_ == anybody:
		return nil
	case v.Person == nil:
		return v.lead("/sign-in")
	case (for_ == myself || for_ == fresh) && !v.Desk.Fresh(v.Session):
		return v.lead("/again?to=" + url.QueryEscape(strings.TrimPrefix(v.R.URL.Path, Prefix)))
	case for_ == signedIn, for_ == myself:
		return nil
	case v.company == nil:
		return v.lead("/business")
	}
	if for_ == colleague || v.owns() || for_ == payer && v.pays() {
		return nil
	}
	_ = v.stop(http.StatusForbidden, "role")
	return errLed
}

// lead redirects to a page of the account, and ends the request.
func (v *visit) lead(path string) error {
	_ = v.to(path)
	return errLed
}

// fault answers with an internal error.
func (v *visit) fault(err error) {
	if errors.Is(err, context.Canceled) && v.R.Context().Err() != nil {
		return // the visitor is gone and needs no response
	}
	if errors.Is(err, buyer.ErrRaced) { // another tab was faster: its result is shown
		_ = v.to("")
		return
	}
	status, key := http.StatusInternalServerError, "fault"
	if errors.Is(err, buyer.ErrMailUnavailable) {
		status, key = http.StatusServiceUnavailable, "mailless"
	}
	v.id = buyer.Random(16)
	if v.config.RequestID != nil {
		v.id = v.config.RequestID(v.R)
	}
	if v.config.Log != nil {
		v.config.Log.Error("a page of an account failed", "request_id", v.id, "path", v.R.URL.Path, "error", err.Error())
	}
	_ = v.bare(status, key)
}

// Package checkout serves the pages on which a buyer has an order financed: below /c/, one
// decision per page, each with its own address, in the browser of a person who has verified
// an email.
//
// Where to look:
//
//	checkout.go  the handler: headers, limits, access          route.go   which page a state leads to
//	visit.go     one request: checkout, session, answers       show.go    shell, forms, templates
//	enter.go     start, email, code, which business            apply.go   the business, its people, the application
//	decide.go    outcomes: decision, in review, declined, …    terms.go   the terms
//	higher.go    a higher line                                 accept.go  acceptance, papers, the end
//	takeover.go  one person taking over from another
//	repay.go     how the payments are made                     debits.go  the account that autopay debits
//	leave.go     the ways out, and ended checkouts             brand.go   the merchant's color, logo and contact
//	framed.go    what differs inside a frame of the shop's page
//	time.go      how long a session lasts, and late submissions
//
// What it shares with the buyer's other pages, such as the questions of an application, is
// in package pages.
//
// The pages decide nothing. What may be seen depends only on the records (route.go), so that
// Back, Refresh, a second tab and an old link all lead to a valid page. A GET changes nothing;
// a POST answers with 303. Answers are saved after each step.
//
// The token in the address opens only the first two pages. Everything else requires the
// session that the browser got when it verified the email.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/throttle"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// Prefix is the path prefix of the pages.
const Prefix = "/c/"

// Config configures the pages. Desk, Papers, Assets, Address and Expand are required.
type Config struct {
	Desk   *buyer.Desk
	Papers Papers
	// Assets are the pages' files. Those with paths below Prefix are served here.
	Assets design.Assets
	// Secure means that the pages are served over https.
	Secure bool
	// Address returns the network address of a request's client, as far as it can be trusted.
	Address func(*http.Request) string
	// Expand fills the placeholders of a merchant's URL with escaped values.
	Expand func(url string, values map[string]string) string
	// Contact is whom to ask, if the lender's settings do not say.
	Contact string
	// Account is the path of the account pages; "": there are none yet.
	Account string
	// RequestID identifies a request in the log and on an error page; nil: the pages generate one.
	RequestID func(*http.Request) string
	// Texts reads the catalog of a language; nil: that of package pages.
	Texts  func(design.Language) (pages.Texts, error)
	Limits Limits
	Log    *slog.Logger
}

// Limits bound requests per minute. The zero value of each means a default.
type Limits struct {
	Address int // per network address
	Token   int // per checkout
}

// Paperwork is the content of an acceptance's documents. Before the signature, Signer is "".
type Paperwork struct {
	Visit         buyer.Visit
	Offer         onboarding.Offer
	Lender        credit.LenderSettings
	Signer, Title string
	Language      string
	Master        bool // include the master agreement
	Autopay       bool // payments are debited automatically
}

// Papers creates the documents that a buyer reads before accepting, and that are stored: the
// agreement, the disclosure and the master agreement, each as HTML and PDF.
type Papers interface {
	Make(Paperwork) ([]buyer.Paper, error)
	// Policy returns the Content-Security-Policy for documents in HTML; "" means that of the pages.
	Policy() string
}

// Pages is a handler for everything below Prefix. It is safe for concurrent use.
type Pages struct {
	config    Config
	voices    pages.Voices
	guard     *http.CrossOriginProtection
	steps     map[string]step
	addresses *throttle.Throttle
	tokens    *throttle.Throttle
	frameAt   string // address of the script for framed pages
	frame     web.Asset
	timeAt    string // address of the script that warns before the session ends
	time      web.Asset
}

// step is a page, by its part of the path.
type step struct {
	get, post func(*visit) error
	// files means that its form includes files.
	files bool
	// own means that the token alone opens it, whatever page the checkout is at: for a merchant's
	// file, and for the exit, which requires a ticket.
	own bool
	// still means that requesting it does not count as activity of the session, and is possible
	// whatever page the checkout is at.
	still bool
}

// New creates the pages. It fails if a template or a catalog cannot be read.
func New(c Config) (*Pages, error) {
	if c.Desk == nil || c.Papers == nil || c.Assets.CSS == "" || c.Address == nil || c.Expand == nil {
		return nil, errors.New("checkout: the configuration lacks Desk, Papers, Assets, Address or Expand")
	}
	p := &Pages{config: c, guard: http.NewCrossOriginProtection()}
	var err error
	if p.voices, err = pages.LoadVoices(templateFiles, c.Texts); err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	p.addresses = throttle.New(or(c.Limits.Address, 600), time.Minute, 100_000)
	p.tokens = throttle.New(or(c.Limits.Token, 120), time.Minute, 100_000)
	p.steps = p.routes()
	p.frameAt, p.frame = frameAsset()
	p.timeAt, p.time = pages.TimeAsset(Prefix + "assets/")
	return p, nil
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

func (p *Pages) routes() map[string]step {
	return map[string]step{
		"start": {get: (*visit).startPage}, "help": {get: (*visit).helpPage},
		"email": {get: (*visit).emailPage, post: (*visit).sendCode}, "code": {get: (*visit).codePage, post: (*visit).prove},
		"company": {get: (*visit).companyPage, post: (*visit).chooseCompany}, "business": {get: (*visit).businessPage, post: (*visit).saveBusiness},
		"you": {get: (*visit).youPage, post: (*visit).apply}, "decision": {get: (*visit).decisionPage},
		"terms": {get: (*visit).termsPage, post: (*visit).chooseTerms}, "repay": {get: (*visit).repayPage, post: (*visit).chooseRepay},
		"accept": {get: (*visit).acceptPage, post: (*visit).accept}, "done": {get: (*visit).donePage, post: (*visit).debitAgain}, "return": {get: (*visit).toShop},
		"review": {get: (*visit).reviewPage, post: (*visit).attach, files: true}, "declined": {get: (*visit).declinedPage},
		"line": {get: (*visit).linePage}, "higher": {get: (*visit).higherPage, post: (*visit).askHigher},
		"unavailable": {get: (*visit).unavailablePage}, "owner": {get: (*visit).ownerPage, post: (*visit).askOwners},
		stayStep: {get: (*visit).left, post: (*visit).stay, still: true}, outStep: {post: (*visit).signOut, still: true},
		"outsider": {get: (*visit).outsiderPage}, "elsewhere": {get: (*visit).elsewherePage},
		"takeover": {get: (*visit).takeoverPage, post: (*visit).takeOver}, "changed": {get: (*visit).changedPage},
		"exit": {get: (*visit).exitPage, own: true}, "ended": {get: (*visit).endedPage}, "leave": {get: (*visit).leavePage, post: (*visit).leave},
		"agreement": {get: paperPage(credit.DocumentAgreement, html)}, "agreement.pdf": {get: paperPage(credit.DocumentAgreement, pdf)},
		"disclosure": {get: paperPage(credit.DocumentDisclosure, html)}, "disclosure.pdf": {get: paperPage(credit.DocumentDisclosure, pdf)},
		sheetStep: {get: (*visit).sheetFile, own: true}, logoStep: {get: (*visit).logoFile, own: true},
		"master": {get: paperPage(credit.DocumentMaster, html)}, "master.pdf": {get: paperPage(credit.DocumentMaster, pdf)},
	}
}

// ServeHTTP serves the pages. Every response, including errors, has the same headers.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Rules{}.Harden(w.Header(), p.config.Secure)
	if a, ok := p.config.Assets.Files[r.URL.Path]; ok {
		w.Header().Del("X-Robots-Tag")
		a.Serve(w, r)
		return
	}
	switch r.URL.Path {
	case p.frameAt:
		p.frame.Serve(w, r)
		return
	case p.timeAt:
		p.time.Serve(w, r)
		return
	}
	v := &visit{Pages: p, Call: pages.Call{
		Desk: p.config.Desk, Contact: p.config.Contact, W: w, R: r, Address: p.config.Address(r), Draft: buyer.Draft{},
	}}
	v.Greet(p.voices)
	if err := v.serve(); err != nil {
		v.fault(err)
	}
}

// serve finds the checkout, the session and the step of a request.
func (v *visit) serve() error {
	token, name, ok := split(v.R.URL.Path)
	if wait := v.wait(strings.Split(token, ".")[0]); wait > 0 {
		v.W.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		return v.stop(http.StatusTooManyRequests, "slow")
	}
	step, known := v.steps[name]
	if !ok || !known {
		return v.stop(http.StatusNotFound, "lost")
	}
	v.step = name
	v.token, v.carried, _ = strings.Cut(token, ".")
	if err := v.find(); errors.Is(err, buyer.ErrNoCheckout) {
		v.x = buyer.Visit{}
		return v.stop(http.StatusNotFound, "lost")
	} else if err != nil {
		return err
	}
	handler := step.get
	switch v.R.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		if handler = step.post; handler != nil {
			if step.files && !v.may(name) { // nothing so large is read from a visitor who may not send it
				return v.to(v.at)
			}
			if status, key := v.ReadForm(v.guard, step.files, v.ours); status != 0 {
				return v.stopOrKeep(status, key)
			}
		}
	default:
		handler = nil
	}
	if handler == nil {
		v.W.Header().Set("Allow", allowed(step))
		return v.stop(http.StatusMethodNotAllowed, "method")
	}
	if !v.may(name) && !step.own && !step.still {
		return v.instead()
	}
	if v.Session != nil && !step.still {
		if err := v.Desk.Touch(v.Ctx(), v.Session); err != nil {
			return err
		}
	}
	return handler(v)
}

// instead redirects to the visitor's current page. Her session may have been read after a change
// that the checkout, read earlier, does not show: the same form, submitted twice, has changed
// both meanwhile.
func (v *visit) instead() error {
	if v.R.Method == http.MethodPost {
		if err := v.again(); err != nil {
			return err
		}
	}
	return v.to(v.at)
}

// split splits a path: /c/TOKEN or /c/TOKEN/STEP.
func split(path string) (token, name string, ok bool) {
	token, name, deep := strings.Cut(strings.TrimPrefix(path, Prefix), "/")
	if !deep {
		return token, "start", token != ""
	}
	return token, name, token != "" && name != "start"
}

func allowed(s step) string {
	if s.get == nil {
		return "POST"
	}
	if s.post != nil {
		return "GET, HEAD, POST"
	}
	return "GET, HEAD"
}

// wait counts a request, and returns how long its sender has to wait.
func (v *visit) wait(token string) time.Duration {
	now, hash := v.Desk.Wall(), buyer.Digest(token)
	wait := max(v.addresses.Wait(v.Address, now), v.tokens.Wait(hash, now))
	if wait == 0 {
		v.addresses.Count(v.Address, now)
		v.tokens.Count(hash, now)
	}
	return wait
}

// fault answers with an internal error. What was entered is kept.
func (v *visit) fault(err error) {
	if errors.Is(err, context.Canceled) && v.R.Context().Err() != nil {
		return // the visitor is gone and needs no response
	}
	if errors.Is(err, buyer.ErrRaced) { // another tab was faster: its result is shown
		_ = v.to("start")
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
		v.config.Log.Error("a page of a checkout failed", "request_id", v.id, "step", v.step, "error", err.Error())
	}
	_ = v.stop(status, key)
}

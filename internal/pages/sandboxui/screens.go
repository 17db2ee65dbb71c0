// Package sandboxui serves the pages of a sandbox below /sandbox: its first page with the
// clock and what happened when it moved, the inspector of objects and of webhooks, the
// mailbox, the request log and the scenarios.
//
// The pages have no rights of their own. A visitor enters with an access token, or a
// single-use link, for which the sandbox creates one; whatever a page shows or does,
// the API shows or does for that token. The token stays in this process: the browser
// has a session ID, in a cookie that no script can read and that no other
// site's page sends, for half an hour. One page shows the token, once per
// request.
//
// Files:
//
//	screens.go  the handler and its headers       session.go  signed-in visitors
//	ask.go      API calls, and refusals           page.go     frame, bar and templates
//	home.go     the first page                    story.go    events as a timeline
//	moves.go    when the clock was moved          clock.go    how it is moved
//	objects.go  the inspector of objects          mail.go     the mailbox
//	hooks.go    the inspector of webhooks         scenarios.go  named stories
//	requests.go the request log                   requests_one.go  one call, and repeating it
//	changes.go  what an event has changed         snapshots.go  copies, and starting over
//	places.go   destinations on the first page, with figures
//	texts.go    the catalog of all texts on the pages
//
// Every page works without scripts; those of package design copy and show tabs. A form that
// changes something has a key of its own: sent twice, it takes effect once.
package sandboxui

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tenor/internal/ui/web"
)

// Config configures the screens.
type Config struct {
	// API processes the pages' calls, with the token of the signed-in visitor.
	API http.Handler
	// Run is the same for a repeated call from the request log, which is logged as a separate call.
	Run     http.Handler
	BaseURL string // the public address, without a trailing slash
	Version string // of the program
	// Docs are the Markdown pages, which contain the code that verifies a signature.
	Docs fs.FS
	// Clock is shown in the bar. It is not secret.
	Clock func(ctx context.Context) (Clock, error)
	// Token creates an access token for a visitor who enters by a link; nil: links do not work.
	Token func(ctx context.Context) (string, error)
	// Door holds the sessions; nil: none yet.
	Door *Door
	// Zone is the business zone.
	Zone *time.Location
	// Now is the wall clock.
	Now func() time.Time
}

// Clock is a sandbox's clock.
type Clock struct {
	Now       time.Time
	Began     time.Time // where it was when the program started, or when the sandbox was replaced; zero: unknown
	Frozen    bool
	Advancing bool
	DaysDone  int
	DaysTotal int
	NextAt    time.Time // zero: nothing is due
	Next      string    // what is due: "order ord_…"
}

// Screens is a handler for /sandbox and everything below, except the receivers. It is safe for
// concurrent use.
type Screens struct {
	*Door
	config Config
	site   *site
	guard  *http.CrossOriginProtection
	mux    *http.ServeMux
	plays  *plays
	watch  *watch
	cookie string
}

// New creates the screens. It fails if a template or a document cannot be read.
func New(c Config) (*Screens, error) {
	if c.API == nil || c.Run == nil || c.Clock == nil || c.Now == nil || c.Zone == nil {
		return nil, errors.New("sandboxui: the configuration lacks API, Run, Clock, Now or Zone")
	}
	spoken, err := loadTexts(language)
	if err != nil {
		return nil, err
	}
	site, err := newSite(c, spoken)
	if err != nil {
		return nil, err
	}
	s := &Screens{Door: c.Door, config: c, site: site, guard: http.NewCrossOriginProtection(), mux: http.NewServeMux(), plays: &plays{}, watch: &watch{}, cookie: cookieName(c.BaseURL)}
	if s.Door == nil {
		s.Door = NewDoor(c.Now)
	}
	s.routes()
	return s, nil
}

// cookieName distinguishes sandboxes on one machine: cookies ignore ports.
func cookieName(base string) string {
	name := "tenor_sandbox"
	if u, err := url.Parse(base); err == nil && u.Port() != "" {
		name += "_" + u.Port()
	}
	return name
}

func (s *Screens) routes() {
	for path, a := range s.site.assets.Files {
		s.mux.HandleFunc("GET "+path, a.Serve)
	}
	s.mux.HandleFunc("GET /sandbox/enter", s.enterPage)
	s.mux.HandleFunc("GET /sandbox/enter/{code}", s.enterPage)
	s.mux.HandleFunc("POST /sandbox/enter", s.enter)
	s.mux.HandleFunc("POST /sandbox/leave", s.leave)
	get := func(path string, h func(*visit)) { s.mux.HandleFunc("GET "+path, s.inside(h)) }
	post := func(path string, h func(*visit)) { s.mux.HandleFunc("POST "+path, s.inside(once(h))) }
	get("/sandbox", s.homePage)
	get("/sandbox/events", s.eventsPage)
	get("/sandbox/objects/{kind}/{id}", s.objectPage)
	get("/sandbox/webhooks", s.hooksPage)
	post("/sandbox/webhooks", s.makeReceiver)
	get("/sandbox/webhooks/{name}", s.hookPage)
	post("/sandbox/webhooks/{name}/behavior", s.tellReceiver)
	post("/sandbox/webhooks/{name}/test", s.testReceiver)
	post("/sandbox/webhooks/{name}/now", s.sendNow)
	get("/sandbox/webhooks/{name}/{id}", s.deliveryPage)
	post("/sandbox/webhooks/{name}/{id}/check", s.checkDelivery)
	post("/sandbox/webhooks/{name}/{id}/redeliver", s.redeliver)
	post("/sandbox/webhooks/{name}/{id}/send", s.sendMessage)
	get("/sandbox/requests", s.requestsPage)
	get("/sandbox/requests/{id}", s.requestPage)
	post("/sandbox/requests/{id}/run", s.runRequest)
	get("/sandbox/mail", s.mailPage)
	get("/sandbox/mail/{id}", s.messagePage)
	get("/sandbox/mail/{id}/html", s.messageHTML)
	get("/sandbox/scenarios", s.scenariosPage)
	get("/sandbox/scenarios/{id}", s.playPage)
	get("/sandbox/scenarios/{id}/{kind}/{object}", s.playObjectPage)
	post("/sandbox/scenarios/{name}/run", s.runScenario)
	post("/sandbox/clock", s.moveClock)
	post("/sandbox/token", s.showToken)
	get("/sandbox/snapshots", s.snapshotsPage)
	post("/sandbox/snapshots", s.takeSnapshot)
	post("/sandbox/snapshots/{id}/restore", s.restoreSnapshot)
	post("/sandbox/reset", s.reset)
}

// loopback reports whether a request was addressed to this machine by name. Another site's page
// whose name was pointed at 127.0.0.1 uses its own name here.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}

// policy allows the pages to run their own script files, and to use their own font.
func policy() web.Rules { return web.Rules{Scripts: true, Fonts: true} }

// maxForm is the largest form, in bytes.
const maxForm = 512 << 10

// ServeHTTP serves the pages. Every response, including errors, has the same security headers,
// and only the assets may be cached.
func (s *Screens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	web.Harden(h, true, strings.HasPrefix(s.config.BaseURL, "https://"))
	h.Set("Content-Security-Policy", policy().Policy())
	h.Set("Cache-Control", "no-store")
	if !loopback(r.Host) {
		s.failure(w, r, http.StatusMisdirectedRequest)
		return
	}
	if r.Method == http.MethodPost {
		if s.guard.Check(r) != nil {
			s.failure(w, r, http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		var over *http.MaxBytesError
		if err := r.ParseForm(); errors.As(err, &over) {
			s.failure(w, r, http.StatusRequestEntityTooLarge)
			return
		} else if err != nil {
			s.failure(w, r, http.StatusBadRequest)
			return
		}
	}
	if _, pattern := s.mux.Handler(r); pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	other := r.Clone(r.Context())
	other.Method = http.MethodGet
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		other.Method = http.MethodPost
	}
	if _, pattern := s.mux.Handler(other); pattern != "" {
		h.Set("Allow", other.Method)
		s.failure(w, r, http.StatusMethodNotAllowed)
		return
	}
	s.failure(w, r, http.StatusNotFound)
}

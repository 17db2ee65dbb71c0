// Package sandboxui serves the pages of a sandbox below /sandbox: its first page with the
// clock and what happened when it moved, the inspector of objects and of webhooks, the
// mailbox, the request log and the scenarios.
//
// The pages have no rights of their own. Whoever enters brings an access token, or a
// link that works once, for which the sandbox makes one; whatever a page shows or does,
// the API shows or does for that token. The token stays in this process: the browser
// holds the number of a session, in a cookie that no script reads and that no other
// site's page sends, for half an hour. One page shows the token, once for each time that
// it is asked for.
//
// Where to look:
//
//	screens.go  the handler and its headers       session.go  who has entered
//	ask.go      calls of the API, and refusals    page.go     frame, bar and templates
//	home.go     the first page                    story.go    events as a time line
//	moves.go    when the clock was moved          clock.go    how it is moved
//	objects.go  the inspector of objects          mail.go     the mailbox
//	hooks.go    the inspector of webhooks         scenarios.go  named stories
//	requests.go the calls of the API              requests_one.go  one of them, and anew
//	changes.go  what an event has changed       snapshots.go  copies, and a new beginning
//	places.go   where one goes from here, with figures
//	texts.go    the catalogue of all that the pages say
//
// Every page works without script; those of package design copy and show tabs. A form that
// changes something has a key of its own: sent twice, it has one effect.
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

// Config says what the screens show, and of what.
type Config struct {
	// API answers what the pages ask and do, with the token of the signed-in visitor.
	API http.Handler
	// Run is the same for a call of the request log that is run again, and is a call of its
	// own there.
	Run     http.Handler
	BaseURL string // the public address, without a slash at its end
	Version string // of the program
	// Docs are the pages in Markdown, which hold the code that checks a signature.
	Docs fs.FS
	// Clock is what the bar shows. It is no secret.
	Clock func(ctx context.Context) (Clock, error)
	// Token makes an access token for a visitor who enters by a link; nil: no link works.
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
	Began     time.Time // where it stood when the program, or a sandbox in the place of another, began; zero: unknown
	Frozen    bool
	Advancing bool
	DaysDone  int
	DaysTotal int
	NextAt    time.Time // zero: nothing is due
	Next      string    // what is due: "order ord_…"
}

// Screens is a handler for everything at and below /sandbox but the receivers. It is
// safe for concurrent use.
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

// New makes the screens. It fails on a template or a document that cannot be read.
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

// cookieName tells the sandboxes of one machine apart: cookies do not know ports.
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

// loopback reports whether a request was meant for this machine by name. A page of
// somebody else's whose name was bound to 127.0.0.1 says its own name here.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]"
}

// policy is what the pages may do: run their own script files, and use their own font.
func policy() web.Rules { return web.Rules{Scripts: true, Fonts: true} }

// maxForm is the largest form, in bytes.
const maxForm = 512 << 10

// ServeHTTP answers with pages. Every answer, also one of an error, has the same headers
// of security, and nothing is kept by anybody but the assets.
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

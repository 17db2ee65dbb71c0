package sandboxui

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// sessionTime is how long a session lasts, and linkTime how long a link is valid. Both use the
	// wall clock: moving the sandbox's clock ends no session.
	sessionTime = 30 * time.Minute
	linkTime    = 30 * time.Minute
	maxSessions = 100 // the oldest is dropped
	maxKeys     = 200 // forms of a session whose effect is remembered
)

// session is a signed-in visitor.
type session struct {
	id    [32]byte // hash of the cookie's value
	token string
	until time.Time

	mu     sync.Mutex // for one form at a time; guards what follows
	done   []done     // oldest first
	notice *notice    // for the next page
	form   url.Values // the failed one, for the next page, without secrets
	check  *received  // a check with an entered secret, for the next page
	ran    *ran       // a repeated call, for the next page
	shown  bool       // the next page shows the token
}

// done is a submitted form, and where it redirected.
type done struct{ key, location string }

// sessions are the signed-in visitors.
type sessions struct {
	now  func() time.Time
	mu   sync.Mutex
	list []*session // oldest first
}

func newSessions(now func() time.Time) *sessions { return &sessions{now: now} }

// open starts a session, and returns its cookie's value.
func (x *sessions) open(token string) string {
	secret := rand.Text()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.list = append(x.list, &session{id: sha256.Sum256([]byte(secret)), token: token, until: x.now().Add(sessionTime)})
	if n := len(x.list) - maxSessions; n > 0 {
		x.list = slices.Delete(x.list, 0, n)
	}
	return secret
}

// find returns the session of a cookie, nil if it has ended.
func (x *sessions) find(secret string) *session {
	id := sha256.Sum256([]byte(secret))
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.now()
	x.list = slices.DeleteFunc(x.list, func(s *session) bool { return !now.Before(s.until) })
	if i := slices.IndexFunc(x.list, func(s *session) bool { return s.id == id }); i >= 0 {
		return x.list[i]
	}
	return nil
}

func (x *sessions) close(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.list = slices.DeleteFunc(x.list, func(other *session) bool { return other == s })
}

// Door holds the sessions, and the links that open one. It outlives the Screens: replacing a
// sandbox ends no session.
type Door struct {
	sessions *sessions
	links    *links
}

// NewDoor creates a Door; now is the wall clock.
func NewDoor(now func() time.Time) *Door { return &Door{newSessions(now), newLinks(now)} }

// Link returns an address, at a public address, that can be used once within half an hour to
// enter.
func (d *Door) Link(base string) string { return base + "/sandbox/enter/" + d.links.draw() }

// links are the single-use codes for entering.
type links struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[[32]byte]time.Time // expiry of each
}

func newLinks(now func() time.Time) *links {
	return &links{now: now, open: map[[32]byte]time.Time{}}
}

func (l *links) draw() string {
	code := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[sha256.Sum256([]byte(code))] = l.now().Add(linkTime)
	return code
}

// use consumes a code; false: it was used, has expired, or never existed.
func (l *links) use(code string) bool {
	id := sha256.Sum256([]byte(code))
	l.mu.Lock()
	defer l.mu.Unlock()
	until, found := l.open[id]
	delete(l.open, id)
	return found && l.now().Before(until)
}

// visit is one request of a signed-in visitor.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	session *session
	screens *Screens
	now     time.Time // of the business clock
	began   time.Time // its start
	posts   int       // calls made for the form: each has a key of its own
}

// sessionOf returns the session of a request, nil if there is none.
func (s *Screens) sessionOf(r *http.Request) *session {
	c, err := r.Cookie(s.cookie)
	if err != nil {
		return nil
	}
	return s.sessions.find(c.Value)
}

// inside serves signed-in visitors, and redirects the others to the door.
func (s *Screens) inside(h func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.sessionOf(r)
		if x == nil {
			target := "/sandbox/enter"
			if r.Method == http.MethodGet {
				target += "?to=" + url.QueryEscape(r.URL.Path)
			}
			http.Redirect(w, r, target, http.StatusSeeOther)
			return
		}
		c, _ := s.clock(r.Context()) // a page itself reports an unreadable clock
		h(&visit{w: w, r: r, session: x, screens: s, now: c.Now, began: c.Began})
	}
}

// once makes a form take effect once: submitted again, it redirects to the same place. A session
// processes one form at a time.
func once(h func(*visit)) func(*visit) {
	return func(v *visit) {
		x, key := v.session, v.r.PostForm.Get("key")
		x.mu.Lock()
		defer x.mu.Unlock()
		if key == "" || len(key) > 128 {
			v.screens.failure(v.w, v.r, http.StatusBadRequest)
			return
		}
		if i := slices.IndexFunc(x.done, func(d done) bool { return d.key == key }); i >= 0 {
			http.Redirect(v.w, v.r, x.done[i].location, http.StatusSeeOther)
			return
		}
		h(v)
		to := v.w.Header().Get("Location")
		if to == "" { // it was not done
			return
		}
		x.done = append(x.done, done{key, to})
		if n := len(x.done) - maxKeys; n > 0 {
			x.done = slices.Delete(x.done, 0, n)
		}
	}
}

// goTo redirects after a form, with a notice about what was done. The session is locked.
func (v *visit) goTo(path string, n *notice) {
	v.session.notice = n
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// inner returns a path of the screens from a form or a query: never another host.
func inner(path string) string {
	if strings.HasPrefix(path, "/sandbox/") && !strings.Contains(path, "..") && !strings.ContainsAny(path, "\\?#") && !strings.HasPrefix(path, "/sandbox/enter") {
		if u, err := url.Parse(path); err == nil && u.Host == "" && u.Scheme == "" {
			return u.EscapedPath()
		}
	}
	return "/sandbox"
}

// enterView is the sign-in page.
type enterView struct {
	Code   string // of a link; "": a token is needed
	To     string // where it redirects
	Failed string // why it failed
}

func (s *Screens) enterPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "enter", frame{Title: s.say("enter.title"), Main: enterView{Code: r.PathValue("code"), To: inner(r.URL.Query().Get("to"))}})
}

// enter opens a session for a token, or for a link's code. Submitting the form is useless to
// another site's page: it only opens what the sender could open anyway.
func (s *Screens) enter(w http.ResponseWriter, r *http.Request) {
	code, token, to := r.PostForm.Get("code"), strings.TrimSpace(r.PostForm.Get("token")), inner(r.PostForm.Get("to"))
	refuse := func(why string) {
		s.show(w, r, http.StatusForbidden, "enter", frame{Title: s.say("enter.title"), Main: enterView{To: to, Failed: why}})
	}
	if code != "" {
		if s.config.Token == nil || !s.links.use(code) {
			refuse(s.say("enter.spent"))
			return
		}
		made, err := s.config.Token(r.Context())
		if err != nil {
			refuse(s.say("enter.tokenless"))
			return
		}
		token = made
	}
	if why := s.admit(r, token); why != "" {
		refuse(why)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: s.sessions.open(token), Path: "/sandbox", MaxAge: int(sessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.config.BaseURL, "https://"),
	})
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// leave ends a session.
func (s *Screens) leave(w http.ResponseWriter, r *http.Request) {
	if x := s.sessionOf(r); x != nil {
		s.sessions.close(x)
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookie, Path: "/sandbox", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/sandbox/enter", http.StatusSeeOther)
}

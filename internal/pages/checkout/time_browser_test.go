package checkout

import (
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/suite"
)

func TestMain(m *testing.M) {
	defer browsertest.Shared()()
	m.Run()
}

// hands is a wall clock that a test sets while a server reads it.
type hands struct {
	mu sync.Mutex
	at time.Time
}

func (h *hands) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) turn(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

// visitor has a browser at the pages of a rig whose wall clock is set manually.
type visitor struct {
	*browsertest.Tab
	t     *testing.T
	clock *hands
	at    string
}

func (r *rig) visitor(v browsertest.View) *visitor {
	r.t.Helper()
	clock := &hands{at: r.wall}
	r.Desk.Wall = clock.now
	c := r.config
	c.Secure = false
	r.serve(c)
	server := httptest.NewServer(r.pages)
	r.t.Cleanup(server.Close)
	_, token := r.begin(1_200_00)
	return &visitor{browsertest.Start(r.t).Tab(r.t, v), r.t, clock, server.URL + Prefix + token}
}

// passes advances the server's time, and makes the page check as if it became visible again.
func (s *visitor) passes(d time.Duration) {
	s.t.Helper()
	s.clock.turn(d)
	browsertest.Eval[bool](s.Tab, `document.dispatchEvent(new Event("visibilitychange"))`)
}

const isOpen = `document.getElementById("time").open`

// warned checks that the page shows the warning and has focused the button that extends the
// session.
func (s *visitor) warned(title, button string) {
	s.t.Helper()
	s.Until(isOpen)
	if f := s.Focus(); f.Says != button || !f.Ring || f.Over != "" {
		s.t.Errorf("the keyboard is on %+v instead of %s", f, button)
	}
	if got := browsertest.Eval[string](s.Tab, `document.getElementById("time").innerText`); !strings.Contains(got, title) {
		s.t.Errorf("the page says %q instead of %q", got, title)
	}
	for _, v := range s.Axe() {
		s.t.Errorf("%s: %s: %s: %s", title, v.ID, v.Help, v.Where)
	}
	for _, target := range s.Small(44) {
		if strings.HasPrefix(target, "BUTTON "+button) {
			s.t.Errorf("too small to be hit: %s", target)
		}
	}
	if s.Sideways() {
		s.t.Errorf("%s scrolls sideways", title)
	}
	if dir := os.Getenv("TENOR_TEST_PICTURES"); dir != "" {
		s.Picture(dir, "time-"+strings.ReplaceAll(title, " ", "-"))
	}
}

// back checks that the focus is where it was, and that nothing was lost.
func (s *visitor) back() {
	s.t.Helper()
	s.Until("!" + isOpen)
	if f := s.Focus(); f.Name != "revenue" || s.Value("revenue") != "480,000" {
		s.t.Errorf("afterwards the keyboard is on %+v, and %q was typed", f, s.Value("revenue"))
	}
}

// A keyboard-only buyer is warned a minute and a half before she is signed out. Enter keeps her
// signed in, and so does Escape. If she is too late, what she submits is shown again once she has
// proved her email again. The test controls the wall clock. At night she also does so on a phone.
func TestTimeInABrowser(t *testing.T) {
	views := []browsertest.View{{}, {Width: 320}}
	for _, v := range views[:suite.By(1, 2)] {
		s := newRig(t).visitor(v)
		s.signsIn("email")
		s.Fill("revenue", "480,000")
		for i, key := range []func(){s.Enter, func() { s.Key(browsertest.KeyEscape) }} {
			s.passes(28*time.Minute + 30*time.Second - time.Duration(2*i)*time.Minute)
			s.warned("You will be signed out soon", "Stay signed in")
			key()
			s.back()
			s.passes(2 * time.Minute) // the former half hour is over
			s.Until("!" + isOpen)
		}
		s.passes(28 * time.Minute)
		s.warned("You were signed out", "Back to the page")
		s.Enter()
		s.back()
		s.Enter() // submits the form
		s.Await("/email")
		if says := s.Text(); !strings.Contains(says, "You were signed out") {
			t.Errorf("too late, the page says:\n%s", says)
		}
		s.signsIn("")
		if got := s.Value("revenue"); got != "480,000" {
			t.Errorf("signed in again, %q is left", got)
		}
	}
}

// signsIn proves the email; "" is the current page.
func (s *visitor) signsIn(step string) {
	s.t.Helper()
	if step != "" {
		s.Go(s.at + "/" + step)
	}
	s.Put("email", "avery@alderkitchens.example")
	s.Press("Send the code")
	s.Put("code", "000000")
	s.Press("Continue")
	s.Await("/business")
}

// After twelve hours no extension is offered, and the page says so.
func TestLastTimeInABrowser(t *testing.T) {
	s := newRig(t).visitor(browsertest.View{Width: 390})
	s.signsIn("email")
	for range 28 {
		s.clock.turn(25 * time.Minute)
		if !browsertest.Eval[bool](s.Tab, `fetch(location.href).then(r => r.ok && !r.redirected)`) {
			t.Fatal("she is signed out too soon")
		}
	}
	s.Reload()
	s.Fill("revenue", "480,000")
	s.passes(18*time.Minute + 30*time.Second)
	s.warned("A sign-in lasts 12 hours at most", "Back to the page")
	s.Enter()
	s.back()
	s.passes(90 * time.Second)
	s.warned("You were signed out", "Back to the page")
}

// Without scripts there is no warning, and the page says how long it waits.
func TestTimeWithoutScript(t *testing.T) {
	s := newRig(t).visitor(browsertest.View{Width: 320, NoScript: true})
	s.signsIn("email")
	if says := s.Text(); strings.Contains(says, "Stay signed in") || !strings.Contains(says, "You are signed out after 30 minutes without a click.") {
		t.Errorf("the page says:\n%s", says)
	}
}

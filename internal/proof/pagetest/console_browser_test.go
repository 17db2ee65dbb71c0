package pagetest

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/domain/permit"
	"tenor/internal/office/credential"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// clerkTab is a tab of the lender's staff.
type clerkTab struct {
	*browsertest.Tab
	t    *testing.T
	w    operate.World
	view browsertest.View
	used int64 // step of the last one-time code
	n    int
}

// looks checks a page: with axe-core, for targets of 24 px, and for what scrolls sideways, also
// with text that is twice as large.
func (s *clerkTab) looks(name string) {
	s.t.Helper()
	s.n++
	if dir := os.Getenv(picturesVariable); dir != "" {
		s.Picture(dir, strconv.FormatInt(s.view.Width, 10)+"-"+strconv.Itoa(s.n)+"-console-"+name)
	}
	if s.view.Width > 1000 {
		if s.Text200(true); s.Sideways() {
			s.t.Errorf("%s scrolls sideways when its text is twice as large", name)
		}
		s.Text200(false)
	}
	for _, v := range s.Axe() {
		s.t.Errorf("%s: %s: %s: %s", name, v.ID, v.Help, v.Where)
	}
	for _, target := range s.Small(24) {
		s.t.Errorf("%s: too small to be hit: %s", name, target)
	}
	if s.Sideways() {
		s.t.Errorf("%s scrolls sideways", name)
	}
}

// code returns a one-time code that was not used before: those of half a minute ago and of half a
// minute from now are right, too.
func (s *clerkTab) code(secret string) string {
	s.t.Helper()
	s.used = max(s.used+1, time.Now().Unix()/30-1)
	code, err := credential.Code(secret, time.Unix(s.used*30, 0))
	if err != nil {
		s.t.Fatal(err)
	}
	return code
}

// invited invites somebody as an admin at the server's command line, and returns the link.
func (s *clerkTab) invited(email string) string {
	s.t.Helper()
	var out, errs devtest.Pipe
	invite := []string{"staff", "invite", email, "--name", "Ada Novak", "--role", "admin", "--data", s.w.Data, "--public-url", s.w.URL}
	if code := cli.Run(s.t.Context(), invite, devtest.App(&out, &errs)); code != exit.Done {
		s.t.Fatalf("invite: %d %s", code, errs.String())
	}
	return strings.TrimSpace(out.String())
}

// Somebody new on the lender's staff comes in by an invitation from the server's command line,
// sets up password and codes, saves the recovery codes, and signs in again with both: wide and
// light, and, at night, narrow and dark. Everything shown comes from one server.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	views := []browsertest.View{{Width: 1360}, {Width: 390, Dark: true}}
	for i, v := range views[:suite.By(1, 2)] {
		email := "ada" + strconv.Itoa(i) + "@lender.example"
		s := &clerkTab{Tab: b.Tab(t, v), t: t, w: w, view: v}
		s.Go(s.invited(email))
		secret := strings.ReplaceAll(browsertest.Eval[string](s.Tab, "document.getElementById('secret').textContent"), " ", "")
		s.looks("set-up")
		s.Fill("password", "password1234")
		s.Fill("code", "000000")
		s.Press("Set up and sign in")
		s.looks("set-up refused")
		s.Fill("password", "three umbrellas and a kiosk")
		s.Fill("code", s.code(secret))
		s.Press("Set up and sign in")
		s.Await("/you/recovery")
		s.looks("recovery codes")
		s.Press("I have saved them")
		s.Await("/console")
		s.looks("home")
		s.Go(w.URL + "/console/people")
		s.looks("people")
		s.Go(w.URL + "/console/you")
		s.looks("you")
		s.Press("Sign out")
		s.Await("/sign-in")
		s.looks("sign-in")
		s.Fill("email", email)
		s.Fill("password", "three umbrellas and a kiosk")
		s.Press("Continue")
		s.Await("/console/code")
		s.looks("code")
		s.Fill("code", s.code(secret))
		s.Press("Sign in")
		s.Await("/console")
		if !strings.Contains(s.Title(), "Home") {
			t.Errorf("%d pixels: signed in to %q", v.Width, s.Title())
		}
		if got := s.Origins(); !slices.Equal(got, []string{w.URL}) {
			t.Errorf("asked %v for pages", got)
		}
	}
}

// In a sandbox each role signs in by the printed link, and sees its own sections; a page that a
// role may not see says which roles may.
func TestConsoleRolesInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	s := &clerkTab{Tab: b.Tab(t, browsertest.View{Width: 1360, Dark: true}), t: t, w: w, view: browsertest.View{Width: 1360, Dark: true}}
	s.Go(w.Console)
	s.looks("roles")
	for _, role := range []permit.Role{permit.Viewer, permit.Admin} {
		s.Go(w.Console)
		browsertest.Eval[bool](s.Tab, "document.querySelector('input[value="+string(role)+"]').form.submit(), true")
		s.Await("/console")
		s.Go(w.URL + "/console/people")
		if got, want := strings.Contains(s.Text(), "Last sign-in"), role == permit.Admin; got != want {
			t.Errorf("%s sees the people: %v", role, got)
		}
		s.looks("people for " + string(role))
	}
}

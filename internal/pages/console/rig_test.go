package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/edge/resource"
	"tenor/internal/office/alarm"
	"tenor/internal/office/buyer"
	"tenor/internal/office/credential"
	"tenor/internal/office/signin"
	"tenor/internal/proof/webtest"
	"tenor/internal/ui/design"
)

// rig is the console with a real engine and a real file.
type rig struct {
	t     *testing.T
	desk  *signin.Desk
	pages *Pages
	wall  time.Time
	sheet string
}

const password = "three umbrellas and a kiosk"

func newRig(t *testing.T) *rig {
	t.Helper()
	db, err := sqlite.Open(t.TempDir()+"/tenor.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	zone := calendar.NewZone(location)
	r := &rig{t: t, wall: time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC)}
	now := func() time.Time { return r.wall }
	e, err := engine.New(engine.Config{Backend: db, Zone: zone, Now: now, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm: %s: %v", a.What, a.Err) }})
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.New(seal.Derive([]byte("the key of this test alone"), "console"))
	if err != nil {
		t.Fatal(err)
	}
	r.desk = &signin.Desk{Hasher: credential.NewHasher(2), Desk: &buyer.Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: zone, Now: now, Wall: now, Seal: ring.Seal, Open: ring.Open, Base: "http://localhost:8080",
		Seed: func() (out [16]byte) { _, _ = rand.Read(out[:]); return out },
		Hash: func(kind, text string) string {
			h := hmac.New(sha256.New, []byte("key of fingerprints"))
			fmt.Fprintf(h, "%s/%s", kind, text)
			return hex.EncodeToString(h.Sum(nil))
		},
	}}
	r.open(Config{Alarms: alarm.Setup{Zone: zone}})
	t.Cleanup(func() {
		report, err := verify.Run(context.Background(), db, verify.Options{Scratch: memory.Scratch, Zone: zone, EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range report.Violations {
			t.Errorf("verify: %s %s: %s", v.Invariant, v.Object, v.Detail)
		}
	})
	return r
}

// open creates the pages.
func (r *rig) open(c Config) {
	r.t.Helper()
	assets, err := design.LoadAssets(Prefix + "/assets/")
	if err != nil {
		r.t.Fatal(err)
	}
	r.sheet = string(assets.Files[assets.CSS].Body)
	c.Desk, c.Assets, c.Secure, c.Limit = r.desk, assets, true, 100_000
	c.Address = func(q *http.Request) string { return q.RemoteAddr }
	if r.pages, err = New(c); err != nil {
		r.t.Fatal(err)
	}
}

// invite invites somebody, and returns the link's path.
func (r *rig) invite(email, name string, roles ...permit.Role) (*credit.StaffMember, string) {
	r.t.Helper()
	m, path, err := r.desk.Invite(context.Background(), signin.Invitation{Contact: signin.Contact{Email: email, Name: name}, Roles: roles, Life: staff.PrintedLink}, signin.By{})
	if err != nil {
		r.t.Fatal(err)
	}
	return m, path
}

// browser keeps the cookie.
type browser struct {
	*rig
	cookie, network string
	keys            string // the cookie that turns them off
	last            *httptest.ResponseRecorder
	body            string
}

func (r *rig) browser() *browser { return &browser{rig: r, network: "192.0.2.1:5000"} }

func (b *browser) send(method, path string, form url.Values, header ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	q := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	q.RemoteAddr = b.network
	if form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		q.Header.Set("Cookie", "__Host-tenor_console="+b.cookie+"; __Host-tenor_console_keys="+b.keys)
	}
	for i := 0; i+1 < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	for _, c := range w.Result().Cookies() {
		own := c.Name == "__Host-tenor_console"
		if !own && c.Name != "__Host-tenor_console_keys" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			b.t.Errorf("cookie %s", c)
		}
		if own {
			b.cookie = c.Value
		} else {
			b.keys = c.Value
		}
	}
	b.last, b.body = w, w.Body.String()
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || w.Header().Get("Referrer-Policy") != "same-origin" {
		b.t.Errorf("%s %s: headers %v", method, path, w.Header())
	}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") && w.Code != http.StatusSeeOther {
		all, at := webtest.Read(b.t, webtest.WithoutScripts(b.body, b.pages.config.Assets.Copy, b.pages.config.Assets.Keys)), method+" "+path
		webtest.CheckSafe(b.t, at, all)
		webtest.CheckForm(b.t, at, all)
		webtest.CheckClasses(b.t, at, all, b.sheet)
	}
	return w
}

// get opens a page and returns its status.
func (b *browser) get(path string) int { b.t.Helper(); return b.send("GET", path, nil).Code }

var keyField = regexp.MustCompile(`name="form" value="([^"]*)"`)

// fill opens a page, fills in its form, and returns the status and where it leads.
func (b *browser) fill(path string, pairs ...string) (int, string) {
	b.t.Helper()
	if code := b.get(path); code != http.StatusOK {
		b.t.Fatalf("GET %s: %d %s", path, code, b.last.Header().Get("Location"))
	}
	return b.post(path, pairs...)
}

// post sends the form of the page that was opened last.
func (b *browser) post(path string, pairs ...string) (int, string) {
	b.t.Helper()
	form := url.Values{}
	if m := keyField.FindStringSubmatch(b.body); m != nil {
		form.Set("form", m[1])
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	w := b.send("POST", path, form)
	return w.Code, w.Header().Get("Location")
}

// does fails unless a form leads to a place.
func (b *browser) does(to, path string, pairs ...string) {
	b.t.Helper()
	if code, at := b.fill(path, pairs...); code != http.StatusSeeOther || at != to {
		b.t.Fatalf("POST %s: %d, to %q, want %q\n%s", path, code, at, to, b.body)
	}
}

var secretKey = regexp.MustCompile(`id="secret">([A-Z2-7 ]+)<`)

// enrolled is somebody who has set everything up, in a browser that is signed in; secret is that
// of the one-time codes.
func (r *rig) enrolled(email string, roles ...permit.Role) (b *browser, secret string, codes []string) {
	r.t.Helper()
	_, path := r.invite(email, "Ada Novak", roles...)
	b = r.browser()
	if code := b.get(path); code != http.StatusOK {
		r.t.Fatalf("the link: %d", code)
	}
	secret = strings.ReplaceAll(secretKey.FindStringSubmatch(b.body)[1], " ", "")
	if code, to := b.post(path, "password", password, "code", r.code(secret)); code != http.StatusSeeOther || to != Prefix+"/you/recovery" {
		r.t.Fatalf("set up: %d, to %s\n%s", code, to, b.body)
	}
	if b.get(Prefix) != http.StatusSeeOther || b.last.Header().Get("Location") != Prefix+"/you/recovery" {
		r.t.Error("recovery codes that are shown once are passed by")
	}
	b.get(Prefix + "/you/recovery")
	codes = regexp.MustCompile(`[2-9b-z]{5}-[2-9b-z]{5}-[2-9b-z]{5}`).FindAllString(b.body, -1)
	b.does(Prefix, Prefix+"/you/recovery")
	return b, secret, codes
}

// code is a one-time code that was not used before: half a minute passes first.
func (r *rig) code(secret string) string {
	r.t.Helper()
	r.wall = r.wall.Add(30 * time.Second)
	code, err := credential.Code(secret, r.wall)
	if err != nil {
		r.t.Fatal(err)
	}
	return code
}

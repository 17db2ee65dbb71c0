package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A page is filled in and submitted, with and without scripts; the problems of another page are
// found.
func TestBrowser(t *testing.T) {
	b := Start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>A</title><main><h1>A</h1><form method="post" action="/b"><label>Name <input name="name" value="x"></label>
<label><input type="checkbox" name="yes" value="1"> Yes</label><label>Pick <select name="pick"><option>a<option>b</select></label><button>Send it</button></form>
<p id="s">still</p><script>document.getElementById("s").textContent = "ran"</script></main>`)
	})
	mux.HandleFunc("POST /b", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/c?"+r.FormValue("name")+r.FormValue("yes")+r.FormValue("pick"), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /c", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>C</title><img src="/x.png"><div style="width:2000px">wide</div>`)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	for _, v := range []View{{}, {NoScript: true, Width: 390}} {
		x := b.Tab(t, v)
		x.Go(s.URL + "/")
		if got := strings.Contains(x.Text(), "ran"); got == v.NoScript {
			t.Errorf("%+v: script ran: %v", v, got)
		}
		if !v.NoScript {
			if found := x.Axe(); len(found) != 0 {
				t.Errorf("a page that is right: %+v", found)
			}
		}
		x.Fill("name", "Ana")
		x.Tick("yes", "")
		x.Fill("pick", "b")
		x.Press("Send it")
		if !strings.HasSuffix(x.URL(), "/c?Ana1b") || x.Title() != "C" || !x.Sideways() {
			t.Errorf("at %s, sideways %v", x.URL(), x.Sideways())
		}
		if !v.NoScript {
			if found := x.Axe(); !slices.ContainsFunc(found, func(v Violation) bool { return v.ID == "image-alt" }) {
				t.Errorf("a page that is wrong: %+v", found)
			}
		}
		x.Back()
		if x.Title() != "A" {
			t.Errorf("back at %s, %q", x.URL(), x.Title())
		}
		if got := x.Origins(); !slices.Equal(got, []string{s.URL}) {
			t.Errorf("asked %v", got)
		}
		dir := t.TempDir()
		x.Picture(dir, "a")
		if f, err := os.Stat(dir + "/a.png"); err != nil || f.Size() < 1000 {
			t.Errorf("picture %v: %v", f, err)
		}
	}
}

// Cookies of the page and of a frame in it are found, and the tab looks into the frame.
func TestFrame(t *testing.T) {
	cookie := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: name, Value: "1", Path: "/in"})
			fmt.Fprint(w, `<!doctype html><title>In</title><p>Inside</p><input name="x"><button onclick="document.querySelector('p').innerText = 'Pressed'">Press</button>`)
		}
	}
	inner := httptest.NewServer(cookie("inner"))
	t.Cleanup(inner.Close)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>Out</title><p>Outside</p><iframe src="%s/in/x" style="margin: 40px"></iframe>`, inner.URL)
	}))
	t.Cleanup(outer.Close)
	x := Start(t).Tab(t, View{})
	x.Go(outer.URL)
	f := x.Frame()
	f.Await("/in/x")
	f.Fill("x", "typed")
	f.Click("Press")
	f.Until(`document.querySelector("p").innerText === "Pressed"`)
	if got := f.Text(); !strings.Contains(got, "Pressed") || Eval[string](f, `document.querySelector("input").value`) != "typed" || !strings.Contains(x.Text(), "Outside") || x.Title() != "Out" {
		t.Errorf("inside %q, outside %q", got, x.Text())
	}
	if got := x.Cookies(); len(got) != 1 || got[0] != "inner" {
		t.Errorf("cookies %q", got)
	}
}

// A page is met once in each view, in whatever tab, and a page that says something else is
// another one.
func TestMeets(t *testing.T) {
	met := new(sync.Map)
	wide, again, narrow := &Tab{met: met, view: View{Width: 1360}}, &Tab{met: met, view: View{Width: 1360}}, &Tab{met: met, view: View{Width: 390}}
	other := &Tab{met: new(sync.Map), view: View{Width: 1360}}
	for i, x := range []struct {
		tab  *Tab
		page string
		want bool
	}{{wide, "a", true}, {wide, "a", false}, {again, "a", false}, {again, "b", true}, {wide, "b", false}, {narrow, "a", true}, {other, "a", true}} {
		if got := x.tab.Meets(x.page); got != x.want {
			t.Errorf("question %d: %t", i, got)
		}
	}
}

package storefront

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tenor/internal/proof/browsertest"
)

// counter plays the lender's server for the modal: the script as served, and a checkout that
// reports ready, or nothing at all.
type counter struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newCounter(t *testing.T) *counter {
	c := &counter{}
	script, err := scriptFiles.ReadFile("scripts/checkout.js")
	if err != nil {
		t.Fatal(err)
	}
	page := func(ready string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c.mu.Lock()
			c.asked = append(c.asked, r.Header.Get("Sec-Fetch-Dest")+" "+r.URL.RequestURI())
			c.mu.Unlock()
			fmt.Fprint(w, `<!doctype html><html lang="en"><title>Checkout</title><link rel="icon" href="data:,"><main><h1>Checkout</h1><label>Name <input name="name"></label></main>`+ready)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /js/v1/checkout.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write(script)
	})
	mux.HandleFunc("GET /c/bcd123", page(`<script>parent !== self && parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", type: "ready"}, "*")</script>`))
	mux.HandleFunc("GET /c/mute", page(""))
	mux.HandleFunc("GET /c/loud", page(`<script>parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", type: "complete", out: "a.b"}, "*")</script>`))
	mux.HandleFunc("GET /c/bcd123/exit", page(""))
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

// desk is a merchant's page with a button that opens a checkout. It records how checkouts end,
// and every message, accepted or not.
func desk(t *testing.T, c *counter, before string) string {
	t.Helper()
	page := `<!doctype html><html lang="en"><title>The shop</title><link rel="icon" href="data:,"><main><h1>The shop</h1><button id="pay">Pay over time</button></main>
<script>` + before + `
window.ended = []; window.got = 0; addEventListener("message", () => setTimeout(() => got++));
const end = how => r => ended.push(how + " " + r.checkout + " " + r.reason);
document.getElementById("pay").addEventListener("click", async () => (await import("` + c.URL + `/js/v1/checkout.js")).openCheckout({
	url: window.address ?? "` + c.URL + `/c/bcd123", onComplete: window.plain ? undefined : end("complete"), onPending: end("pending"), onCancel: end("cancel")}));
</script>`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
	t.Cleanup(s.Close)
	return s.URL
}

const (
	inside = `document.querySelector("main ~ div")?.shadowRoot`
	shown  = `(` + inside + `?.getElementById("sheet").open ?? false)`
	inHand = `(` + inside + `?.activeElement?.tagName === "IFRAME")`
)

// opens opens a checkout in a tab.
func opens(t *testing.T, b *browsertest.Browser, at string) *browsertest.Tab {
	t.Helper()
	x := b.Tab(t, browsertest.View{})
	x.Go(at)
	x.Click("Pay over time")
	x.Until(shown)
	x.Until(inHand)
	return x
}

func ended(x *browsertest.Tab) string {
	return strings.Join(browsertest.Eval[[]string](x, "ended"), ", ")
}

// The dialog has a name, the frame a title; the focus moves in and back. Input is not lost
// without asking, and when reopened, the checkout is where it was.
func TestModal(t *testing.T) {
	c, b := newCounter(t), browsertest.Start(t)
	x := opens(t, b, desk(t, c, ""))
	names := browsertest.Eval[[]string](x, `(r => [r.getElementById("sheet").getAttribute("aria-label"), r.querySelector("iframe").title])(`+inside+`)`)
	if names[0] != "Pay over time" || names[1] != "Pay over time: checkout" {
		t.Errorf("names %q", names)
	}
	for _, v := range x.Axe() {
		t.Errorf("%s: %s: %s", v.ID, v.Help, v.Where)
	}
	if browsertest.Eval[bool](x, `document.querySelector("main").contains(document.activeElement)`) {
		t.Error("the focus has stayed outside")
	}
	x.Frame().Put("name", "Avery")
	tells(x, `{type: "step", typed: true}`)
	tells(x, `{type: "cancel", out: null}`) // Escape in the frame
	x.Until(inside + `.getElementById("ask").open && ` + inside + `.activeElement.id === "stay"`)
	x.Enter()
	x.Until(`!` + inside + `.getElementById("ask").open && ` + inHand)
	tells(x, `{type: "cancel", out: null}`)
	x.Until(inside + `.getElementById("ask").open`)
	browsertest.Eval[bool](x, `(`+inside+`.getElementById("leave").click(), true)`)
	x.Until(`!` + shown + ` && document.activeElement.id === "pay" && ended.length`)
	if got := ended(x); got != "cancel chk_1 closed" {
		t.Errorf("ended with %q", got)
	}
	x.Click("Pay over time")
	x.Until(shown + ` && ` + inHand)
	if got := browsertest.Eval[string](x.Frame(), `document.querySelector("input").value`); got != "Avery" {
		t.Errorf("opened again: %q", got)
	}
	tells(x, `{type: "step", typed: false}`)
	browsertest.Eval[bool](x, `(`+inside+`.getElementById("close").focus(), true)`) // so that the page gets the key
	x.Key("\x1b")
	x.Until(`!` + shown + ` && document.activeElement.id === "pay"`)
	if len(c.asked) != 1 || c.asked[0] != "iframe /c/bcd123" {
		t.Errorf("asked for %q", c.asked)
	}
	if got := x.Cookies(); len(got) > 0 {
		t.Errorf("cookies %q", got)
	}
}

// tells makes the checkout's frame send a message, and waits until the page has it.
func tells(x *browsertest.Tab, message string) {
	before := browsertest.Eval[float64](x, "got")
	browsertest.Eval[bool](x.Frame(), `(parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", ...`+message+`}, "*"), true)`)
	x.Until(fmt.Sprintf("got > %g", before))
}

// How a checkout ends: with the merchant's own code, or where the server says. An address in a
// message is treated like a wrong ticket.
func TestModalEnds(t *testing.T) {
	c, b := newCounter(t), browsertest.Start(t)
	for message, want := range map[string]string{
		`{type: "complete", out: "accepted.s1gn"}`:      "complete chk_1 accepted",
		`{type: "pending", out: "pending_review.s1gn"}`: "pending chk_1 pending_review",
		`{type: "cancel", out: "buyer_canceled.s1gn"}`:  "cancel chk_1 buyer_canceled",
	} {
		x := opens(t, b, desk(t, c, ""))
		browsertest.Eval[bool](x.Frame(), `(parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", ...`+message+`}, "*"), true)`)
		x.Until(`ended.length`)
		if got := ended(x); got != want || browsertest.Eval[bool](x, `Boolean(`+inside+`) || document.activeElement.id !== "pay"`) {
			t.Errorf("%s ends with %q", message, got)
		}
	}
	for out, want := range map[string]string{"accepted.s1gn": "accepted.s1gn", "https://evil.example/": "https%3A%2F%2Fevil.example%2F", "javascript:alert(1)": "javascript%3Aalert%281%29", "x&y=1#z": "x%26y%3D1%23z"} {
		x := opens(t, b, desk(t, c, "window.plain = true;"))
		browsertest.Eval[bool](x.Frame(), `(parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", type: "complete", out: "`+out+`", url: "https://evil.example/"}, "*"), true)`)
		x.Await("/exit")
		if got := x.URL(); got != c.URL+"/c/bcd123/exit?out="+want {
			t.Errorf("%s leads to %s", out, got)
		}
	}
}

// Messages from anyone else change nothing, nor do malformed ones from the frame.
func TestModalForgeries(t *testing.T) {
	c, b := newCounter(t), browsertest.Start(t)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>x</title><script>for (const type of ["ready", "complete", "cancel", "pending", "step"]) parent.postMessage({source: "tenor-checkout", v: 1, checkout: "chk_1", type, typed: true, out: "accepted.x"}, "*")</script>`)
	}))
	t.Cleanup(evil.Close)
	const all = `{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "complete", out: "accepted.x"}`
	frame := func(at string) string {
		return `document.body.append(Object.assign(document.createElement("iframe"), {src: "` + at + `"}))`
	}
	for name, do := range map[string]string{
		"the page itself":            `window.postMessage(` + all + `, "*")`,
		"an event that is made up":   `(dispatchEvent(new MessageEvent("message", {data: ` + all + `, origin: "` + c.URL + `"})), got++)`,
		"another site's frame":       frame(evil.URL),
		"the same site by name":      frame(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)),
		"a frame of the right site":  frame(c.URL + "/c/loud"),
		"the frame, led elsewhere":   inside + `.querySelector("iframe").contentWindow.location.replace("` + evil.URL + `")`,
		"a frame that makes another": `document.body.append(Object.assign(document.createElement("iframe"), {srcdoc: "<iframe src='` + evil.URL + `'></iframe><script>parent.postMessage(` + strings.ReplaceAll(all, `"`, `&quot;`) + `, '*')</script>"}))`,
	} {
		t.Run(name, func(t *testing.T) {
			x := opens(t, b, desk(t, c, ""))
			before := browsertest.Eval[float64](x, "got")
			browsertest.Eval[bool](x, `(`+strings.ReplaceAll(do, "&quot;", `\"`)+`, true)`)
			x.Until(fmt.Sprintf("got > %g", before))
			still(t, x)
		})
	}
	x := opens(t, b, desk(t, c, ""))
	for _, message := range []string{
		`null`, `"complete"`, `[]`, `{}`, `{source: "x", v: 1, checkout: "chk_1", type: "complete", out: "a.b"}`, `{source: "tenor-checkout", v: 2, checkout: "chk_1", type: "complete", out: "a.b"}`,
		`{source: "tenor-checkout", v: "1", checkout: "chk_1", type: "complete", out: "a.b"}`, `{source: "tenor-checkout", v: 1, checkout: "chk_2", type: "complete", out: "a.b"}`,
		`{source: "tenor-checkout", v: 1, type: "complete", out: "a.b"}`, `{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "complete", out: {}}`,
		`{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "complete"}`, `{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "close"}`,
		`{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "resize", height: "1e9"}`, `{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "resize", height: 1e9}`, `{source: "tenor-checkout", v: 1, checkout: "chk_1", type: "error"}`,
	} {
		before := browsertest.Eval[float64](x, "got")
		browsertest.Eval[bool](x.Frame(), `(parent.postMessage(`+message+`, "*"), true)`)
		x.Until(fmt.Sprintf("got > %g", before))
		still(t, x)
	}
}

// still checks that the checkout is open, nothing has ended, and the page is where it was.
func still(t *testing.T, x *browsertest.Tab) {
	t.Helper()
	if got := ended(x); got != "" || x.Title() != "The shop" || !browsertest.Eval[bool](x, shown+` && !`+inside+`.getElementById("ask").open && `+inside+`.getElementById("sheet").clientHeight < innerHeight`) {
		t.Errorf("ended %q at %s", got, x.URL())
	}
}

// An address that is not a checkout of the script's own server is refused before anything is
// shown or requested.
func TestModalForeignAddress(t *testing.T) {
	c, b := newCounter(t), browsertest.Start(t)
	x := b.Tab(t, browsertest.View{})
	x.Go(desk(t, c, ""))
	host := strings.TrimPrefix(c.URL, "http://")
	for _, url := range []string{
		"", "/c/bcd123", "https://evil.example/c/bcd123", "http://evil.example/c/bcd123", "javascript:alert(1)", "data:text/html,x", "blob:" + c.URL + "/x", "https://" + host + "/c/bcd123", "//" + host + "/c/bcd123",
		strings.Replace(c.URL, "127.0.0.1", "localhost", 1) + "/c/bcd123", c.URL + "/", c.URL + "/c/", c.URL + "/shop", c.URL + "/c/../shop", c.URL + "/c/bcd123/exit", c.URL + "/c/bcd123?x=1", c.URL + "/c/bcd123#x",
		c.URL + "/c/bcd123.secret", "http://user@" + host + "/c/bcd123", c.URL + "@evil.example/c/bcd123", c.URL + "/c/BCD", c.URL + "/c/%62cd",
	} {
		got := browsertest.Eval[string](x, fmt.Sprintf(`import("%s/js/v1/checkout.js").then(m => m.openCheckout({url: %q})).then(() => "opened", e => e.constructor.name)`, c.URL, url))
		if got != "TypeError" || browsertest.Eval[float64](x, `document.querySelectorAll("iframe, main ~ div").length`) != 0 {
			t.Errorf("%q: %s", url, got)
		}
	}
	if x.Title() != "The shop" || len(c.asked) != 0 {
		t.Errorf("at %s, asked for %q", x.URL(), c.asked)
	}
}

// Where a dialog is impossible, the browser goes to the checkout: on a narrow screen, without
// <dialog>, and when the frame does not report ready in time.
func TestModalFallsBack(t *testing.T) {
	c, b := newCounter(t), browsertest.Start(t)
	for name, x := range map[string]struct {
		width        int64
		before, path string
	}{
		"narrow":      {767, "", "/c/bcd123"},
		"no dialog":   {0, "delete HTMLDialogElement.prototype.showModal;", "/c/bcd123"},
		"no dialogs":  {0, "delete window.HTMLDialogElement;", "/c/bcd123"},
		"silent":      {0, `window.address = "` + c.URL + `/c/mute";`, "/c/mute"},
		"not to find": {0, `window.address = "` + c.URL + `/c/nobody";`, "/c/nobody"},
	} {
		tab := b.Tab(t, browsertest.View{Width: x.width})
		tab.Go(desk(t, c, x.before))
		tab.Click("Pay over time")
		tab.Await(x.path)
		if got := tab.URL(); got != c.URL+x.path {
			t.Errorf("%s: at %s", name, got)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(c.asked, ", "); strings.Count(got, "document /c/bcd123") != 3 || strings.Contains(got, "iframe /c/bcd123") || !strings.Contains(got, "iframe /c/mute") || !strings.Contains(got, "document /c/mute") {
		t.Errorf("asked for %s", got)
	}
}

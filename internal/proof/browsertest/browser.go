// Package browsertest drives a real browser in tests: Debian's Chromium, through its own protocol.
//
//	Start   a browser for a test; without one the test is skipped, or fails if it is required
//	Tab     a page as a user sees it: wide or narrow, with or without scripts
//	Axe     accessibility violations found by axe-core
//	Focus   the focused element, and whether it is visible (keys.go)
//	Cost    the cost of loading a page (cost.go)
//	Spoken  a page as announced by a screen reader (spoken.go)
//	Picture a page as a PNG (picture.go)
//	Frame   a page inside a page, and layout shifts (frame.go)
//
// axe.min.js in testdata is axe-core 4.14.1 from npm (MPL 2.0); no release contains it.
package browsertest

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"tenor/internal/proof/suite"
)

//go:embed testdata/axe.min.js
var axe string

// patience is how long one step may take before the test fails.
const patience = 2 * time.Minute

// Browser opens tabs, each with separate cookies.
type Browser struct {
	ctx context.Context
	met *sync.Map // what [Tab.Meets] was asked, with the view
}

// View is how a tab shows pages.
type View struct {
	Width    int64 // 0: 1360
	NoScript bool
	Dark     bool
	Forced   bool // forced colors of the system, as used by people with low vision
}

// media returns the media features of a view for style sheets.
func (v View) media() (out []*emulation.MediaFeature) {
	if v.Dark {
		out = append(out, &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	}
	if v.Forced {
		out = append(out, &emulation.MediaFeature{Name: "forced-colors", Value: "active"})
	}
	return out
}

// Tab is one page of a browser.
type Tab struct {
	t     testing.TB
	ctx   context.Context
	view  View
	met   *sync.Map   // that of the browser
	shown bool        // the media features are set
	frame cdp.FrameID // the frame it looks into; "": the page
	outer *Tab        // the tab around that frame

	mu    sync.Mutex
	urls  []string
	bytes int64
}

// Tab opens a tab for a test, isolated from others.
func (b *Browser) Tab(t testing.TB, v View) *Tab {
	t.Helper()
	return open(t, b.ctx, b.met, v, chromedp.WithNewBrowserContext())
}

// Twin opens another tab of the same user.
func (x *Tab) Twin() *Tab {
	x.t.Helper()
	return open(x.t, x.ctx, x.met, x.view)
}

func open(t testing.TB, parent context.Context, met *sync.Map, v View, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(parent, options...)
	t.Cleanup(end)
	if v.Width == 0 {
		v.Width = 1360
	}
	x := &Tab{t: t, ctx: ctx, met: met, view: v}
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil {
		t.Fatalf("browsertest: open a tab: %v", err)
	}
	x.must(chromedp.EmulateViewport(v.Width, height))
	call(x, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // as if it were in the foreground
	if v.NoScript {
		call(x, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	call(x, browser.SetPermission, browser.SetPermissionParams{ // which a whole browser gives whoever clicks
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
	})
	call(x, network.Enable, network.EnableParams{})
	if err := chromedp.Listen(ctx, x.hears); err != nil {
		t.Fatal(err)
	}
	return x
}

// height is the height of tabs.
const height = 900

// hears records the tab's requests, and how much is received.
func (x *Tab) hears(ev any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		x.urls = append(x.urls, ev.Request.URL)
	case *network.EventLoadingFinished:
		x.bytes += int64(ev.EncodedDataLength)
	}
}

// call sends the tab a protocol command.
func call[P, R any](x *Tab, c cdp.Command[P, R], p P) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(ctx, c, p); err != nil {
		x.t.Fatalf("browsertest: %v", err)
	}
}

// must performs a step, or fails the test with a picture of the page.
func (x *Tab) must(a chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, a); err != nil {
		x.t.Fatalf("browsertest: %v %s", err, x.here())
	}
}

// eval returns the value of an expression in the page.
func eval[T any](x *Tab, expression string) T {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	v, err := value[T](ctx, x, expression)
	for try := 0; err != nil && try < 3; try++ { // the page may have navigated by itself meanwhile
		time.Sleep(200 * time.Millisecond)
		v, err = value[T](ctx, x, expression)
	}
	if err != nil {
		x.t.Fatalf("browsertest: %.80s: %v", expression, err)
	}
	return v
}

// Go opens an address.
func (x *Tab) Go(address string) {
	x.t.Helper()
	x.must(chromedp.Navigate(address))
	if media := x.view.media(); len(media) > 0 && !x.shown { // an empty tab does not respond to this
		call(x, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
		x.shown = true
	}
}

// Back goes to the previous page like the browser's button, which may show it from its cache.
func (x *Tab) Back() {
	x.t.Helper()
	from := x.URL()
	// What is asked again because the page left before it answered must not go back twice.
	eval[bool](x, "location.href === "+strconv.Quote(from)+" && history.back(), true")
	for end := time.Now().Add(patience); time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		ctx, cancel := context.WithTimeout(x.ctx, patience)
		there, err := value[bool](ctx, x, "location.href != "+strconv.Quote(from)+" && document.readyState == 'complete'")
		cancel()
		if err == nil && there { // an error is a page that is just leaving
			return
		}
	}
	x.t.Fatalf("browsertest: there is no page before %s", from)
}

// Reload reloads the page.
func (x *Tab) Reload() { x.t.Helper(); x.must(chromedp.Reload()) }

// URL returns the tab's address.
func (x *Tab) URL() string {
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	at, err := value[string](ctx, x, "location.href")
	if err != nil {
		return err.Error()
	}
	return at
}

// Text returns the text of the page.
func (x *Tab) Text() string {
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	text, err := value[string](ctx, x, "document.body ? document.body.innerText : ''")
	if err != nil {
		return err.Error()
	}
	return text
}

// here describes the tab's address, and the beginning of its page.
func (x *Tab) here() string { return fmt.Sprintf("at %s\n%.1200s", x.URL(), x.Text()) }

// Title returns the page's title.
func (x *Tab) Title() string { x.t.Helper(); return eval[string](x, "document.title") }

// find returns an expression for the visible element of a selector.
func find(sel string) string {
	return `[...document.querySelectorAll(` + strconv.Quote(sel) + `)].find(e => e.getClientRects().length > 0)`
}

// painted waits until what was laid out is on the screen: a click goes to what is seen there, which
// on a busy machine is still an earlier layout. A tab in the background paints nothing.
const painted = `new Promise(done => {
	const late = setTimeout(done, 500, true);
	requestAnimationFrame(() => requestAnimationFrame(() => { clearTimeout(late); done(true) }));
})`

// click waits for the element of an expression, moves the pointer to it, and clicks; counts are
// those of consecutive clicks.
func (x *Tab) click(what, element string, counts ...int) {
	x.t.Helper()
	find := `(e => { if (!e) return []; e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2] })(` + element + `)`
	at := eval[[]float64](x, find)
	for end := time.Now().Add(patience); len(at) != 2 && time.Now().Before(end); at = eval[[]float64](x, find) {
		time.Sleep(50 * time.Millisecond)
	}
	if len(at) != 2 {
		x.t.Fatalf("browsertest: there is no %s %s", what, x.here())
	}
	if !x.view.NoScript { // a page without scripts never calls back
		eval[bool](x, painted)
	}
	left, top := x.corner()
	for _, n := range append(counts, 1)[:max(len(counts), 1)] {
		x.must(chromedp.MouseClickXY(left+at[0], top+at[1], chromedp.ClickCount(n)))
	}
}

// Fill types into a field, replacing its content: at night key by key, with every change all at
// once. [Tab.Key] always presses keys.
func (x *Tab) Fill(name, value string) {
	x.t.Helper()
	field := find(`[name="` + name + `"]:not([type=hidden])`)
	switch kind := eval[string](x, `(e => e ? e.tagName : "")(`+field+`)`); kind {
	case "":
		x.t.Fatalf("browsertest: there is no field %s %s", name, x.here())
	case "SELECT":
		eval[bool](x, `(e => { e.value = `+strconv.Quote(value)+`; e.dispatchEvent(new Event("change", {bubbles: true})); return true })(`+field+`)`)
	default:
		eval[bool](x, `(e => { e.focus(); e.select(); return true })(`+field+`)`)
		if suite.By(false, true) {
			x.must(chromedp.KeyEvent(value))
			return
		}
		call(x, input.InsertText, input.InsertTextParams{Text: value})
	}
}

// Put sets fields, given as name, value, without typing.
func (x *Tab) Put(answers ...string) {
	x.t.Helper()
	for i := 0; i < len(answers); i += 2 {
		name, value := strconv.Quote(answers[i]), strconv.Quote(answers[i+1])
		if !eval[bool](x, `(e => { if (!e) return false; if (e.type === "checkbox" || e.type === "radio") (e = document.querySelector("[name=" + JSON.stringify(`+name+`) + "][value=" + JSON.stringify(`+value+`) + "]")).checked = true; else e.value = `+value+`; return true })(document.querySelector("[name=" + JSON.stringify(`+name+`) + "]:not([type=hidden])"))`) {
			x.t.Fatalf("browsertest: there is no field %s %s", name, x.here())
		}
	}
}

// Tick checks the checkbox, or selects the radio button, with a name and value.
func (x *Tab) Tick(name, value string) {
	x.t.Helper()
	sel := `[name="` + name + `"]`
	if value != "" {
		sel += `[value="` + value + `"]`
	}
	if !eval[bool](x, `document.querySelector(`+strconv.Quote(sel)+`)?.checked ?? false`) {
		x.click("box "+name, `(e => e?.getClientRects().length ? e : e?.closest("label"))(document.querySelector(`+strconv.Quote(sel)+`))`)
	}
}

// Press clicks the button or link with a text, and waits for the next page.
func (x *Tab) Press(text string) {
	x.t.Helper()
	before := eval[float64](x, "performance.timeOrigin")
	x.Click(text)
	for end := time.Now().Add(patience); time.Now().Before(end); {
		ctx, cancel := context.WithTimeout(x.ctx, patience)
		at, err := value[float64](ctx, x, "document.readyState === 'complete' ? performance.timeOrigin : 0")
		cancel()
		if err == nil && at != 0 && at != before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	x.t.Fatalf("browsertest: after pressing %q no page came %s", text, x.here())
}

// Click clicks the button, link or summary with a text; if there are several, the first one in
// the page's main part.
func (x *Tab) Click(text string) {
	x.t.Helper()
	x.click(strconv.Quote(text), saying(text))
}

// DoubleClick clicks twice, like an impatient user.
func (x *Tab) DoubleClick(text string) {
	x.t.Helper()
	x.click(strconv.Quote(text), saying(text), 1, 2)
}

// saying returns an expression for the clickable element with a text.
func saying(text string) string {
	return `[...document.querySelectorAll("main :is(button, a, summary)"), ...document.querySelectorAll("button, a, summary")].find(e => e.getClientRects().length > 0 && e.innerText.replace(/\s+/g, " ").includes(` + strconv.Quote(text) + `))`
}

// Await waits until the tab's address contains a text, and its page has loaded.
func (x *Tab) Await(part string) {
	x.t.Helper()
	for range 600 {
		if strings.Contains(x.URL(), part) {
			ctx, cancel := context.WithTimeout(x.ctx, patience)
			there, err := value[bool](ctx, x, "document.readyState === 'complete' && document.documentElement.clientWidth > 0")
			if cancel(); err == nil && there {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	x.t.Fatalf("browsertest: never came to %s %s", part, x.here())
}

// Violation is a problem found by axe-core.
type Violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Where string `json:"where"`
}

// Axe checks the current page with all rules of WCAG 2.2 A and AA and best practice.
func (x *Tab) Axe() []Violation {
	x.t.Helper()
	eval[bool](x, axe+";true")
	return eval[[]Violation](x, `axe.run(document, {resultTypes: ["violations"], preload: false}).then(r => r.violations.map(v => ({id: v.id, help: v.help, where: v.nodes.map(n => n.html.slice(0, 160)).join(" | ")})))`)
}

// Meets reports whether no tab with this view was asked before about such a page: any test that
// uses the browser may have shown it.
func (x *Tab) Meets(page string) bool {
	_, before := x.met.LoadOrStore([2]string{fmt.Sprint(x.view), page}, true)
	return !before
}

// Sideways reports whether the page is wider than the tab.
func (x *Tab) Sideways() bool {
	x.t.Helper()
	return eval[bool](x, "document.documentElement.scrollWidth > document.documentElement.clientWidth")
}

// Style returns a computed style property of the first element of a selector; "" if there is
// none.
func (x *Tab) Style(selector, property string) string {
	x.t.Helper()
	return eval[string](x, "(e => e ? getComputedStyle(e).getPropertyValue("+strconv.Quote(property)+") : '')(document.querySelector("+strconv.Quote(selector)+"))")
}

// Origins returns the origins of all requests of the tab, sorted, without duplicates.
func (x *Tab) Origins() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	seen := map[string]bool{}
	var out []string
	for _, s := range x.urls {
		u, err := url.Parse(s)
		if err != nil || u.Scheme == "data" || seen[u.Scheme+"://"+u.Host] {
			continue
		}
		seen[u.Scheme+"://"+u.Host] = true
		out = append(out, u.Scheme+"://"+u.Host)
	}
	return out
}

// Fields returns the names of the fields that can be filled in, without duplicates, with a "="
// after those that have a value.
func (x *Tab) Fields() []string {
	x.t.Helper()
	return eval[[]string](x, `[...new Set([...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter(e => e.getClientRects().length > 0 || e.type === "radio" || e.type === "checkbox").map(e => e.name + ((e.type === "radio" || e.type === "checkbox" ? e.checked : e.value !== "") ? "=" : "")))]`)
}

// Unfilled returns how many required answers of the page are missing: a group of radio buttons
// counts once.
func (x *Tab) Unfilled() int {
	x.t.Helper()
	return int(eval[float64](x, `new Set([...document.querySelectorAll("[required][name]")].filter(e => e.checkVisibility()).filter(e => e.type === "radio" ? !document.querySelector('[name="' + e.name + '"]:checked') : e.type === "checkbox" ? !e.checked : e.value === "").map(e => e.name)).size`))
}

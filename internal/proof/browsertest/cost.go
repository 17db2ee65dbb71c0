package browsertest

import (
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/network"
)

// Line is an internet connection with limited speed.
type Line struct {
	Bits int64         // per second, in each direction
	Wait time.Duration // until the first byte arrives
}

// Slow4G is the connection for which pages are designed.
func Slow4G() Line { return Line{Bits: 1_600_000, Wait: 150 * time.Millisecond} }

// On puts the tab behind a connection, with an empty cache.
func (x *Tab) On(l Line) {
	x.t.Helper()
	rate := float64(l.Bits) / 8
	call(x, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(x, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: float64(l.Wait.Milliseconds()), DownloadThroughput: rate, UploadThroughput: rate}},
	})
}

// Received returns how many bytes the tab has received over the network.
func (x *Tab) Received() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes
}

// LargestPaint returns when the largest element of the page was painted, since it was requested.
func (x *Tab) LargestPaint() time.Duration {
	x.t.Helper()
	ms := eval[float64](x, `new Promise(done => {
		new PerformanceObserver(l => done(l.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true});
		setTimeout(() => done(-1), 5000);
	})`)
	return time.Duration(ms * float64(time.Millisecond))
}

// Text200 shows the page with text twice as large, or normal again, and waits until the layout is
// stable: browsers scroll to keep the visible part in view.
func (x *Tab) Text200(on bool) {
	x.t.Helper()
	size := map[bool]string{true: "200%"}[on]
	eval[bool](x, `new Promise(done => {
		document.documentElement.style.fontSize = "`+size+`";
		requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
	})`)
}

// Spaced shows the page with the spacing between letters, words, lines and paragraphs that pages
// must tolerate according to WCAG 1.4.12, or normal again.
func (x *Tab) Spaced(on bool) {
	x.t.Helper()
	rule := map[bool]string{true: "* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important } p { margin-bottom: 2em !important }"}[on]
	evalWith[bool](x, `rule => { const s = new CSSStyleSheet(); s.replaceSync(rule); document.adoptedStyleSheets = rule ? [s] : []; return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))) }`, rule)
}

// evalWith calls a function in the page.
func evalWith[T any](x *Tab, function string, argument any) T {
	x.t.Helper()
	text, err := json.Marshal(argument)
	if err != nil {
		x.t.Fatal(err)
	}
	return eval[T](x, "("+function+")("+string(text)+")")
}

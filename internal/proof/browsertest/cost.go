package browsertest

import (
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/network"
)

// Line is a line to the internet, as slow as it is.
type Line struct {
	Bits int64         // a second, each way
	Wait time.Duration // until the first byte comes
}

// Slow4G is the line for which pages are made.
func Slow4G() Line { return Line{Bits: 1_600_000, Wait: 150 * time.Millisecond} }

// On puts the tab behind a line, with nothing kept from before.
func (x *Tab) On(l Line) {
	x.t.Helper()
	rate := float64(l.Bits) / 8
	call(x, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(x, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: float64(l.Wait.Milliseconds()), DownloadThroughput: rate, UploadThroughput: rate}},
	})
}

// Received is how many bytes have come to the tab, as they went over the line.
func (x *Tab) Received() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes
}

// LargestPaint is when the largest thing of the page was painted, since it was asked for.
func (x *Tab) LargestPaint() time.Duration {
	x.t.Helper()
	ms := eval[float64](x, `new Promise(done => {
		new PerformanceObserver(l => done(l.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true});
		setTimeout(() => done(-1), 5000);
	})`)
	return time.Duration(ms * float64(time.Millisecond))
}

// Text200 shows the page with text twice as large, or again as it is, and waits until it stands
// where it will: browsers scroll to keep in sight what was.
func (x *Tab) Text200(on bool) {
	x.t.Helper()
	size := map[bool]string{true: "200%"}[on]
	eval[bool](x, `new Promise(done => {
		document.documentElement.style.fontSize = "`+size+`";
		requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
	})`)
}

// Spaced shows the page with the spaces between letters, words, lines and paragraphs that WCAG
// 1.4.12 asks pages to bear, or again as it is.
func (x *Tab) Spaced(on bool) {
	x.t.Helper()
	rule := map[bool]string{true: "* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important } p { margin-bottom: 2em !important }"}[on]
	evalWith[bool](x, `rule => { const s = new CSSStyleSheet(); s.replaceSync(rule); document.adoptedStyleSheets = rule ? [s] : []; return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))) }`, rule)
}

// evalWith calls a function of the page.
func evalWith[T any](x *Tab, function string, argument any) T {
	x.t.Helper()
	text, err := json.Marshal(argument)
	if err != nil {
		x.t.Fatal(err)
	}
	return eval[T](x, "("+function+")("+string(text)+")")
}

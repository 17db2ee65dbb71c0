package browsertest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Frame returns the tab as seen from inside the first frame of its page: it finds, types and
// clicks there. It waits until there is one.
func (x *Tab) Frame() *Tab {
	x.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(x.ctx, patience)
		tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
		cancel()
		if err == nil && len(tree.FrameTree.ChildFrames) > 0 {
			return &Tab{t: x.t, ctx: x.ctx, met: x.met, view: x.view, frame: tree.FrameTree.ChildFrames[0].Frame.ID, outer: x}
		}
	}
	x.t.Fatalf("browsertest: the page has no frame %s", x.here())
	return nil
}

// value evaluates an expression in the page, or in the frame.
func value[T any](ctx context.Context, x *Tab, expression string) (T, error) {
	options := []chromedp.EvaluateOption{chromedp.EvalAwaitPromise}
	if x.frame != "" { // in an isolated world: the frame's scripts do not see it
		world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: x.frame, WorldName: "test"})
		if err != nil {
			var none T
			return none, err
		}
		options = append(options, func(p *runtime.EvaluateParams) { p.ContextID = world.ExecutionContextID })
	}
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
}

// corner returns the position of the page or frame in the tab.
func (x *Tab) corner() (left, top float64) {
	if x.frame == "" {
		return 0, 0
	}
	at := eval[[]float64](x.outer, `(f => { const r = f.getBoundingClientRect(); return [r.x + f.clientLeft, r.y + f.clientTop] })(document.querySelector("iframe") ?? [...document.querySelectorAll("*")].map(e => e.shadowRoot?.querySelector("iframe")).find(Boolean))`)
	return at[0], at[1]
}

// Eval returns the value of an expression in the page; it waits for a promise.
func Eval[T any](x *Tab, expression string) T {
	x.t.Helper()
	return eval[T](x, expression)
}

// Cookies returns the names of all cookies that would be sent to any address requested by the
// tab, or by a frame in it.
func (x *Tab) Cookies() (names []string) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	x.mu.Lock()
	urls := slices.DeleteFunc(slices.Clone(x.urls), func(s string) bool { return !strings.HasPrefix(s, "http") })
	x.mu.Unlock()
	all, err := chromedp.Call(ctx, network.GetCookies, network.GetCookiesParams{URLs: urls})
	if err != nil {
		x.t.Fatalf("browsertest: read the cookies: %v", err)
	}
	for _, c := range all.Cookies {
		names = append(names, c.Name)
	}
	return names
}

// Shifted returns how far the page's parts have moved by themselves since it was shown, as
// browsers score it: 0 is not at all.
func (x *Tab) Shifted() float64 {
	x.t.Helper()
	return eval[float64](x, `new Promise(done => {
		let sum = 0;
		new PerformanceObserver(l => { for (const e of l.getEntries()) sum += e.value }).observe({type: "layout-shift", buffered: true});
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum), 50)));
	})`)
}

// Until waits until an expression in the page is true.
func (x *Tab) Until(expression string) {
	x.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(x.ctx, patience)
		ok, err := value[bool](ctx, x, `Boolean(`+expression+`)`)
		if cancel(); err == nil && ok {
			return
		}
	}
	x.t.Fatalf("browsertest: never %s %s", strconv.Quote(expression), x.here())
}

package browsertest

import (
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys that pages are used with.
const (
	KeyTab    = "\t"
	KeySpace  = " "
	KeyEscape = kb.Escape
	KeyDown   = kb.ArrowDown
	KeyRight  = kb.ArrowRight
)

// Key presses keys one after the other.
func (x *Tab) Key(keys string) { x.t.Helper(); x.must(chromedp.KeyEvent(keys)) }

// Enter presses Enter as a single event, so that its character does not go to a field to which it
// has led, which no keyboard does either.
func (x *Tab) Enter() { x.t.Helper(); x.stroke("Enter", "Enter", "\r", 13) }

// Slash presses the key / in the same way.
func (x *Tab) Slash() { x.t.Helper(); x.stroke("/", "Slash", "/", 191) }

func (x *Tab) stroke(key, code, text string, virtual int64) {
	x.t.Helper()
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: code, Text: text, UnmodifiedText: text, WindowsVirtualKeyCode: virtual}
	call(x, input.DispatchKeyEvent, p)
	p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	call(x, input.DispatchKeyEvent, p)
}

// ShiftTab moves the focus back.
func (x *Tab) ShiftTab() {
	x.t.Helper()
	x.must(chromedp.KeyEvent(KeyTab, chromedp.KeyModifiers(chromedp.ModifierShift)))
}

// Focus is the focused element.
type Focus struct {
	Tag  string `json:"tag"`
	Name string `json:"name"` // of a field
	Says string `json:"says"` // its text, or that of its label
	Ring bool   `json:"ring"` // the focus is visible
	// Over is what covers part of it. Off means that part of it is outside the window, although it
	// would fit.
	Over string `json:"over"`
	Off  bool   `json:"off"`
}

// Focus returns the focused element as seen: for a card selected by a radio button in it, the
// card.
func (x *Tab) Focus() Focus { x.t.Helper(); return eval[Focus](x, focus) }

const focus = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return {tag: "", name: "", says: "", ring: true, over: "", off: false};
	const words = s => (s || "").replace(/\s+/g, " ").trim();
	const label = e.labels && e.labels[0];
	const seen = n => { const c = getComputedStyle(n); return c.outlineStyle !== "none" && parseFloat(c.outlineWidth) >= 2 };
	const r = e.getBoundingClientRect();
	let over = "";
	const fits = r.width <= innerWidth && r.height <= innerHeight;
	const off = fits && (r.left < -1 || r.top < -1 || r.right > document.documentElement.clientWidth + 1 || r.bottom > innerHeight + 1);
	const x = [r.left + 3, (r.left + r.right) / 2, r.right - 3], y = [r.top + 3, (r.top + r.bottom) / 2, r.bottom - 3];
	for (const px of x) for (const py of y) {
		const n = document.elementFromPoint(px, py);
		if (n && n !== e && !e.contains(n) && !n.contains(e) && !(label && label.contains(n))) over = n.tagName + " " + words(n.innerText).slice(0, 60);
	}
	return {tag: e.tagName, name: e.name || "", says: words(e.innerText || (label && label.innerText) || e.getAttribute("aria-label")).slice(0, 80),
		ring: seen(e) || !!label && seen(label), over, off};
})()`

// Small returns the standalone targets of the page that are less than a number of pixels wide or
// high; a link within a sentence is as high as its line and is exempt.
func (x *Tab) Small(least int) []string {
	x.t.Helper()
	return evalWith[[]string](x, small, least)
}

const small = `(least => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].flatMap(e => {
	const box = (e.type === "checkbox" || e.type === "radio") && e.labels[0] || e, r = box.getBoundingClientRect();
	if (!box.getClientRects().length || r.bottom < 0 || r.width >= least && r.height >= least) return [];
	const inline = e.tagName === "A" && getComputedStyle(e).display === "inline" && e.parentElement.innerText.trim() !== e.innerText.trim();
	return inline ? [] : [e.tagName + " " + (e.name || e.innerText.trim()) + " " + Math.round(r.width) + "x" + Math.round(r.height)];
}))`

// Plain returns the controls of the page whose border, outline and text cannot be distinguished
// from their background, and the selected ones that look like unselected ones. With forced
// colors, backgrounds and shadows are gone.
func (x *Tab) Plain() []string { x.t.Helper(); return eval[[]string](x, plain) }

const plain = `(() => {
	const bad = [], clear = c => c === "transparent" || /^rgba.*, 0\)$/.test(c);
	const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!clear(c)) return c } return "rgb(255, 255, 255)" };
	for (const e of document.querySelectorAll("button, a.btn, input:not([type=hidden]), select, textarea")) {
		if (!e.getClientRects().length) continue;
		const c = getComputedStyle(e), edge = c.borderTopStyle !== "none" && parseFloat(c.borderTopWidth) >= 1 && !clear(c.borderTopColor) && c.borderTopColor !== back(e.parentElement);
		const what = e.tagName + " " + (e.name || e.innerText.trim());
		if (!edge && !(e.tagName === "A" || e.tagName === "BUTTON") || c.color === back(e)) bad.push(what);
		if (!edge && e.matches(".btn:not([data-variant])") && c.backgroundColor === back(e.parentElement)) bad.push(what + " looks like text");
	}
	for (const e of document.querySelectorAll("input:checked")) {
		const c = getComputedStyle(e), tick = getComputedStyle(e, "::after");
		if (c.appearance !== "none" || parseFloat(c.borderTopWidth) >= 4 || c.backgroundColor === c.borderTopColor) continue;
		if (tick.content === "none" || tick.backgroundColor === c.backgroundColor || clear(tick.backgroundColor)) bad.push(e.name + " does not show that it is chosen");
	}
	return bad;
})()`

// Paste replaces the content of a field with what was copied last, and returns its value.
func (x *Tab) Paste(name string) string {
	x.t.Helper()
	eval[bool](x, `(e => { e.focus(); e.select(); return true })(`+find(`[name="`+name+`"]`)+`)`)
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "v", Code: "KeyV", WindowsVirtualKeyCode: 86, Modifiers: 2, Commands: []string{"paste"}}
	call(x, input.DispatchKeyEvent, p)
	p.Type, p.Commands = input.DispatchKeyEventTypeKeyUp, nil
	call(x, input.DispatchKeyEvent, p)
	return x.Value(name)
}

// Value returns the value of a field.
func (x *Tab) Value(name string) string {
	x.t.Helper()
	return eval[string](x, `document.querySelector("[name=" + JSON.stringify(`+strconv.Quote(name)+`) + "]").value`)
}

// Stored returns everything that the page's origin stores in the browser: permanently, and for
// the tab.
func (x *Tab) Stored() (local, session string) {
	x.t.Helper()
	return eval[string](x, "JSON.stringify(localStorage)"), eval[string](x, "JSON.stringify(sessionStorage)")
}

// Says waits until the page contains a text.
func (x *Tab) Says(text string) {
	x.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(x.Text(), text) {
			return
		}
	}
	x.t.Fatalf("browsertest: the page never says %q %s", text, x.here())
}

// InSight reports whether at least the beginning of a selector's first element is in the window.
func (x *Tab) InSight(selector string) bool {
	x.t.Helper()
	return eval[bool](x, `(e => { const r = e.getBoundingClientRect(); return r.height > 0 && r.top >= 0 && r.top < innerHeight })(document.querySelector(`+strconv.Quote(selector)+`))`)
}

// Cut returns the texts of a selector's elements that are broken inside a word: between two
// letters, digits or underscores.
func (x *Tab) Cut(selector string) []string {
	x.t.Helper()
	return evalWith[[]string](x, cut, selector)
}

const cut = `(selector => [...document.querySelectorAll(selector)].filter(e => e.getClientRects().length > 0 && !e.closest("pre")).flatMap(e => {
	const range = document.createRange(), walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
	for (let node; (node = walker.nextNode());) {
		let above;
		for (let i = 0; i < node.data.length; i++) {
			range.setStart(node, i); range.setEnd(node, i + 1);
			const r = range.getClientRects()[0];
			if (!r || !r.width) continue;
			if (above !== undefined && r.top > above + 4 && /\w/.test(node.data[i]) && /\w/.test(node.data[i - 1])) return [node.data];
			above = r.top;
		}
	}
	return [];
}))`

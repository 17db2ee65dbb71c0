package browsertest

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys that pages are used with.
const (
	KeyTab   = "\t"
	KeySpace = " "
	KeyDown  = kb.ArrowDown
)

// Key presses keys one after the other.
func (x *Tab) Key(keys string) { x.t.Helper(); x.must(chromedp.KeyEvent(keys)) }

// Enter presses Enter: one event, so that what it types does not go to a field to which it has
// led, as it does on no keyboard.
func (x *Tab) Enter() {
	x.t.Helper()
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", UnmodifiedText: "\r", WindowsVirtualKeyCode: 13}
	call(x, input.DispatchKeyEvent, p)
	p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
	call(x, input.DispatchKeyEvent, p)
}

// ShiftTab goes back to what the keyboard was on before.
func (x *Tab) ShiftTab() {
	x.t.Helper()
	x.must(chromedp.KeyEvent(KeyTab, chromedp.KeyModifiers(chromedp.ModifierShift)))
}

// Focus is what the keyboard is on.
type Focus struct {
	Tag  string `json:"tag"`
	Name string `json:"name"` // of a field
	Says string `json:"says"` // the text of it, or of its label
	Ring bool   `json:"ring"` // that it has the focus can be seen
	// Over is what lies over it: part of it cannot be seen. Off says that part of it lies
	// outside of the window, though it would fit.
	Over string `json:"over"`
	Off  bool   `json:"off"`
}

// Focus looks at what the keyboard is on, as it is seen: for a card that is chosen by the
// radio button in it, that is the card.
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

// Small are the targets of the page that are less than so many pixels wide or high and that
// stand by themselves: a link within a sentence is as high as its line.
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

// Plain are the controls of the page whose border, outline and text cannot be told from what
// is behind them, and the chosen ones that look like those that are not. Where a system has
// colors of its own, backgrounds and shadows are gone.
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

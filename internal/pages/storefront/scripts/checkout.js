// openCheckout shows a checkout in a dialog of this page, or goes to it where that cannot be.
//
//   import { openCheckout } from "https://pay.example.com/js/v1/checkout.js";
//   openCheckout({ url: checkout.checkout_url });
//
// What a message says is believed of the checkout's own frame alone. No message names an
// address: where to go, the checkout's server says.

const home = new URL("../../", import.meta.url);
const patience = 4000; // for the first sign of life, in milliseconds
const narrow = 768; // below it there is no room for a dialog

let current = null;

export function openCheckout({ url, onComplete, onPending, onCancel, fallback = "redirect" } = {}) {
  const address = ours(url);
  if (fallback !== "redirect") throw new TypeError("openCheckout: fallback is 'redirect'");
  const calls = { complete: onComplete, pending: onPending, cancel: onCancel };
  if (window.innerWidth < narrow || typeof window.HTMLDialogElement?.prototype.showModal !== "function") {
    current?.remove();
    location.assign(address);
    return;
  }
  if (current?.address.href !== address.href) {
    current?.remove();
    current = new Checkout(address);
  }
  current.calls = calls;
  current.show();
}

// ours is the address of a checkout of the server that this script is from.
function ours(url) {
  let at = null;
  try {
    at = new URL(url);
  } catch {
    // The error below says it.
  }
  const token = at && at.origin === home.origin && at.pathname.startsWith(home.pathname + "c/") ? at.pathname.slice(home.pathname.length + 2) : "";
  if (!/^[a-z0-9]+$/.test(token) || at.search || at.hash || at.username || at.password) {
    throw new TypeError("openCheckout: url is not the checkout_url of " + home.origin);
  }
  return at;
}

const style =
  "dialog{box-sizing:border-box;padding:0;border:0;overflow:hidden;color:#0a0a0a;background:#fff;font:16px/1.5 system-ui,sans-serif}" +
  "#sheet{width:min(66rem,100vw - 3rem);height:min(var(--height,44rem) + 3rem,100dvh - 3rem);max-width:none;max-height:none;border-radius:12px;box-shadow:0 8px 40px rgb(0 0 0/.3)}" +
  "#sheet[open]{display:grid;grid-template-rows:3rem 1fr}" +
  "dialog::backdrop{background:rgb(0 0 0/.5)}" +
  "iframe{width:100%;height:100%;border:0;display:block}" +
  "button{font:inherit;min-width:44px;min-height:44px;padding:0 1rem;border:1px solid #737373;border-radius:8px;background:#fff;color:inherit;cursor:pointer}" +
  "button:focus-visible{outline:2px solid #0a0a0a;outline-offset:2px}" +
  "#close{justify-self:end;border:0;margin:2px;border-radius:12px}" +
  "#ask{padding:1.5rem;border-radius:12px;max-width:24rem}" +
  "#ask p{margin:0 0 1rem}#ask div{display:flex;gap:.75rem;flex-wrap:wrap}" +
  "#stay{background:#0a0a0a;color:#fff;border-color:#0a0a0a}" +
  "@media (prefers-reduced-motion:no-preference){#sheet[open]{animation:in .12s ease-out}@keyframes in{from{opacity:0}}}";

function made(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// Checkout is the dialog of one checkout. Closed, it stays in the page with what has been
// typed: opened again it goes on where it was.
class Checkout {
  constructor(address) {
    this.address = address;
    this.typed = this.ready = this.over = false;
    this.frame = made("iframe", { title: "Pay over time: checkout", referrerpolicy: "no-referrer" });
    this.close = made("button", { type: "button", id: "close" }, "Close");
    this.dialog = made("dialog", { id: "sheet", "aria-label": "Pay over time" }, this.close, this.frame);
    this.stay = made("button", { type: "button", id: "stay" }, "Keep going");
    this.leave = made("button", { type: "button", id: "leave" }, "Close");
    this.question = made("dialog", { id: "ask", "aria-labelledby": "asked" }, made("p", { id: "asked" }, "Close the checkout? What you have typed on this page is not kept yet."), made("div", {}, this.stay, this.leave));

    this.host = document.createElement("div");
    const root = this.host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    root.append(this.dialog, this.question);

    this.close.addEventListener("click", () => this.wants());
    this.dialog.addEventListener("cancel", (e) => {
      e.preventDefault();
      this.wants();
    });
    this.dialog.addEventListener("close", () => this.closed());
    this.stay.addEventListener("click", () => this.question.close());
    this.leave.addEventListener("click", () => {
      this.question.close();
      this.dialog.close();
    });
    this.question.addEventListener("close", () => {
      if (this.dialog.open) this.frame.focus();
    });
    this.hears = (e) => this.hear(e);
    window.addEventListener("message", this.hears);
  }

  show() {
    if (this.dialog.open) return;
    this.opener = document.activeElement;
    if (!this.host.isConnected) {
      document.body.append(this.host);
      this.frame.src = this.address.href;
      this.timer = setTimeout(() => this.go(this.address), patience);
    }
    this.dialog.showModal();
    if (this.ready) this.frame.focus();
  }

  // hear takes what the frame says, and nobody else.
  hear(e) {
    const m = e.data;
    if (e.origin !== home.origin || e.source !== this.frame.contentWindow || !this.frame.contentWindow) return;
    if (!m || m.source !== "tenor-checkout" || m.v !== 1 || typeof m.checkout !== "string") return;
    if (this.id === undefined) this.id = m.checkout;
    if (m.checkout !== this.id) return;
    switch (m.type) {
      case "ready":
        this.lives();
        break;
      case "step":
        this.typed = m.typed === true;
        break;
      case "resize":
        if (Number.isFinite(m.height)) this.dialog.style.setProperty("--height", Math.min(Math.max(m.height, 240), 4000) + "px");
        break;
      case "complete":
      case "pending":
      case "cancel":
        if (typeof m.out === "string") this.ends(m.type, m.out);
        else if (m.type === "cancel") this.wants();
    }
  }

  lives() {
    clearTimeout(this.timer);
    if (!this.ready && this.dialog.open && !this.question.open) this.frame.focus();
    this.ready = true;
  }

  // wants is that somebody would close the window: what is typed is not lost unasked.
  wants() {
    if (!this.dialog.open || this.question.open) return;
    if (!this.typed) this.dialog.close();
    else {
      this.question.showModal();
      this.stay.focus();
    }
  }

  // closed gives the focus back. The checkout goes on when it is opened again.
  closed() {
    if (this.over) return;
    if (this.question.open) this.question.close();
    this.back();
    this.calls.cancel?.({ checkout: this.id, reason: "closed", go: () => this.go(this.address) });
  }

  back() {
    if (this.opener?.isConnected) this.opener.focus();
  }

  // ends leaves the checkout: by the merchant's own way, or to where the server says.
  ends(type, out) {
    const exit = new URL(this.address);
    exit.pathname += "/exit";
    exit.searchParams.set("out", out);
    this.remove();
    const go = () => this.go(exit);
    const call = this.calls[type];
    if (call) call({ checkout: this.id, reason: out.split(".")[0], go });
    else go();
  }

  go(address) {
    this.remove();
    location.assign(address);
  }

  remove() {
    this.over = true;
    clearTimeout(this.timer);
    window.removeEventListener("message", this.hears);
    const open = this.dialog.open;
    this.host.remove();
    if (open) this.back();
    if (current === this) current = null;
  }
}

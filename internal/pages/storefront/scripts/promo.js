// <tenor-promo merchant="mch_…" amount="1200.00" currency="USD" placement="product">
// says what an amount costs over time. On any fault it shows nothing. It keeps no cookie
// and tells nothing of who reads the page.
(() => {
  "use strict";
  const script = document.currentScript;
  if (!script || !window.customElements || customElements.get("tenor-promo")) return;
  const home = new URL("../../", script.src);
  const patience = 8000;

  // The place of the text is kept free: nothing moves when it comes, or if it never does.
  const style =
    ":host{display:block;container-type:inline-size;line-height:1.5}" +
    "p{margin:0;min-height:1.5em}" +
    "@container (max-width:27em){p{min-height:3em}}" +
    "a{color:inherit}" +
    "a:focus-visible{outline:2px solid;outline-offset:2px}";

  class TenorPromo extends HTMLElement {
    static observedAttributes = ["merchant", "amount", "currency"];

    connectedCallback() {
      try {
        this.line ??= built(this);
        this.later();
      } catch {
        // A browser that cannot do this shows nothing.
      }
    }

    attributeChangedCallback() {
      if (this.isConnected && this.line) this.later();
    }

    // Attributes that change together are asked about once.
    later() {
      this.turn = {};
      const turn = this.turn;
      queueMicrotask(() => {
        if (turn === this.turn) this.ask(turn);
      });
    }

    async ask(turn) {
      let nodes = [];
      try {
        nodes = said(await this.answer());
      } catch {
        // The page is the merchant's: it goes on without us.
      }
      if (turn === this.turn) this.line.replaceChildren(...nodes);
    }

    async answer() {
      const at = new URL("v1/promotions", home);
      for (const name of ["merchant", "amount", "currency"]) {
        at.searchParams.set(name, this.getAttribute(name) || (name === "currency" ? "USD" : ""));
      }
      const response = await fetch(at, { credentials: "omit", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(patience) });
      return response.ok ? response.json() : null;
    }
  }

  // built makes the empty line in an element's own tree. A constructed sheet needs no leave
  // of the page's policy for styles.
  function built(element) {
    const root = element.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    return root.appendChild(document.createElement("p"));
  }

  // said is what to show of an answer: nothing, unless it is whole.
  function said(answer) {
    if (!answer || answer.eligible !== true || typeof answer.text !== "string" || !answer.text) return [];
    const terms = new URL(answer.terms_url);
    if (terms.origin !== home.origin) return [];
    const link = document.createElement("a");
    link.href = terms.href;
    link.target = "_blank";
    link.rel = "noopener";
    link.textContent = "Terms";
    link.setAttribute("aria-label", "Terms of paying over time, in a new tab");
    return [answer.text + ". ", link];
  }

  customElements.define("tenor-promo", TenorPromo);
})();

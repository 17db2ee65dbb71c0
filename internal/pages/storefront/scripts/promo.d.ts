// Types of /js/v1/promo.js, which defines <tenor-promo> and exports nothing.

/** Attributes of `<tenor-promo>`. */
export interface TenorPromoAttributes {
  /** Whose page it is: mch_… */
  merchant: string;
  /** Price of what is for sale, with two decimals: "1200.00". */
  amount: string;
  /** "USD", which is also what stands for none. */
  currency?: "USD";
  /** Where on the page it is: for your own style sheet. It is not sent. */
  placement?: "product" | "cart" | "category";
}

declare global {
  interface HTMLElementTagNameMap {
    "tenor-promo": HTMLElement;
  }
}

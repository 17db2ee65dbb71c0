// Types of /js/v1/checkout.js.

export interface CheckoutResult {
  /** chk_… of the checkout; undefined if it was closed before it showed anything. */
  checkout: string | undefined;
  /**
   * "accepted", or why the buyer came back: a reason of the URL contract. "closed": the
   * buyer closed the window, and the checkout is as it was.
   */
  reason: string;
  /** Goes to the return_url or cancel_url of the checkout; after "closed", to the checkout. */
  go(): void;
}

export interface CheckoutOptions {
  /** The checkout_url that POST /v1/checkouts answered with mode "modal". */
  url: string;
  /** The buyer has accepted. It proves nothing: your server completes the checkout. */
  onComplete?(result: CheckoutResult): void;
  /** The application is in review: the buyer hears by mail. */
  onPending?(result: CheckoutResult): void;
  /** The buyer left, or closed the window. */
  onCancel?(result: CheckoutResult): void;
  /** What is done where there is no dialog: the browser goes to the checkout. */
  fallback?: "redirect";
}

/**
 * Shows a checkout in a dialog of this page. Without a callback for how it ends, the browser
 * goes to the checkout's return_url or cancel_url. Throws a TypeError if url is not a checkout
 * of the server that this script is from.
 */
export function openCheckout(options: CheckoutOptions): void;

// Tells the page around a framed checkout what happens in it, and nobody else.
(() => {
  "use strict";
  const told = document.currentScript.dataset;
  if (window.parent === window) return;
  const around = location.ancestorOrigins?.[0];
  const origins = told.origins.split(" ").filter((o) => o && (!around || o === around));

  const tell = (type, more) => {
    const message = { source: "tenor-checkout", v: 1, checkout: told.checkout, type, step: told.step, ...more };
    for (const origin of origins) window.parent.postMessage(message, origin);
  };

  // What is typed would be lost if the page around closed the window now.
  let typed = false;
  const says = (now) => {
    if (typed !== now) tell("step", { typed: (typed = now) });
  };
  document.addEventListener("input", () => says(true));
  document.addEventListener("submit", () => says(false));
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && !e.defaultPrevented) tell("cancel", { out: null });
  });

  const begin = () => {
    tell("ready");
    tell("step", { typed: false });
    new ResizeObserver(() => tell("resize", { height: document.documentElement.scrollHeight })).observe(document.body);
    if (told.fault) tell("error");
    if (told.what) tell(told.what, { out: told.ticket });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();

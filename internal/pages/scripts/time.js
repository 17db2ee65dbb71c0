// Warns before a session's time is over, and asks for more when somebody says so. Time is
// measured on the server: here it is only shown.
(() => {
  "use strict";
  const told = document.currentScript.dataset;
  const at = (id) => document.getElementById(id);
  const box = at("time"), title = at("time-title"), text = at("time-text"), clock = at("time-clock");
  const soon = at("time-soon"), says = at("time-says"), stay = at("time-stay"), out = at("time-out");
  if (!box?.showModal) return;

  const warning = 120;
  let ends, last, shown, timer, spoken = 0;
  const closed = new Set();
  const take = (answer) => {
    ends = Date.now() + answer.left * 1000;
    last = answer.last;
  };

  const ask = async (method) => {
    try {
      const body = method === "POST" ? new URLSearchParams({ form: told.key }) : undefined;
      const answer = await fetch(told.stay, { method, body, cache: "no-store", redirect: "error" });
      if (answer.ok) return take(await answer.json()), true;
      if (answer.status === 403) return take({ left: 0, last }), true;
    } catch {
      // No line: what is known here stands.
    }
    return false;
  };

  const show = (what) => {
    if (what === shown || closed.has(what)) return;
    shown = what;
    title.textContent = told[what + "Title"];
    text.textContent = told[what + "Text"];
    stay.textContent = what === "soon" ? told.more : told.close;
    clock.hidden = out.hidden = what === "over";
    if (!box.open) box.showModal();
    stay.focus();
  };

  const hide = () => {
    shown = undefined;
    if (box.open) box.close(); // the focus goes back to where it was
  };

  const tick = () => {
    clearTimeout(timer);
    const left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
    if (left > warning) {
      closed.clear();
      spoken = 0;
      hide();
      timer = setTimeout(look, (left - warning) * 1000);
      return;
    }
    show(left === 0 ? "over" : last ? "last" : "soon");
    clock.lastElementChild.textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    if (left <= 60 && left > 0 && spoken !== 1) {
      spoken = 1;
      soon.textContent = told.minute;
    }
    if (left === 0) soon.textContent = "";
    else timer = setTimeout(tick, 1000);
  };

  const look = async () => {
    await ask("GET"); // another tab may have used the session
    tick();
  };

  const press = async () => {
    if (shown !== "soon") {
      closed.add(shown);
      return hide();
    }
    if (!(await ask("POST"))) return void (soon.textContent = told.failed);
    soon.textContent = "";
    tick();
    if (!box.open) says.textContent = told.stayed;
  };

  stay.addEventListener("click", press);
  box.addEventListener("cancel", (e) => {
    e.preventDefault();
    press();
  });
  box.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    e.preventDefault(); // nor is the window around a framed page closed
    e.stopPropagation();
    press();
  });
  document.addEventListener("visibilitychange", () => document.hidden || look());
  window.addEventListener("pageshow", (e) => e.persisted && look());

  take({ left: Number(told.left), last: told.last === "yes" });
  tick();
})();

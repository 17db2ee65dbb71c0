// Opens the checkout in a dialog, where the buyer has chosen that. The server makes it, as for
// the other ways; without this script, or if anything goes wrong, the form goes there itself.
const form = document.getElementById("pay-form");
form?.addEventListener("submit", async (e) => {
  const body = new URLSearchParams(new FormData(form, e.submitter));
  if (body.get("mode") !== "modal" || body.get("act") !== "pay") return;
  e.preventDefault();
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error("the shop has refused it");
    const { checkout_url: url } = await answer.json();
    const { openCheckout } = await import("/js/v1/checkout.js");
    openCheckout({
      url,
      // The buyer may have closed the window alone: the button opens it again.
      onCancel: (end) => end.reason === "closed" || end.go(),
    });
  } catch {
    form.submit();
  }
});

package pagetest

import (
	"testing"

	"tenor/internal/proof/browsertest"
)

// A buyer who started with a private address continues with that of the business, in the same
// browser. On her phone, where she had also started, nothing continues.
func TestAnotherEMailInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	x := c.sell(t, "quinn@home.example", 1200, nil)
	desk, phone := visits(t, b, c, browsertest.View{}), visits(t, b, c, browsertest.View{Width: 390})
	desk.enters(x.url).Await("/business")
	phone.Go(x.url + "/email")
	phone.Put("email", "quinn@home.example")
	phone.Press("Send the code")
	phone.Put("code", "000000")
	phone.Press("Continue")
	phone.Await("/business")

	desk.Go(x.url + "/email")
	desk.Put("email", "quinn@ruiz.example")
	desk.Press("Send the code")
	desk.Put("code", c.code(t, "quinn@ruiz.example", ""))
	desk.Press("Continue")
	desk.sees("/takeover", "Finish this order yourself?", "It was started here with another e-mail.")
	desk.Press("Finish it myself")
	desk.sees("/business")
	phone.Reload()
	phone.sees("/elsewhere", "Somebody else is finishing this order", "go on there")
	phone.Go(x.url + "/takeover")
	phone.sees("/elsewhere")
	desk.Reload()
	desk.sees("/business")
}

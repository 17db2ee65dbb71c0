package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/onboarding"
)

// checkout creates a checkout of a merchant with an order_complete_url, "" for none, and
// returns it with the merchant's CHECKOUT endpoint if that is new.
func (w *world) checkout(merchant, address string) (*credit.Checkout, *credit.Endpoint) {
	w.Helper()
	c := onboarding.CreateCheckout{Amount: 50000, CompleteURL: address, Mode: onboarding.ModeRedirect, Token: fmt.Sprintf("%x", w.seed()), URL: "handle"}
	if address != "" {
		c.Endpoint = credit.EndpointID(w.seed(), time.Now())
		c.Sealed = seal(newSecret(), credit.SigningSecretOf(c.Endpoint))
	}
	ch := w.submitAs(credit.Actor{Client: "shop", Merchant: merchant}, c)
	if len(ch.Endpoints) == 0 {
		return ch.Result.(*credit.Checkout), nil
	}
	return ch.Result.(*credit.Checkout), ch.Endpoints[0]
}

// accept commits the event of an acceptance.
func (w *world) accept(x *credit.Checkout) {
	w.Helper()
	w.emit(x.Merchant, credit.ObjectRef{Type: "checkout", ID: x.ID}, credit.CheckoutAcceptedEvent)
}

// An order_complete_url gets the event of its checkout, signed, and is retried until it
// accepts: here it fails three times. What it was sent can be resent, as one event and by a
// time span (scorecard C5).
func TestOrderCompleteURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop, other := w.merchant("Shop"), w.merchant("Other")
		all := w.endpoint(shop, "https://all.example/hook")
		x, calls := w.checkout(shop, "https://shop.example/done?order=%ORDER_KEY%&of=%25CHECKOUT_ID%25")
		silent, _ := w.checkout(shop, "")
		theirs, theirCalls := w.checkout(other, "https://other.example/done")
		secret := newSecret()
		w.submit(access.RotateEndpoint{Endpoint: calls.ID, Sealed: seal(secret, credit.SigningSecretOf(calls.ID)), At: time.Now()})
		w.net.answer("shop.example", func(m *message) reply {
			switch m.n {
			case 0:
				return reply{status: 500}
			case 1:
				return reply{after: time.Hour} // no answer
			case 2:
				return reply{status: 302, header: map[string][]string{"Location": {"https://all.example/"}}}
			}
			return reply{}
		})
		w.start(func(c *Config) { c.Poll = 10 * time.Second })
		w.accept(x)
		w.accept(silent)
		w.accept(theirs)
		w.emit(shop, credit.ObjectRef{Type: "checkout", ID: x.ID}, credit.CheckoutCanceledEvent)
		w.emit(shop, order("o1"), credit.OrderCreatedEvent)
		time.Sleep(24 * time.Hour)

		list := w.deliveries(calls.ID)
		if len(list) != 1 || list[0].State != store.DeliverySucceeded || list[0].Attempts != 4 || len(w.attempts(list[0].ID)) != 4 {
			t.Fatalf("deliveries %+v", list)
		}
		want := "/done?order=" + x.Of + "&of=" + x.ID
		if got := list[0].URL; got != "https://shop.example"+want {
			t.Errorf("it goes to %q", got)
		}
		got := w.net.received("shop.example")
		for _, m := range got {
			if m.target != want || m.id != w.event(0).ID || m.body != string(w.event(0).Payload) {
				t.Errorf("received %+v", m)
			}
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.VerifyIgnoringTimestamp([]byte(got[0].body), got[0].header); err != nil || len(got) != 4 {
			t.Errorf("%d messages, signature: %v", len(got), err)
		}
		if n := len(strings.Fields(got[0].header.Get(HeaderSignature))); n != 2 {
			t.Errorf("%d signatures on the day of a rotation", n)
		}
		if got := w.net.received("other.example"); len(got) != 1 || got[0].target != "/done" || w.deliveries(theirCalls.ID)[0].Merchant != other {
			t.Errorf("the other merchant received %v", got)
		}
		if n := len(w.net.received("all.example")); n != 4 { // both acceptances, the end and the order
			t.Errorf("%d messages to the merchant's own endpoint", n)
		}
		if d := w.deliveries(all.ID)[0]; d.URL != "" {
			t.Errorf("the merchant's own endpoint has a delivery to %q", d.URL)
		}

		w.submit(access.ResendEvents{Endpoint: calls.ID, Event: w.event(0).ID})
		w.submit(access.ResendEvents{Endpoint: calls.ID, Event: w.event(1).ID}) // of a checkout that is not called
		w.submit(access.ResendEvents{Endpoint: calls.ID, From: time.Now().Add(-48 * time.Hour), To: time.Now()})
		time.Sleep(time.Minute)
		if got := w.states(calls.ID); !slices.Equal(got, repeat(3, store.DeliverySucceeded)) {
			t.Errorf("states %v", got)
		}
		if n := len(w.net.received("shop.example")); n != 6 {
			t.Errorf("%d messages after two requests to send again", n)
		}
	})
}

// The fate of one checkout's URL says nothing about another's: a 410 ends only that
// delivery, and URLs that are dead for days delay nobody.
func TestCallsAreOnTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		gone, calls := w.checkout(shop, "https://gone.example/done")
		w.net.answer("gone.example", func(*message) reply { return reply{status: 410} })
		w.net.answer("dead.example", func(*message) reply { return reply{status: 503, after: time.Second} })
		w.start(func(c *Config) { c.Poll = time.Minute })
		w.accept(gone)
		for range 20 {
			dead, _ := w.checkout(shop, "https://dead.example/done")
			w.accept(dead)
		}
		time.Sleep(3 * time.Hour)
		fine, _ := w.checkout(shop, "https://fine.example/done")
		w.accept(fine)
		time.Sleep(2 * time.Minute)
		if n := len(w.net.received("fine.example")); n != 1 {
			t.Errorf("%d messages to the one that is fine, beside many that are dead", n)
		}
		time.Sleep(4 * 24 * time.Hour)
		for i, d := range w.deliveries(calls.ID) {
			state, attempts := store.DeliveryParked, 10
			switch i {
			case 0:
				attempts = 1
			case 21:
				state, attempts = store.DeliverySucceeded, 1
			}
			if d.State != state || d.Attempts != attempts {
				t.Errorf("delivery %d to %s: %s after %d attempts, want %s after %d", i, d.URL, d.State, d.Attempts, state, attempts)
			}
		}
		again, made := w.checkout(shop, "https://fine.example/again")
		w.accept(again)
		time.Sleep(2 * time.Minute)
		if n := len(w.net.received("fine.example")); n != 2 || made != nil {
			t.Errorf("%d messages, endpoint made again: %v", n, made)
		}
	})
}

// In live mode a URL is called while its origin is registered, and never in a private
// network, whatever was registered.
func TestCallsInLiveMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		shop := w.merchant("Shop")
		sell := func(origins ...string) {
			w.submit(merchants.SetMerchantShop{Merchant: shop, Shop: credit.Shop{Origins: origins}, Reason: "contract"})
		}
		sell("https://shop.example", "https://127.0.0.1")
		x, calls := w.checkout(shop, "https://shop.example/done")
		inside, _ := w.checkout(shop, "https://127.0.0.1/done")
		live := func(c *Config) { c.Sandbox = false }
		_, stop := w.start(live)
		w.accept(x)
		time.Sleep(time.Minute)
		sell("https://127.0.0.1")
		w.accept(x)
		time.Sleep(time.Minute)
		list := w.deliveries(calls.ID)
		if len(list) != 2 || list[0].State != store.DeliverySucceeded || list[1].State != store.DeliveryCanceled || list[1].Error != originGone {
			t.Errorf("before and after the origin was taken away: %+v", list)
		}
		if n := len(w.net.received("shop.example")); n != 1 {
			t.Errorf("%d messages", n)
		}
		stop()
		w.start(live, func(c *Config) { c.Client = nil }) // the guard of package outbound
		w.accept(inside)
		time.Sleep(time.Second)
		list = w.deliveries(calls.ID)
		if d := list[len(list)-1]; len(list) != 3 || d.Attempts == 0 || d.Status != 0 || !strings.Contains(d.Error, "not allowed") {
			t.Errorf("to this machine: %+v", d)
		}
	})
}

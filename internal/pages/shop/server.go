package shop

// This file is all that a shop's server has to do to let its buyers pay over time. Read it
// from top to bottom; the rest of the package is a shop like any other.
//
//  1. start:    the buyer presses the button. Create a checkout, redirect the browser to it.
//  2. complete: the buyer is back, or a webhook says checkout.accepted. Verify it.
//  3. events:   what has happened since you last looked.

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tenor/internal/domain/money"
)

// server talks to Tenor. The token is the merchant's and never leaves the server.
type server struct {
	api   string // Tenor's address: https://api.example.com
	shop  string // this shop's address
	token func(context.Context) (string, error)
	http  *http.Client
	note  func(call) // shown at the foot of the page; your shop has a log
}

// charges are the shop's own totals. Amounts are numbers with two decimals: 1200.00.
type charges struct {
	Total      money.Amount `json:"total"`
	Shipping   money.Amount `json:"shipping"`
	Tax        money.Amount `json:"tax"`
	Discount   money.Amount `json:"discount_amount"`
	GrandTotal money.Amount `json:"grand_total"`
}

// checkout is what the shop reads from a checkout.
type checkout struct {
	ID          string    `json:"id"`
	Status      string    `json:"status"`
	OrderKey    string    `json:"order_key"`
	RemoteID    string    `json:"remote_id"`
	CheckoutURL string    `json:"checkout_url"`
	CreatedAt   time.Time `json:"created_at"`
}

// order is what it reads from an order.
type order struct {
	Key    string       `json:"key"`
	Status string       `json:"status"`
	Amount money.Amount `json:"amount"`
	raw    []byte       // the whole response
}

// start creates a checkout for a cart.
//
// remote_id identifies the cart: if it is sent again unchanged, the open checkout is returned; if
// it has changed, the old one is replaced. once is generated with the page that has the button
// and determines the Idempotency-Key: a second click gets the same response as the first.
func (s server) start(ctx context.Context, c cart, mode, email, once string) (checkout, error) {
	items := []any{}
	for _, l := range c.Lines {
		items = append(items, map[string]any{"merchant_id": l.SKU, "sku": l.SKU, "name": l.Name, "price": l.Price, "quantity": l.Quantity})
	}
	sums := c.Charges()
	bill, ship := places[0].of(email), places[c.To].of(email)
	body := map[string]any{
		"amount": sums.GrandTotal, "charges": sums, "cart_items": items,
		"billing_address": bill, "shipping_address": ship,
		"buyer":     map[string]any{"email": email, "company_name": bill["company_name"]},
		"remote_id": c.ID, "mode": mode,
		// Tenor replaces the words in percent signs with values.
		"return_url": s.shop + "/shop/thanks?order=%ORDER_KEY%&checkout=%CHECKOUT_ID%",
		"cancel_url": s.shop + "/shop/cart?reason=%REASON%",
	}
	var x checkout
	_, err := s.call(ctx, "POST", "/v1/checkouts", once, body, &x)
	return x, err
}

// complete asks Tenor to authorize the order of a checkout. A browser that arrives at the
// return_url proves nothing: anyone can type that address. Only the response to this call says
// that the buyer has accepted the terms; ship when it says AUTHORIZED. You can call it as often
// as you like, each time with a new key. Also call it when a webhook reports checkout.accepted: a
// closed browser never arrives.
func (s server) complete(ctx context.Context, id string) (order, error) {
	var o order
	raw, err := s.call(ctx, "POST", "/v1/checkouts/"+url.PathEscape(id)+"/complete", rand.Text(), nil, &o)
	o.raw = raw
	return o, err
}

// checkout rereads a checkout: its status, and its cart.
func (s server) checkout(ctx context.Context, id string) (x checkout, err error) {
	_, err = s.call(ctx, "GET", "/v1/checkouts/"+url.PathEscape(id), "", nil, &x)
	return x, err
}

// event is one fact. A webhook delivers the same bytes, signed, as soon as it happens.
type event struct {
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Object    struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"object"`
}

// events continues from where it last stopped: save the cursor together with what you have done
// about the events before it. Without a cursor it starts with the day from, YYYY-MM-DD.
func (s server) events(ctx context.Context, cursor, from string) (list []event, next string, more bool, err error) {
	q := url.Values{"limit": {"100"}, "created_from": {from}} // a cursor is valid for the same query
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	var page struct {
		Data       []event `json:"data"`
		HasMore    bool    `json:"has_more"`
		NextCursor string  `json:"next_cursor"`
	}
	_, err = s.call(ctx, "GET", "/v1/events?"+q.Encode(), "", nil, &page)
	return page.Data, page.NextCursor, page.HasMore, err
}

// problem is how Tenor refuses. Code is stable: act on it, and show the rest to people.
type problem struct {
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	RequestID string `json:"request_id"`
	Checkout  string `json:"checkout_status"`
	OrderKey  string `json:"order_key"`
}

func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// call sends one request, and retries once with the same key if no response came.
func (s server) call(ctx context.Context, method, path, once string, body, into any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte(once+"\n"), text...)) // a different body is a different request
	token, err := s.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("shop: a token: %w", err)
	}
	for try := 0; ; try++ {
		r, err := http.NewRequestWithContext(ctx, method, s.api+path, bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if method == "POST" {
			r.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:16]))
			r.Header.Set("Content-Type", "application/json")
		}
		if body == nil {
			r.Body, r.ContentLength = http.NoBody, 0
			r.Header.Del("Content-Type")
		}
		began := time.Now()
		answer, err := s.http.Do(r)
		if err != nil {
			s.note(call{Method: method, Path: path, Detail: "no answer"})
			if try == 0 && ctx.Err() == nil {
				continue
			}
			return nil, fmt.Errorf("shop: %s %s: %w", method, path, err)
		}
		raw, err := io.ReadAll(io.LimitReader(answer.Body, 4<<20))
		err = errors.Join(err, answer.Body.Close())
		s.note(call{At: began, Method: method, Path: path, Status: answer.StatusCode, Took: time.Since(began)})
		if answer.StatusCode >= 300 {
			p := &problem{Status: answer.StatusCode}
			if json.Unmarshal(raw, p) != nil || p.Code == "" {
				p.Code, p.Title = "unreadable", http.StatusText(answer.StatusCode)
			}
			return raw, p
		}
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		return raw, err
	}
}

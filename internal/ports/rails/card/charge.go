package card

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// intent is a PaymentIntent.
type intent struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Amount   int64             `json:"amount"`
	Metadata map[string]string `json:"metadata"`
	Error    *failure          `json:"last_payment_error"`
}

// metaKey is the metadata key for the transfer's ID.
const metaKey = "tenor_transfer"

// Charge authorizes and captures in one step. The token is "cus_…/pm_…", or "pm_…" alone. A
// declined card and an unknown token are results, not errors.
//
// An earlier charge with the key is looked up first: the processor replays a key for only a day,
// while the lookup, which may lag by an hour, finds older ones.
func (s *Stripe) Charge(ctx context.Context, key, token string, amount money.Amount) (rails.Charge, error) {
	if err := checkCall(key, amount); err != nil {
		return rails.Charge{}, err
	}
	old, err := s.find(ctx, key)
	if err != nil {
		return rails.Charge{}, err
	}
	if old != nil {
		return s.outcome(ctx, key, old, amount)
	}
	values := url.Values{
		"amount": {strconv.FormatInt(int64(amount), 10)}, "currency": {"usd"}, "payment_method_types[]": {"card"},
		"confirm": {"true"}, "off_session": {"true"}, "metadata[" + metaKey + "]": {key},
	}
	customer, method, both := strings.Cut(token, "/")
	if !both {
		customer, method = "", token
	}
	values.Set("payment_method", method)
	if customer != "" {
		values.Set("customer", customer)
	}
	var made intent
	f, err := s.call(ctx, http.MethodPost, "/v1/payment_intents", values, key, &made)
	switch {
	case err != nil:
		return rails.Charge{}, err
	case f != nil && f.PaymentIntent != nil:
		return s.declined(ctx, key, f.PaymentIntent, f)
	case f != nil:
		return rails.Charge{Code: f.reason(), Message: f.Message}, nil
	}
	return s.outcome(ctx, key, &made, amount)
}

// find looks for a charge with a key, and rereads it: the index may be outdated.
func (s *Stripe) find(ctx context.Context, key string) (*intent, error) {
	var found struct {
		Data []intent `json:"data"`
	}
	query := url.Values{"query": {fmt.Sprintf(`metadata["%s"]:"%s"`, metaKey, key)}}
	f, err := s.call(ctx, http.MethodGet, "/v1/payment_intents/search", query, "", &found)
	switch {
	case err != nil:
		return nil, err
	case f != nil:
		return nil, fmt.Errorf("%w: look up: %s", ErrUnknown, f.reason())
	case len(found.Data) == 0:
		return nil, nil
	}
	return s.read(ctx, found.Data[0].ID)
}

func (s *Stripe) read(ctx context.Context, id string) (*intent, error) {
	var x intent
	f, err := s.call(ctx, http.MethodGet, "/v1/payment_intents/"+url.PathEscape(id), nil, "", &x)
	if err == nil && f != nil {
		err = fmt.Errorf("%w: read %s: %s", ErrUnknown, id, f.reason())
	}
	return &x, err
}

// outcome returns the outcome of an intent.
func (s *Stripe) outcome(ctx context.Context, key string, x *intent, amount money.Amount) (rails.Charge, error) {
	if x.ID == "" || x.Amount != int64(amount) {
		return rails.Charge{}, fmt.Errorf("%w: %s is not a charge of %s", ErrUnknown, x.ID, amount)
	}
	switch x.Status {
	case "succeeded":
		return rails.Charge{Approved: true, Reference: x.ID}, nil
	case "processing":
		// The key would return the same response again, so the current state is read.
		fresh, err := s.read(ctx, x.ID)
		if err != nil {
			return rails.Charge{}, err
		}
		if fresh.Status == "processing" {
			return rails.Charge{}, fmt.Errorf("%w: %s is being processed", ErrUnknown, x.ID)
		}
		return s.outcome(ctx, key, fresh, amount)
	case "requires_payment_method", "requires_action", "requires_confirmation", "canceled":
		return s.declined(ctx, key, x, x.Error)
	}
	return rails.Charge{}, fmt.Errorf("%w: %s has the status %.40q", ErrUnknown, x.ID, x.Status)
}

// declined handles an intent that took no money. It is canceled first, so that nothing can still
// take it: a retry is a separate charge.
func (s *Stripe) declined(ctx context.Context, key string, x *intent, why *failure) (rails.Charge, error) {
	if x.Status != "canceled" {
		var after intent
		f, err := s.call(ctx, http.MethodPost, "/v1/payment_intents/"+url.PathEscape(x.ID)+"/cancel", url.Values{}, key+"-cancel", &after)
		if err != nil {
			return rails.Charge{}, err
		}
		if f != nil { // its state has changed
			fresh, err := s.read(ctx, x.ID)
			if err != nil {
				return rails.Charge{}, err
			}
			if fresh.Status != "canceled" {
				return rails.Charge{}, fmt.Errorf("%w: %s cannot be canceled", ErrUnknown, x.ID)
			}
		}
	}
	if why == nil {
		why = &failure{Code: "authentication_required", Message: "The holder of the card has to approve the charge."}
	}
	return rails.Charge{Reference: x.ID, Code: why.reason(), Message: s.hide(why.Message)}, nil
}

// Refund refunds part of a charge, identified by the reference that Charge returned. An earlier
// refund with the key is found among the charge's refunds.
func (s *Stripe) Refund(ctx context.Context, key, reference string, amount money.Amount) (rails.Charge, error) {
	if err := checkCall(key, amount); err != nil {
		return rails.Charge{}, err
	}
	var old *refund
	err := s.list(ctx, "/v1/refunds", url.Values{"payment_intent": {reference}}, func(text json.RawMessage) (string, error) {
		var x refund
		err := json.Unmarshal(text, &x)
		if x.Metadata[metaKey] == key {
			old = &x
		}
		return x.ID, err
	})
	if err != nil {
		return rails.Charge{}, err
	}
	if old != nil {
		return old.outcome(amount)
	}
	var made refund
	f, err := s.call(ctx, http.MethodPost, "/v1/refunds", url.Values{
		"payment_intent": {reference}, "amount": {strconv.FormatInt(int64(amount), 10)}, "metadata[" + metaKey + "]": {key},
	}, key, &made)
	switch {
	case err != nil:
		return rails.Charge{}, err
	case f != nil:
		return rails.Charge{Code: f.reason(), Message: f.Message}, nil
	}
	return made.outcome(amount)
}

type refund struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Amount   int64             `json:"amount"`
	Failure  string            `json:"failure_reason"`
	Metadata map[string]string `json:"metadata"`
}

func (x *refund) outcome(amount money.Amount) (rails.Charge, error) {
	if x.ID == "" || x.Amount != int64(amount) {
		return rails.Charge{}, fmt.Errorf("%w: %s is not a refund of %s", ErrUnknown, x.ID, amount)
	}
	switch x.Status {
	case "succeeded", "pending":
		return rails.Charge{Approved: true, Reference: x.ID}, nil
	case "failed", "canceled":
		code := x.Failure
		if code == "" {
			code = x.Status
		}
		return rails.Charge{Reference: x.ID, Code: code, Message: "The refund did not reach the card."}, nil
	}
	return rails.Charge{}, fmt.Errorf("%w: %s has the status %.40q", ErrUnknown, x.ID, x.Status)
}

// checkCall refuses invalid requests. A key is used in a query: it may contain only letters,
// digits, _ and -.
func checkCall(key string, amount money.Amount) error {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	}
	if key == "" || len(key) > 200 || strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) >= 0 {
		return errors.New("card: a key must be 1 to 200 letters, digits, _ and -")
	}
	if amount <= 0 {
		return fmt.Errorf("card: invalid amount %s", amount)
	}
	return nil
}

package client

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// vector is the example from the tests of the reference implementation: secret, ID, timestamp and
// body with their signature.
const (
	vectorSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorStamp     = 1614265330
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

// shortSecret returns a secret with a key of n bytes.
func shortSecret(n int) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(make([]byte, n))
}

func TestSignatureVector(t *testing.T) {
	h, err := SignWebhook(vectorSecret, vectorID, time.Unix(vectorStamp, 999), []byte(vectorBody))
	if err != nil {
		t.Fatal(err)
	}
	if h.Get("webhook-signature") != vectorSignature || h.Get("webhook-id") != vectorID || h.Get("webhook-timestamp") != "1614265330" {
		t.Errorf("signed %v", h)
	}
	if _, err := VerifyWebhook([]string{vectorSecret}, h, []byte(vectorBody), time.Unix(vectorStamp, 0)); err != nil {
		t.Errorf("the vector is not taken: %v", err)
	}
}

// The reference implementation accepts what this package signs, and vice versa.
func TestReferenceAgrees(t *testing.T) {
	body := []byte(`{"id":"evt_1","type":"order.captured","sequence":4,"object":{"type":"order","id":"ord_1"},"data":{"object":{"key":"ord_1"}},"new":true}`)
	for range 20 {
		secret, now := NewWebhookSecret(), time.Now()
		reference, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		h, err := SignWebhook(secret, "evt_1", now, body)
		if err != nil {
			t.Fatal(err)
		}
		if err := reference.Verify(body, h); err != nil {
			t.Errorf("the reference refuses: %v", err)
		}
		signature, err := reference.Sign("evt_1", now, body)
		if err != nil {
			t.Fatal(err)
		}
		h.Set("webhook-signature", signature)
		e, err := VerifyWebhook([]string{secret}, h, body, now)
		if err != nil || e.ID != "evt_1" || e.Sequence != 4 || e.Object.ID != "ord_1" || string(e.Member("new")) != "true" || string(e.JSON()) != string(body) {
			t.Errorf("got %+v, %v", e, err)
		}
	}
}

func TestVerifyWebhook(t *testing.T) {
	const body = `{"id":"evt_1"}`
	at := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	old, current := NewWebhookSecret(), NewWebhookSecret()
	signed := func(secret string) http.Header {
		h, err := SignWebhook(secret, "evt_1", at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	both := signed(old)
	both.Set("Webhook-Signature", both.Get("Webhook-Signature")+" "+signed(current).Get("Webhook-Signature"))
	with := func(h http.Header, name, value string) http.Header {
		h = h.Clone()
		h.Set(name, value)
		return h
	}
	doubled := func(h http.Header, name, value string) http.Header {
		h = h.Clone()
		h.Add(name, value)
		return h
	}
	spelled := func(h http.Header, name, value string) http.Header {
		h = h.Clone()
		h[name] = []string{value}
		return h
	}
	flip := func(s string) string { // another signature of the same length
		other := byte('A')
		if s[10] == 'A' {
			other = 'B'
		}
		return s[:10] + string(other) + s[11:]
	}
	for _, x := range []struct {
		name    string
		secrets []string
		header  http.Header
		body    string
		now     time.Time
		want    error
	}{
		{"as it was sent", []string{current}, signed(current), body, at, nil},
		{"a rotated secret, both known", []string{current, old}, signed(old), body, at, nil},
		{"two signatures, one known", []string{current}, both, body, at, nil},
		{"a version that is not known beside", []string{current}, with(signed(current), "Webhook-Signature", "v1a,xyz "+signed(current).Get("Webhook-Signature")), body, at, nil},
		{"five minutes old", []string{current}, signed(current), body, at.Add(5 * time.Minute), nil},
		{"older", []string{current}, signed(current), body, at.Add(5*time.Minute + time.Second), ErrWebhookTimestamp},
		{"ahead", []string{current}, signed(current), body, at.Add(-5*time.Minute - time.Second), ErrWebhookTimestamp},
		{"another secret", []string{old}, signed(current), body, at, ErrWebhookSignature},
		{"no secret", nil, signed(current), body, at, ErrWebhookSignature},
		{"another body", []string{current}, signed(current), `{"id": "evt_1"}`, at, ErrWebhookSignature},
		{"another identifier", []string{current}, with(signed(current), "Webhook-Id", "evt_2"), body, at, ErrWebhookSignature},
		{"another timestamp", []string{current}, with(signed(current), "Webhook-Timestamp", "1767621601"), body, at, ErrWebhookSignature},
		{"a changed signature", []string{current}, with(signed(current), "Webhook-Signature", flip(signed(current).Get("Webhook-Signature"))), body, at, ErrWebhookSignature},
		{"the key of another version", []string{current}, with(signed(current), "Webhook-Signature", "v2"+signed(current).Get("Webhook-Signature")[2:]), body, at, ErrWebhookSignature},
		{"no signature", []string{current}, with(signed(current), "Webhook-Signature", ""), body, at, ErrWebhookHeaders},
		{"no identifier", []string{current}, with(signed(current), "Webhook-Id", ""), body, at, ErrWebhookHeaders},
		{"no timestamp", []string{current}, with(signed(current), "Webhook-Timestamp", ""), body, at, ErrWebhookHeaders},
		{"a timestamp that is none", []string{current}, with(signed(current), "Webhook-Timestamp", "+1767621600"), body, at, ErrWebhookHeaders},
		{"two identifiers", []string{current}, doubled(signed(current), "Webhook-Id", "evt_2"), body, at, ErrWebhookHeaders},
		{"the same identifier twice", []string{current}, doubled(signed(current), "Webhook-Id", "evt_1"), body, at, ErrWebhookHeaders},
		{"two timestamps", []string{current}, doubled(signed(current), "Webhook-Timestamp", "1767621600"), body, at, ErrWebhookHeaders},
		{"two signature headers", []string{current}, doubled(signed(current), "Webhook-Signature", "v1,x"), body, at, ErrWebhookHeaders},
		{"another spelling beside", []string{current}, spelled(signed(current), "webhook-id", "evt_2"), body, at, ErrWebhookHeaders},
		{"an empty secret", []string{"whsec_"}, signed(current), body, at, ErrWebhookSecret},
		{"a secret of 23 bytes", []string{shortSecret(23)}, signed(current), body, at, ErrWebhookSecret},
		{"a short secret beside a right one", []string{current, shortSecret(23)}, signed(current), body, at, ErrWebhookSecret},
		{"a secret of 24 bytes", []string{current, shortSecret(24)}, signed(current), body, at, nil},
		{"no such secret", []string{"whsec_!"}, signed(current), body, at, ErrWebhookSecret},
		{"a secret without its prefix", []string{strings.TrimPrefix(current, "whsec_")}, signed(current), body, at, ErrWebhookSecret},
	} {
		e, err := VerifyWebhook(x.secrets, x.header, []byte(x.body), x.now)
		if !errors.Is(err, x.want) || (err == nil) != (x.want == nil) || (e.ID == "evt_1") != (x.want == nil) {
			t.Errorf("%s: %v, want %v", x.name, err, x.want)
		}
	}
	h := with(signed(current), "Webhook-Signature", "")
	h.Del("Webhook-Signature")
	if _, err := SignWebhook(current, "", at, nil); !errors.Is(err, ErrWebhookHeaders) {
		t.Errorf("a webhook without identifier is signed: %v", err)
	}
	if _, err := SignWebhook("secret", "evt_1", at, nil); !errors.Is(err, ErrWebhookSecret) {
		t.Errorf("signed with no secret: %v", err)
	}
	text := signed(current)
	signedText, err := SignWebhook(current, "evt_1", at, []byte("no JSON"))
	if err != nil {
		t.Fatal(err)
	}
	text.Set("Webhook-Signature", signedText.Get("Webhook-Signature"))
	if _, err := VerifyWebhook([]string{current}, text, []byte("no JSON"), at); err == nil {
		t.Error("a body that is no event is taken")
	}
}

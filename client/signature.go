package client

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a webhook, as Standard Webhooks 1.0 names them.
const (
	headerWebhookID        = "Webhook-Id"
	headerWebhookTimestamp = "Webhook-Timestamp"
	headerWebhookSignature = "Webhook-Signature"
)

// secretPrefix begins a signing secret; base64 follows.
const secretPrefix = "whsec_"

// webhookTolerance is how far a webhook's timestamp may be from now, so that one
// that somebody has kept cannot be sent again later.
const webhookTolerance = 5 * time.Minute

// Why a webhook was not taken. A receiver answers 400 to all of them.
var (
	// ErrWebhookHeaders says that a header is missing or malformed.
	ErrWebhookHeaders = errors.New("client: a header of the webhook is missing or malformed")
	// ErrWebhookTimestamp says that it was signed more than five minutes ago, or
	// ahead.
	ErrWebhookTimestamp = errors.New("client: the webhook's timestamp is too far from now")
	// ErrWebhookSignature says that none of the secrets made its signature.
	ErrWebhookSignature = errors.New("client: the webhook is not signed with a known secret")
	// ErrWebhookSecret says that a secret is not whsec_ and base64.
	ErrWebhookSecret = errors.New("client: a webhook secret must be whsec_ and base64")
)

// VerifyWebhook checks a webhook and reads its event. body are the bytes as they
// came: parsed and written again they are others. While a secret is being rotated
// both are given. now is the wall clock's time.
//
// An event can come more than once: its ID tells, and for one object a Sequence that
// is not above the last one is stale.
func VerifyWebhook(secrets []string, header http.Header, body []byte, now time.Time) (Event, error) {
	id, stamp := header.Get(headerWebhookID), header.Get(headerWebhookTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || strconv.FormatInt(seconds, 10) != stamp || header.Get(headerWebhookSignature) == "" {
		return Event{}, ErrWebhookHeaders
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > webhookTolerance || age < -webhookTolerance {
		return Event{}, ErrWebhookTimestamp
	}
	given := strings.Fields(header.Get(headerWebhookSignature))
	matched := false
	for _, s := range secrets {
		key, err := webhookKey(s)
		if err != nil {
			return Event{}, err
		}
		want := []byte(webhookSignature(key, id, stamp, body))
		for _, g := range given {
			if hmac.Equal([]byte(g), want) {
				matched = true
			}
		}
	}
	if !matched {
		return Event{}, ErrWebhookSignature
	}
	var e Event
	if err := decode(append([]byte(nil), body...), &e); err != nil {
		return Event{}, fmt.Errorf("client: read webhook: %w", err)
	}
	return e, nil
}

// SignWebhook returns the headers of a webhook with an event's identifier and a
// body, signed at an instant, for tests of a receiver and for those who pass events
// on.
func SignWebhook(secret, id string, at time.Time, body []byte) (http.Header, error) {
	key, err := webhookKey(secret)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, ErrWebhookHeaders
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	return http.Header{
		"Content-Type":         {"application/json"},
		headerWebhookID:        {id},
		headerWebhookTimestamp: {stamp},
		headerWebhookSignature: {webhookSignature(key, id, stamp, body)},
	}, nil
}

// NewWebhookSecret draws a signing secret, for tests of a receiver and for those who
// pass events on.
func NewWebhookSecret() string {
	key := make([]byte, 32)
	rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

func webhookKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, ErrWebhookSecret
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, ErrWebhookSecret
	}
	return key, nil
}

// webhookSignature is one signature: version, comma, base64.
func webhookSignature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

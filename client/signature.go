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

// Headers of a webhook, as defined by Standard Webhooks 1.0.
const (
	headerWebhookID        = "Webhook-Id"
	headerWebhookTimestamp = "Webhook-Timestamp"
	headerWebhookSignature = "Webhook-Signature"
)

// secretPrefix starts a signing secret; base64 follows.
const secretPrefix = "whsec_"

// webhookTolerance is how far a webhook's timestamp may be from now, so that a captured one
// cannot be replayed later.
const webhookTolerance = 5 * time.Minute

// Why a webhook was refused. A receiver should answer 400 to all of them.
var (
	// ErrWebhookHeaders means that a header is missing, malformed or duplicated.
	ErrWebhookHeaders = errors.New("client: a header of the webhook is missing, malformed or doubled")
	// ErrWebhookTimestamp means that it was signed more than five minutes before or after now.
	ErrWebhookTimestamp = errors.New("client: the webhook's timestamp is too far from now")
	// ErrWebhookSignature means that no secret matches its signature.
	ErrWebhookSignature = errors.New("client: the webhook is not signed with a known secret")
	// ErrWebhookSecret means that a secret is not whsec_ and base64 of 24 bytes or more.
	ErrWebhookSecret = errors.New("client: a webhook secret must be whsec_ and base64 of at least 24 bytes")
)

// VerifyWebhook checks a webhook and decodes its event. body must be the raw bytes: parsing and
// re-encoding changes them. During the rotation of a secret, pass both. now is the wall clock's
// time.
//
// An event can arrive more than once: compare its ID. For the same object, a Sequence that is not
// above the last one is stale.
func VerifyWebhook(secrets []string, header http.Header, body []byte, now time.Time) (Event, error) {
	id, stamp, signatures, ok := webhookHeaders(header)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if !ok || err != nil || strconv.FormatInt(seconds, 10) != stamp {
		return Event{}, ErrWebhookHeaders
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > webhookTolerance || age < -webhookTolerance {
		return Event{}, ErrWebhookTimestamp
	}
	given := strings.Fields(signatures)
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

// webhookHeaders reads the three headers, each of which must occur once: with a duplicate, two
// readers could pick different ones. Names are compared case-insensitively, also in headers not
// read by net/http.
func webhookHeaders(header http.Header) (id, stamp, signatures string, ok bool) {
	found := map[string][]string{}
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		found[name] = append(found[name], values...)
	}
	for name, value := range map[string]*string{headerWebhookID: &id, headerWebhookTimestamp: &stamp, headerWebhookSignature: &signatures} {
		if len(found[name]) != 1 || found[name][0] == "" {
			return "", "", "", false
		}
		*value = found[name][0]
	}
	return id, stamp, signatures, true
}

// SignWebhook returns the headers of a webhook with an event ID and a body, signed at an instant,
// for tests of a receiver and for forwarding events.
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

// NewWebhookSecret generates a signing secret, for tests of a receiver and for forwarding events.
func NewWebhookSecret() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// minWebhookKey is the minimum length of a secret in bytes. A shorter one, such as a truncated
// one, can be guessed.
const minWebhookKey = 24

func webhookKey(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	if !ok {
		return nil, ErrWebhookSecret
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) < minWebhookKey {
		return nil, ErrWebhookSecret
	}
	return key, nil
}

// webhookSignature returns one signature: version, comma, base64.
func webhookSignature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

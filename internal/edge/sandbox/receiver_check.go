package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The headers of Standard Webhooks 1.0, and how far a message's time may be from the
// receiver's clock.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
	tolerance       = 5 * time.Minute
	minKey          = 24 // bytes
)

// Verdict is what a receiver should make of a message.
type Verdict string

// Verdicts. Without a secret there is none.
const (
	Good    Verdict = "GOOD"
	Refused Verdict = "REFUSED"
	Unknown Verdict = "UNKNOWN"
)

// Check is how a receiver decides whether to trust a message.
type Check struct {
	Verdict Verdict
	Steps   []Step
}

// Step is one step of a check.
type Step struct {
	Name  string // headers, secret, timestamp, signed_text, computed, given, verdict
	OK    bool
	Text  string // its finding, one sentence
	Value string // what it checked or computed; "" if nothing
}

// signed reports whether the signature is right, whatever the age.
func (c Check) signed() bool {
	for _, s := range c.Steps {
		if s.Name == "given" {
			return s.OK
		}
	}
	return false
}

func (c *Check) step(name string, ok bool, value, text string, args ...any) {
	c.Steps = append(c.Steps, Step{name, ok, fmt.Sprintf(text, args...), value})
}

// check performs every possible step, so that the reader sees everything that is wrong.
func check(d *Received, secrets []string, now time.Time) Check {
	var c Check
	id, hasID := d.Get(headerID)
	timestamp, hasTime := d.Get(headerTimestamp)
	given, hasSignature := d.Get(headerSignature)
	complete := hasID && hasTime && hasSignature && id != "" && timestamp != "" && given != ""
	if complete {
		c.step("headers", true, "", "webhook-id, webhook-timestamp and webhook-signature are present, once each.")
	} else {
		c.step("headers", false, "", "webhook-id, webhook-timestamp and webhook-signature must be present, once each, and not empty.")
	}
	fresh := c.timestamp(timestamp, now)
	signed := c.signature(d, secrets, id, timestamp, given)
	switch {
	case len(secrets) == 0:
		c.Verdict = Unknown
		c.step("verdict", false, "", "Cannot be verified without the secret.")
	case complete && fresh && signed:
		c.Verdict = Good
		c.step("verdict", true, "", "Valid: process it, unless you have already seen its webhook-id.")
	default:
		c.Verdict = Refused
		c.step("verdict", false, "", "Invalid: answer 400 and ignore it.")
	}
	return c
}

// timestamp checks the age of a message.
func (c *Check) timestamp(text string, now time.Time) bool {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.step("timestamp", false, text, "It is not a number of seconds since 1970.")
		return false
	}
	old := age(now, seconds).Truncate(time.Second)
	ok := old <= tolerance && old >= -tolerance
	switch {
	case !ok && old > 0:
		c.step("timestamp", false, text, "It was %s old on arrival; at most five minutes are allowed.", old)
	case !ok:
		c.step("timestamp", false, text, "Its timestamp is %s in the future; at most five minutes are allowed.", -old)
	default:
		c.step("timestamp", true, text, "It was %s old on arrival; at most five minutes are allowed.", old)
	}
	return ok
}

// shownText is how much of the signed text a step shows, in bytes.
const shownText = 400

// signature compares the expected signature of a message with the given one.
func (c *Check) signature(d *Received, secrets []string, id, timestamp, given string) bool {
	text := id + "." + timestamp + "." + string(d.Body)
	shown := text
	if len(shown) > shownText {
		shown = strings.ToValidUTF8(shown[:shownText], "") + "…"
	}
	c.step("signed_text", true, shown, "The ID, the timestamp and the %d bytes of the body as received, joined by dots.", len(d.Body))
	var keys [][]byte
	for _, s := range secrets {
		if key, ok := keyOf(s); ok {
			keys = append(keys, key)
		}
	}
	switch {
	case len(secrets) == 0:
		c.step("secret", false, "", "None of your endpoints sends here: enter the secret.")
		c.step("given", false, given, "Cannot be compared without the secret.")
		return false
	case len(keys) == 0:
		c.step("secret", false, "", "Not a signing secret: expected whsec_ and base64 of at least 24 bytes.")
		c.step("given", false, given, "Cannot be compared without a secret.")
		return false
	}
	c.step("secret", true, "", "The key is the decoded base64 after whsec_.")
	var computed []string
	for _, key := range keys {
		computed = append(computed, "v1,"+base64.StdEncoding.EncodeToString(mac(key, id, timestamp, d.Body)))
	}
	c.step("computed", true, strings.Join(computed, " "), "HMAC-SHA256 of the signed text, base64, after v1 and a comma.")
	for one := range strings.FieldsSeq(given) {
		for i, key := range keys {
			if hmac.Equal([]byte(one), []byte(computed[i])) && len(key) > 0 {
				c.step("given", true, given, "A signature in the header matches the computed one.")
				return true
			}
		}
	}
	c.step("given", false, given, "No signature in the header matches the computed one: a different secret, or different bytes.")
	return false
}

// keyOf returns the key of a signing secret.
func keyOf(secret string) ([]byte, bool) {
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(strings.TrimSpace(secret), "whsec_"))
	return key, err == nil && len(key) >= minKey
}

// mac is the signature of a message with a key.
func mac(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range []string{id, ".", timestamp, "."} {
		h.Write([]byte(part))
	}
	h.Write(body)
	return h.Sum(nil)
}

// signature is the value of webhook-signature for a secret, "" if it is not one.
func signature(secret, id, timestamp string, body []byte) string {
	key, ok := keyOf(secret)
	if !ok {
		return ""
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac(key, id, timestamp, body))
}

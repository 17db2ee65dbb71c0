package webhook

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const fuzzSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// verifyProperty returns what is wrong with a check that accepts a message: the reference
// library must accept it too, and our own signature of it must be among those given.
func verifyProperty(verify func(string, http.Header, []byte, time.Time) error, h http.Header, body []byte) string {
	seconds, err := strconv.ParseInt(h.Get(HeaderTimestamp), 10, 64)
	if err != nil {
		seconds = 1_772_000_000
	}
	now := time.Unix(seconds, 0)
	if verify(fuzzSecret, h, body, now) != nil {
		return ""
	}
	library, err := standardwebhooks.NewWebhook(fuzzSecret)
	if err != nil {
		return err.Error()
	}
	if err := library.VerifyIgnoringTimestamp(body, h); err != nil {
		return fmt.Sprintf("%v is taken, and the library says %v", h, err)
	}
	return ""
}

func FuzzVerify(f *testing.F) {
	key, err := parseSecret(fuzzSecret)
	if err != nil {
		f.Fatal(err)
	}
	good := sign([][]byte{key}, "evt_1", "1772000000", []byte(`{"a":1}`))
	f.Add("evt_1", "1772000000", good, []byte(`{"a":1}`))
	f.Add("evt_1", "1772000000", "v1,x "+good, []byte(`{"a":1}`))
	f.Add("evt_1", "+1772000000", good, []byte(`{"a":1}`))
	f.Add("evt_1", "1772000000", "v1,", []byte(``))
	f.Add("", "", "v2,abc", []byte(``))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		h := http.Header{}
		h.Set(HeaderID, id)
		h.Set(HeaderTimestamp, timestamp)
		h.Set(HeaderSignature, signature)
		if complaint := verifyProperty(Verify, h, body); complaint != "" {
			t.Fatal(complaint)
		}
		// What we sign ourselves is accepted, whatever it is.
		if _, err := strconv.ParseInt(timestamp, 10, 64); err != nil || id == "" {
			return
		}
		h.Set(HeaderSignature, sign([][]byte{key}, id, timestamp, body))
		seconds, _ := strconv.ParseInt(timestamp, 10, 64)
		if err := Verify(fuzzSecret, h, body, time.Unix(seconds, 0)); err != nil {
			t.Fatalf("our own signature of %q, %q: %v", id, timestamp, err)
		}
	})
}

// retryAfterProperty: a wait is between none and the maximum; a number of seconds is that
// number, a date is that date.
func retryAfterProperty(parse func(string, time.Time) time.Duration, value string) string {
	now := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	wait := parse(value, now)
	if wait < 0 || wait > maxRetryAfter {
		return fmt.Sprintf("%q asks for %s", value, wait)
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil && wait != min(time.Duration(seconds)*time.Second, maxRetryAfter) {
		return fmt.Sprintf("%q asks for %s", value, wait)
	}
	if _, err := http.ParseTime(value); err != nil && !isDigits(value) && wait != 0 {
		return fmt.Sprintf("%q is neither seconds nor a date and asks for %s", value, wait)
	}
	return ""
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "5", "1000000000", "99999999999999999999", "-1", "+5", "5.5", "Mon, 02 Mar 2026 15:05:00 GMT", "Mon, 02 Mar 1026 15:05:00 GMT", "soon", "５"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if complaint := retryAfterProperty(parseRetryAfter, value); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// FuzzSecret: an accepted signing secret is long enough, and is the bytes of its base64
// text.
func FuzzSecret(f *testing.F) {
	for _, s := range []string{fuzzSecret, "whsec_", "", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, secret string) {
		key, err := parseSecret(secret)
		if err == nil && len(key) < minKey {
			t.Fatalf("%q is taken with %d bytes", secret, len(key))
		}
	})
}

// Checks that are too lax would be detected.
func TestFuzzCanFail(t *testing.T) {
	h := http.Header{}
	h.Set(HeaderID, "evt_1")
	h.Set(HeaderTimestamp, "1772000000")
	h.Set(HeaderSignature, "v1,abc")
	if verifyProperty(func(string, http.Header, []byte, time.Time) error { return nil }, h, nil) == "" {
		t.Error("not seen: a signature that nobody made")
	}
	if retryAfterProperty(func(string, time.Time) time.Duration { return 1 << 62 }, "5") == "" {
		t.Error("not seen: a wait without an end")
	}
}

package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

const fuzzSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

// webhookProperty describes the first problem with a verified event: it must be JSON that the
// standard decoder reads with the same members, and changing one byte of it must be refused.
func webhookProperty(verify func([]string, http.Header, []byte, time.Time) (Event, error), h http.Header, body []byte) string {
	seconds, err := strconv.ParseInt(h.Get(headerWebhookTimestamp), 10, 64)
	if err != nil {
		return ""
	}
	now := time.Unix(seconds, 0)
	e, err := verify([]string{fuzzSecret}, h, body, now)
	if err != nil {
		return ""
	}
	var loose struct {
		ID       string `json:"id"`
		Sequence int64  `json:"sequence"`
	}
	if err := json.Unmarshal(body, &loose); err != nil || loose.ID != e.ID || loose.Sequence != e.Sequence {
		return fmt.Sprintf("%q is read as %s %d, %v", body, e.ID, e.Sequence, err)
	}
	if _, err := verify([]string{fuzzSecret}, h, append(append([]byte(nil), body...), ' '), now); err == nil {
		return fmt.Sprintf("%q is taken with a byte more", body)
	}
	return ""
}

func FuzzVerifyWebhook(f *testing.F) {
	for _, body := range []string{`{"id":"evt_1","sequence":1,"data":{"object":{},"previous_attributes":{}}}`, `{}`, `null`, `[]`, `{"id":1}`, `{"id":"a"} {}`, ``, `{"created_at":"x"}`} {
		f.Add("evt_1", int64(1_772_000_000), []byte(body))
	}
	f.Add("", int64(-1), []byte(`{}`))
	f.Fuzz(func(t *testing.T, id string, seconds int64, body []byte) {
		h, err := SignWebhook(fuzzSecret, id, time.Unix(seconds, 0), body)
		if err != nil {
			return
		}
		if complaint := webhookProperty(VerifyWebhook, h, body); complaint != "" {
			t.Fatal(complaint)
		}
		h.Set(headerWebhookSignature, string(body))
		if complaint := webhookProperty(VerifyWebhook, h, body); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// FuzzRetryAfter: a wait is never negative, and only seconds and dates are accepted.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "5", "1000000000", "99999999999999999999", "-1", "5.5", "Mon, 02 Mar 2026 15:05:00 GMT", "soon"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		now := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
		wait, given := retryAfter(http.Header{"Retry-After": {value}}, now)
		if wait < 0 || wait > 0 && !given {
			t.Fatalf("%q asks for %s, %v", value, wait, given)
		}
	})
}

// FuzzProblem: whatever a server returns, the client can show it and decide on a retry without
// failing.
func FuzzProblem(f *testing.F) {
	for _, s := range []string{`{"code":"not_found","status":404,"title":"x"}`, `{"code":1}`, `null`, `[]`, `{"errors":[{"pointer":"/a"}]}`, `<html>`, ``} {
		f.Add(404, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		p := newProblem(&Response{Status: status, Header: http.Header{}, Body: body}, time.Time{})
		if p == nil || p.Error() == "" {
			t.Fatalf("%d %q says nothing", status, body)
		}
	})
}

// The fuzz test finds a check that accepts any signature.
func TestFuzzCanFail(t *testing.T) {
	lax := func(_ []string, _ http.Header, body []byte, _ time.Time) (Event, error) {
		var e Event
		return e, json.Unmarshal(body[:len(body)-1], &e)
	}
	h := http.Header{}
	h.Set(headerWebhookTimestamp, "1772000000")
	if webhookProperty(lax, h, []byte(`{"id":"evt_1"} `)) == "" {
		t.Error("not seen: a body that is taken without its signature")
	}
}

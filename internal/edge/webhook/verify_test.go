package webhook

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tenor/internal/domain/credit"
)

// What a receiver's check must refuse (A55).
func TestVerify(t *testing.T) {
	secret, other := newSecret(), newSecret()
	now := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	text := string(body("evt_1", 1))
	key := mustKey(t, secret)
	signed := func(secrets ...string) http.Header {
		var keys [][]byte
		for _, s := range secrets {
			keys = append(keys, mustKey(t, s))
		}
		h := http.Header{}
		h.Set(HeaderID, "evt_1")
		h.Set(HeaderTimestamp, unixSeconds(now))
		h.Set(HeaderSignature, sign(keys, "evt_1", unixSeconds(now), []byte(text)))
		return h
	}
	with := func(name string, values ...string) http.Header {
		h := signed(secret)
		h.Del(name)
		for _, v := range values {
			h.Add(name, v)
		}
		return h
	}
	good := signed(secret).Get(HeaderSignature)
	var again any
	if err := json.Unmarshal([]byte(text), &again); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	raw := base64.StdEncoding.EncodeToString(mac(key, "evt_1", unixSeconds(now), []byte(text)))
	for _, x := range []struct {
		name   string
		secret string
		header http.Header
		body   string
		at     time.Time
		want   error
	}{
		{"as it was sent", secret, signed(secret), text, now, nil},
		{"the new and the old secret", secret, signed(other, secret), text, now, nil},
		{"a scheme that is not known beside it", secret, with(HeaderSignature, "v1a,xyz "+good+" v9,x"), text, now, nil},
		{"four minutes late", secret, signed(secret), text, now.Add(4 * time.Minute), nil},
		{"four minutes early", secret, signed(secret), text, now.Add(-4 * time.Minute), nil},
		{"six minutes late", secret, signed(secret), text, now.Add(6 * time.Minute), ErrTimestamp},
		{"six minutes early", secret, signed(secret), text, now.Add(-6 * time.Minute), ErrTimestamp},
		{"encoded again", secret, signed(secret), string(encoded), now, ErrSignature},
		{"one byte more", secret, signed(secret), text + "\n", now, ErrSignature},
		{"no body", secret, signed(secret), "", now, ErrSignature},
		{"another secret", other, signed(secret), text, now, ErrSignature},
		{"no secret", "", signed(secret), text, now, ErrSecret},
		{"an empty secret", "whsec_", signed(secret), text, now, ErrSecret},
		{"a short secret", "whsec_c2hvcnQ=", signed(secret), text, now, ErrSecret},
		{"a secret that is no base64", "whsec_" + strings.Repeat("!", 40), signed(secret), text, now, ErrSecret},
		{"no headers", secret, http.Header{}, text, now, ErrHeader},
		{"no id", secret, with(HeaderID), text, now, ErrHeader},
		{"an empty id", secret, with(HeaderID, ""), text, now, ErrHeader},
		{"two ids", secret, with(HeaderID, "evt_1", "evt_1"), text, now, ErrHeader},
		{"another id", secret, with(HeaderID, "evt_2"), text, now, ErrSignature},
		{"no timestamp", secret, with(HeaderTimestamp), text, now, ErrHeader},
		{"a timestamp in words", secret, with(HeaderTimestamp, "now"), text, now, ErrHeader},
		{"another timestamp", secret, with(HeaderTimestamp, unixSeconds(now.Add(time.Second))), text, now, ErrSignature},
		{"no signature", secret, with(HeaderSignature), text, now, ErrHeader},
		{"v2 only", secret, with(HeaderSignature, "v2,"+raw), text, now, ErrSignature},
		{"no version", secret, with(HeaderSignature, raw), text, now, ErrSignature},
		{"an empty signature", secret, with(HeaderSignature, "v1,"), text, now, ErrSignature},
		{"cut base64", secret, with(HeaderSignature, good[:len(good)-2]), text, now, ErrSignature},
		{"half a signature", secret, with(HeaderSignature, good[:24]), text, now, ErrSignature},
		{"more than a signature", secret, with(HeaderSignature, good+"AAAA"), text, now, ErrSignature},
		{"spaces", secret, with(HeaderSignature, "   "), text, now, ErrSignature},
	} {
		if err := Verify(x.secret, x.header, []byte(x.body), x.at); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", x.name, err, x.want)
		}
	}
}

func mustKey(t testing.TB, secret string) []byte {
	t.Helper()
	key, err := parseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Our signature equals that of the reference library, and of the specification's example.
func TestSign(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	at := time.Unix(1614265330, 0)
	got := sign([][]byte{mustKey(t, secret)}, "msg_p5jXN8AQM9LWM0D4loKWxJek", unixSeconds(at), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := library.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, []byte(`{"test": 2432232314}`)); err != nil || got != want {
		t.Errorf("%s, the library says %s (%v)", got, want, err)
	}
}

// Which secrets sign: those that have not ended, if they were sealed for this endpoint and
// are long enough.
func TestKeys(t *testing.T) {
	now := time.Now()
	s := &Sender{cfg: Config{Open: open}}
	one, two := newSecret(), newSecret()
	about := credit.SigningSecretOf("whk_1")
	for _, x := range []struct {
		name    string
		secrets []credit.EndpointSecret
		want    int // -1: refused
	}{
		{"one", []credit.EndpointSecret{{Sealed: seal(one, about)}}, 1},
		{"the bytes themselves", []credit.EndpointSecret{{Sealed: seal(strings.Repeat("\x01", 32), about)}}, 1},
		{"both in the overlap", []credit.EndpointSecret{{Sealed: seal(one, about)}, {Sealed: seal(two, about), Until: now.Add(time.Second)}}, 2},
		{"the old one has ended", []credit.EndpointSecret{{Sealed: seal(one, about)}, {Sealed: seal(two, about), Until: now}}, 1},
		{"none", nil, -1},
		{"of another endpoint", []credit.EndpointSecret{{Sealed: seal(one, credit.SigningSecretOf("whk_2"))}}, -1},
		{"too short", []credit.EndpointSecret{{Sealed: seal("short", about)}}, -1},
		{"empty", []credit.EndpointSecret{{Sealed: seal("", about)}}, -1},
		{"broken", []credit.EndpointSecret{{Sealed: seal("whsec_!", about)}}, -1},
	} {
		keys, err := s.keys(&credit.Endpoint{ID: "whk_1", Merchant: "mch_1", Secrets: x.secrets}, now)
		if x.want < 0 && err == nil || x.want >= 0 && (err != nil || len(keys) != x.want) {
			t.Errorf("%s: %d keys, %v", x.name, len(keys), err)
		}
		if err != nil && strings.Contains(err.Error(), one) {
			t.Errorf("%s: the error holds the secret", x.name)
		}
	}
}

package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ring reads a key file of fixed keys, one for each id, newest first.
func ring(t *testing.T, ids ...string) Ring {
	t.Helper()
	r, err := ParseKeyFile([]byte(file(ids...)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func file(ids ...string) string {
	s := ""
	for _, id := range ids {
		s += id + ":" + base64.StdEncoding.EncodeToString(secretOf(id)) + "\n"
	}
	return s
}

// secretOf is a recognizable key: "s3cr3t-" and the id, padded.
func secretOf(id string) []byte { return fmt.Appendf(nil, "%-32s", "s3cr3t-"+id)[:32] }

// A sealed value opens with the same ring and subject, and is unreadable before.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOfN(rapid.Byte(), 8, 300).Draw(t, "plain")
		about := rapid.String().Draw(t, "about")
		r, err := New(Derive(rapid.SliceOfN(rapid.Byte(), 16, 40).Draw(t, "secret"), "test"))
		if err != nil {
			t.Fatal(err)
		}
		sealed := r.Seal(plain, about)
		got, err := r.Open(sealed, about)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("opened %x, %v; sealed %x", got, err, plain)
		}
		if bytes.Contains(sealed, plain) {
			t.Fatal("the sealed value shows the plain one")
		}
	})
}

// Sealing the same value twice gives different bytes: nobody can tell that two rows contain
// the same secret.
func TestSealIsFresh(t *testing.T) {
	r := ring(t, "a")
	if bytes.Equal(r.Seal([]byte("x"), "y"), r.Seal([]byte("x"), "y")) {
		t.Error("two seals are equal")
	}
}

// Changed bytes, shortened values, and another row's value are refused.
func TestOpenRefuses(t *testing.T) {
	r := ring(t, "a")
	sealed := r.Seal([]byte("whsec_1"), "endpoint/whk_1")
	if _, err := r.Open(sealed, "endpoint/whk_2"); !errors.Is(err, ErrBroken) {
		t.Errorf("about another endpoint: %v", err)
	}
	for n := range sealed {
		for _, bit := range []byte{1, 2, 128} {
			bad := bytes.Clone(sealed)
			bad[n] ^= bit
			if got, err := r.Open(bad, "endpoint/whk_1"); err == nil || got != nil {
				t.Errorf("byte %d changed: %q, %v", n, got, err)
			}
		}
		if got, err := r.Open(sealed[:n], "endpoint/whk_1"); err == nil || got != nil {
			t.Errorf("cut to %d bytes: %q, %v", n, got, err)
		}
	}
	for _, bad := range [][]byte{nil, {}, {0}, {255}, bytes.Repeat([]byte{255}, 300), []byte("\x02A\n")} {
		if _, err := r.Open(bad, ""); !errors.Is(err, ErrBroken) {
			t.Errorf("%x: %v", bad, err)
		}
	}
}

// A byte cannot move between the id and the subject.
func TestHeadIsBound(t *testing.T) {
	if bytes.Equal(bound([]byte("\x01a"), "bc"), bound([]byte("\x02ab"), "c")) {
		t.Error("two pairs of head and subject give the same bytes")
	}
}

// Rotation: a new key in front seals, the old one still opens; once it is removed, its
// values tell which key is missing.
func TestRotation(t *testing.T) {
	before, during, after := ring(t, "old"), ring(t, "new", "old"), ring(t, "new")
	old, fresh := before.Seal([]byte("1"), "x"), during.Seal([]byte("2"), "x")
	for name, c := range map[string]struct {
		ring   Ring
		sealed []byte
		want   string
		err    error
	}{
		"old by both": {during, old, "1", nil},
		"new by both": {during, fresh, "2", nil},
		"new by new":  {after, fresh, "2", nil},
		"old by new":  {after, old, "", ErrUnknownKey},
		"new by old":  {before, fresh, "", ErrUnknownKey},
		"by nothing":  {Ring{}, fresh, "", ErrUnknownKey},
	} {
		got, err := c.ring.Open(c.sealed, "x")
		if string(got) != c.want || !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := after.Open(old, "x"); err == nil || !strings.Contains(err.Error(), "old") {
		t.Errorf("the error does not name the missing key: %v", err)
	}
}

// An empty ring does not seal: there would be no safe result.
func TestNothingIsSealedWithoutAKey(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("sealed without a key")
		}
	}()
	Ring{}.Seal([]byte("x"), "")
}

// Errors in a key file are reported by line number, and no part of the file is repeated.
func TestParseKeyFile(t *testing.T) {
	good := strings.TrimSpace(file("a"))
	for _, c := range []struct{ text, want string }{
		{"", "has no keys"},
		{"# only a comment\n\n", "has no keys"},
		{"\n" + base64.StdEncoding.EncodeToString(secretOf("a")), "line 2: want id:base64"},
		{"S3CR3T:" + base64.StdEncoding.EncodeToString(secretOf("a")), "line 1: want an id"},
		{strings.Repeat("a", 33) + good[1:], "line 1: want an id"},
		{":" + base64.StdEncoding.EncodeToString(secretOf("a")), "line 1: want an id"},
		{"a:" + base64.StdEncoding.EncodeToString([]byte("s3cr3t-short")), "line 1: want the base64 of 32 bytes"},
		{"a:s3cr3t not base64", "line 1: want the base64 of 32 bytes"},
		{good + "\n# again\n" + good, "line 3: duplicate key id"},
	} {
		r, err := ParseKeyFile([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
			continue
		}
		for _, secret := range []string{"s3cr3t", "S3CR3T", base64.StdEncoding.EncodeToString(secretOf("a"))[:8]} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: the error shows a part of the file: %v", c.text, err)
			}
		}
		if r.keys != nil {
			t.Errorf("%q: a ring with the error", c.text)
		}
	}
	if _, err := ParseKeyFile([]byte("# keys of the shop\r\n  " + good + "  \r\n")); err != nil {
		t.Errorf("comment, spaces and CRLF: %v", err)
	}
}

// A new key file can be read, contains another key each time, and can be put in front of an
// older one.
func TestNewKeyFile(t *testing.T) {
	one, two := NewKeyFile(), NewKeyFile()
	if bytes.Equal(one, two) {
		t.Fatal("the same key twice")
	}
	first, err := ParseKeyFile(one)
	if err != nil {
		t.Fatal(err)
	}
	both, err := ParseKeyFile(append(two, one...))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := both.Open(first.Seal([]byte("x"), ""), ""); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

// New refuses what would make a value unreadable later.
func TestNewRefuses(t *testing.T) {
	a := Derive(secretOf("a"), "x")
	for name, keys := range map[string][]Key{"none": {}, "empty": {a, {}}, "twice": {a, a}} {
		if r, err := New(keys...); err == nil || r.keys != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// A derived key is the same for the same secret and label, and for no other.
func TestDerive(t *testing.T) {
	open := func(sealing, opening Key) error {
		s, err := New(sealing)
		if err != nil {
			t.Fatal(err)
		}
		o, err := New(opening)
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Open(s.Seal([]byte("x"), ""), "")
		return err
	}
	if err := open(Derive(secretOf("a"), "l"), Derive(secretOf("a"), "l")); err != nil {
		t.Error(err)
	}
	for _, other := range []Key{Derive(secretOf("b"), "l"), Derive(secretOf("a"), "m")} {
		if err := open(Derive(secretOf("a"), "l"), other); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("another secret or label: %v", err)
		}
	}
}

// However a key, a ring or something that contains one is printed, no key is visible (T31).
func TestNothingIsPrinted(t *testing.T) {
	key, err := parseLine(strings.TrimSpace(file("abc")))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		key  Key
		ring Ring
		list []Key
	}
	h := holder{key, r, []Key{key}}
	out := ""
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{key, &key, r, &r, h, &h, []Key{key}, []Ring{r}} {
			out += fmt.Sprintf(verb, v) + "\n"
		}
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", key, "ring", r, "holder", h)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", key, "ring", r, "holder", h)
	out += log.String() + key.String() + r.String()
	if !strings.Contains(out, redacted) {
		t.Error("nothing says that it was left out")
	}
	secret := secretOf("abc")
	for _, form := range []string{
		string(secret[:10]), base64.StdEncoding.EncodeToString(secret)[:12], hex.EncodeToString(secret)[:16],
		fmt.Sprint(secret[:6])[1:20], fmt.Sprintf("%#v", secret[:3])[7:20], fmt.Sprintf("%#v", secret[:2])[7:17],
	} {
		if strings.Contains(out, form) {
			t.Errorf("%q is printed", form)
		}
	}
}

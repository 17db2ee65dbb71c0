package credential

import (
	"context"
	"encoding/base32"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp"
)

// The rows of RFC 6238, appendix B, for SHA-1: their last six digits, since apps show six.
func TestCodesOfTheStandard(t *testing.T) {
	secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("12345678901234567890"))
	for at, code := range map[int64]string{59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130"} {
		now := time.Unix(at, 0)
		six := code[2:]
		if got, err := Code(secret, now); err != nil || got != six {
			t.Errorf("%d: %s, %v", at, got, err)
		}
		for _, typed := range []string{six, " " + six[:3] + " " + six[3:]} {
			if step, right := Step(secret, typed, now); !right || step != at/30 {
				t.Errorf("%d, %q: %d, %v", at, typed, step, right)
			}
		}
		for off, want := range map[time.Duration]bool{-30 * time.Second: true, 30 * time.Second: true, 90 * time.Second: false, -90 * time.Second: false} {
			if step, right := Step(secret, six, now.Add(off)); right != want || right && step != at/30 {
				t.Errorf("%d, %s off: %d, %v", at, off, step, right)
			}
		}
		for _, typed := range []string{"", six[:5], six + "0", "abcdef", code} {
			if _, right := Step(secret, typed, now); right {
				t.Errorf("%d: %q is right", at, typed)
			}
		}
	}
}

// A secret that is missing or short has no right code.
func TestShortSecretsHaveNoCodes(t *testing.T) {
	now := time.Unix(1111111109, 0)
	for _, secret := range []string{"", "GEZDGNBVGY3TQOJQGEZDGNBVG"} {
		if code, err := Code(secret, now); err == nil {
			if _, right := Step(secret, code, now); right {
				t.Errorf("%q has the code %s", secret, code)
			}
		}
	}
}

func TestSecretsAreNew(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	if a == b || len(a) != 32 {
		t.Errorf("%s, %s", a, b)
	}
}

// Apps read issuer and account from the link, whatever signs they contain.
func TestLinkIsReadBack(t *testing.T) {
	u, err := url.Parse(Link("Tenor", "ada+1@lender.example", "ABCD"))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Tenor:ada+1@lender.example" || u.Query().Get("secret") != "ABCD" || u.Query().Get("issuer") != "Tenor" {
		t.Errorf("%s, %v", u, err)
	}
}

// The path draws a code as the standard wants it: a mark in three corners, timing between them, a
// quiet border, and the same modules as the library's own picture (ISO 18004).
func TestQRDrawsEveryModule(t *testing.T) {
	link := Link("Tenor", "ada@lender.example", NewSecret())
	got, err := QR(link)
	if err != nil {
		t.Fatal(err)
	}
	n := got.Size - 8
	if n < 21 || (n-17)%4 != 0 {
		t.Fatalf("%d modules", n)
	}
	drawn := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(got.Path, -1) {
		for i := range number(m[3]) {
			drawn[[2]int{number(m[1]) + i - 4, number(m[2]) - 4}] = true
		}
	}
	mark := func(x, y int) bool { return max(max(x-3, 3-x), max(y-3, 3-y)) != 2 }
	for y := range 7 {
		for x := range 7 {
			for _, at := range [][2]int{{x, y}, {n - 7 + x, y}, {x, n - 7 + y}} {
				if drawn[at] != mark(x, y) {
					t.Fatalf("no mark at %v", at)
				}
			}
		}
	}
	for x := 8; x < n-8; x++ {
		if drawn[[2]int{x, 6}] != (x%2 == 0) || drawn[[2]int{6, x}] != (x%2 == 0) {
			t.Fatalf("no timing at %d", x)
		}
	}
	key, err := otp.NewKeyFromURL(link)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := key.Image(n, n) // one dot a module
	if err != nil {
		t.Fatal(err)
	}
	for y := range n {
		for x := range n {
			if drawn[[2]int{x, y}] != isDark(picture, x, y) {
				t.Fatalf("%d,%d differs", x, y)
			}
		}
	}
	if _, err := QR(Link("Tenor", strings.Repeat("x", 5000), "A")); err == nil {
		t.Error("what is too long is drawn")
	}
}

func number(text string) (n int) {
	for _, r := range text {
		n = n*10 + int(r-'0')
	}
	return n
}

// A password matches its hash in whichever form a keyboard composes it; nothing matches no hash.
func TestPasswords(t *testing.T) {
	h, ctx := NewHasher(2), context.Background()
	hash, err := h.Hash(ctx, "caf\u00e9 mit vier Stühlen")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=3,p=1$") {
		t.Fatalf("%s, %v", hash, err)
	}
	for typed, want := range map[string]bool{"caf\u00e9 mit vier Stühlen": true, "cafe\u0301 mit vier Stühlen": true, "café mit vier stühlen": false, "": false, strings.Repeat("x", 5000): false} {
		if got, err := h.Matches(ctx, typed, hash); err != nil || got != want {
			t.Errorf("%.30q: %v, %v", typed, got, err)
		}
	}
	if got, err := h.Matches(ctx, "", ""); err != nil || got {
		t.Errorf("no hash: %v, %v", got, err)
	}
	for _, text := range []string{"not a hash", "$argon2i$v=19$m=19456,t=3,p=1$c2FsdHNhbHQ$" + strings.Repeat("A", 43), "$argon2id$v=19$m=9999999,t=3,p=1$c2FsdHNhbHQ$" + strings.Repeat("A", 43), "$argon2id$v=19$m=19456,t=3,p=1$$", "$argon2id$v=16$m=19456,t=3,p=1$c2FsdHNhbHQ$" + strings.Repeat("A", 43)} {
		if _, err := h.Matches(ctx, "x", text); err == nil {
			t.Errorf("%s is compared", text)
		}
	}
	// Made by the reference implementation's command: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32.
	known := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if got, err := h.Matches(ctx, "password", known); err != nil || !got {
		t.Errorf("the reference's hash: %v, %v", got, err)
	}
	again, err := h.Hash(ctx, "caf\u00e9 mit vier Stühlen")
	if err != nil || again == hash {
		t.Errorf("the salt is the same: %v", err)
	}
}

// Only so many hashes are computed at once; whoever waits can give up.
func TestHashesAreBounded(t *testing.T) {
	h := NewHasher(2)
	h.places <- struct{}{}
	h.places <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a third one: %v", err)
	}
	<-h.places
	if _, err := h.Hash(context.Background(), "x"); err != nil || len(h.places) != 1 {
		t.Errorf("after one has ended: %v, %d places taken", err, len(h.places))
	}
}

func TestWeakPasswordsAreRefused(t *testing.T) {
	for password, want := range map[string]Flaw{
		"short":                             TooShort,
		"elf zeichen":                       TooShort,
		strings.Repeat("langer satz ", 20):  TooLong,
		"passwordpassword":                  Common,
		"Password1234!":                     Common,
		"P@ssw0rd12345":                     Common,
		"welcome2tenor2026":                 Common,
		"correct horse battery staple":      Common,
		"qwertyuiop123":                     Common,
		"aaaaaaaaaaaaaa":                    Common,
		"abcabcabcabcabc":                   Common,
		"12345678901234":                    Common,
		"abcdefghijklmn":                    Common,
		"9876543210987":                     Common,
		"31415926535897":                    Common,
		"novak12345678":                     Personal,
		"finn.ives2026":                     Personal,
		"umbrella-kiosk-dentist":            "",
		"Vier Möwen über Kiel":              "",
		"novak keeps three umbrellas there": "",
		"xK7#mQ9$vL2@":                      "",
	} {
		if got := Refuse(password, "Novak", "finn.ives"); got != want {
			t.Errorf("%q: %q, want %q", password, got, want)
		}
	}
}

// Recovery codes are different, spell nothing, and are recognized however they are typed.
func TestRecoveryCodes(t *testing.T) {
	codes := RecoveryCodes(10)
	shape := regexp.MustCompile(`^[2-9b-df-hj-np-tv-xz]{5}(-[2-9b-df-hj-np-tv-xz]{5}){2}$`)
	for _, c := range codes {
		if !shape.MatchString(c) {
			t.Errorf("%q", c)
		}
		if FoldRecovery(" "+strings.ToUpper(strings.ReplaceAll(c, "-", " "))+"\t") != FoldRecovery(c) || strings.ContainsAny(FoldRecovery(c), "- ") {
			t.Errorf("%q is folded to %q", c, FoldRecovery(c))
		}
	}
	slices.Sort(codes)
	if len(codes) != 10 || len(slices.Compact(codes)) != 10 {
		t.Errorf("%q", codes)
	}
}

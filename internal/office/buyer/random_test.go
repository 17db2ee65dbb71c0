package buyer

import (
	"math"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Random texts have no vowel, no similar-looking or repeated characters in the alphabet,
// and as many bits as the checkout promises: 128 for a token in a URL, 256 for a session.
func TestTokensHaveTheirBits(t *testing.T) {
	for i, sign := range alphabet {
		if strings.ContainsRune("aeiouAEIOU01l", sign) || strings.ContainsRune(alphabet[i+1:], sign) {
			t.Errorf("the alphabet has %q", sign)
		}
	}
	for what, x := range map[string]struct{ length, bits int }{"token": {tokenLength, 128}, "session": {sessionLength, 256}} { // unordered: each by itself
		if got := float64(x.length) * math.Log2(float64(len(alphabet))); got < float64(x.bits) {
			t.Errorf("a %s has %.1f bits, not %d", what, got, x.bits)
		}
	}
}

// Each character occurs at each position equally often, within six standard deviations, and
// no text is generated twice: this detects a stuck or biased source.
func TestRandomDoesNotLean(t *testing.T) {
	const draws, length = 20_000, 8
	var seen [length][256]int
	all := map[string]bool{}
	for range draws {
		text := Random(length)
		all[text] = true
		for place := range length {
			seen[place][text[place]]++
		}
	}
	share := 1 / float64(len(alphabet))
	mean, spread := draws*share, math.Sqrt(draws*share*(1-share))
	for place := range length {
		total := 0
		for _, sign := range []byte(alphabet) {
			n := seen[place][sign]
			if total += n; math.Abs(float64(n)-mean) > 6*spread {
				t.Errorf("place %d: %q comes %d times, %.0f are its share", place, sign, n, mean)
			}
		}
		if total != draws {
			t.Errorf("place %d: %d of %d are of the alphabet", place, total, draws)
		}
	}
	if len(all) < draws-2 { // of 27^8, a duplicate is expected once in a thousand runs
		t.Errorf("%d draws, %d different ones", draws, len(all))
	}
}

// A session has a token of its own, which is neither in the store nor in the checkout's
// URL. When the email address is proved the token changes, and the old one is useless.
func TestTheTokenOfASessionTurns(t *testing.T) {
	r := newRig(t)
	c, address := r.begin(500_00)
	s := r.NewSession(c.ID)
	if err := r.SendCode(r.ctx, s, "ana@harbor.example", "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	before, form := s.Token, s.Form
	if _, err := r.Prove(r.ctx, s, "000000", ""); err != nil {
		t.Fatal(err)
	}
	if len(before) != sessionLength || len(s.Token) != sessionLength || before == s.Token || len(form) != tokenLength || len(address) != tokenLength {
		t.Errorf("%d signs, then %d, a form of %d, an address of %d", len(before), len(s.Token), len(form), len(address))
	}
	for token, opens := range map[string]bool{before: false, s.Token: true, address: false, strings.ToUpper(s.Token): false, s.Token[1:]: false} { // unordered: each by itself
		if x, err := r.Session(r.ctx, token); err != nil || (x != nil) != opens {
			t.Errorf("%d signs open %v: %v", len(token), x, err)
		}
	}
	r.view(func(v store.View) error {
		x, err := Load[*credit.Checkout](v, c.ID)
		if err == nil && (x.Token == address || x.Token != Digest(address)) {
			t.Error("the token of the address stands in the store as it is")
		}
		return err
	})
}

// Codes have six digits, each of the ten equally often at each position, including the
// first.
func TestCodesDoNotLean(t *testing.T) {
	const draws, share = 20_000, 0.1
	var seen [6]['9' + 1]int
	for range draws {
		code, err := drawCode()
		if err != nil || len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Fatalf("a code is %q: %v", code, err)
		}
		for place := range 6 {
			seen[place][code[place]]++
		}
	}
	for place := range 6 {
		for digit := '0'; digit <= '9'; digit++ {
			if n := float64(seen[place][digit]); math.Abs(n-draws*share) > 6*math.Sqrt(draws*share*(1-share)) {
				t.Errorf("place %d: %c comes %.0f times of %d", place, digit, n, draws)
			}
		}
	}
}

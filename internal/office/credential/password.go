// Package credential has what people prove themselves with: passwords, one-time codes and
// recovery codes. It knows nobody, and keeps nothing.
//
// password.go hashes passwords and refuses weak ones, code.go has one-time codes and the picture
// that an authenticator app scans, recovery.go recovery codes.
package credential

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// What one hash costs. OWASP's password storage cheat sheet wants at least 19 MiB with two passes;
// three make up for a server that is faster than a phone.
const (
	memory   = 19 * 1024 // KiB
	passes   = 3
	saltSize = 16
	keySize  = 32
)

// encoding is that of the usual text form of a hash, whose parts are parted by $.
const encoding = "$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s"

// derive hashes a password with a salt.
func derive(password string, salt []byte, memory, passes uint32) []byte {
	return argon2.IDKey([]byte(plain(password)), salt, passes, memory, 1, keySize)
}

// create hashes a password with a new salt.
func create(password string) string {
	var salt [saltSize]byte
	_, _ = rand.Read(salt[:]) // never fails
	return fmt.Sprintf(encoding, argon2.Version, memory, passes, base64.RawStdEncoding.EncodeToString(salt[:]), base64.RawStdEncoding.EncodeToString(derive(password, salt[:], memory, passes)))
}

// errHash means that a text is not the hash of a password, or costs more than any of ours.
var errHash = errors.New("not a hash of argon2id")

// compare reports whether a password has a hash, also one of other costs.
func compare(password, hash string) (bool, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errHash
	}
	var version, m, t uint32
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=1", &version, &m, &t); err != nil || version != argon2.Version || m == 0 || t == 0 || m > 8*memory || t > 8*passes {
		return false, errHash
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil || len(salt) < 8 {
		return false, errHash
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != keySize {
		return false, errHash
	}
	return subtle.ConstantTimeCompare(derive(password, salt, m, t), want) == 1, nil
}

// Hasher hashes passwords with argon2id, a bounded number at once: each takes 19 MiB, and anybody
// may cause one.
type Hasher struct{ places chan struct{} }

// NewHasher returns a hasher that computes so many hashes at once.
func NewHasher(parallel int) *Hasher { return &Hasher{make(chan struct{}, max(parallel, 1))} }

// within waits for a place, and computes.
func (h *Hasher) within(ctx context.Context, compute func() error) error {
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
		return compute()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Hash returns the hash of a password, as text with its parameters and salt.
func (h *Hasher) Hash(ctx context.Context, password string) (hash string, err error) {
	err = h.within(ctx, func() error { hash = create(password); return nil })
	if err != nil {
		return "", fmt.Errorf("credential: hash: %w", err)
	}
	return hash, nil
}

// Matches reports whether a password has a hash. With no hash it is false, and takes as long: so
// that nobody learns from the time who has a password.
func (h *Hasher) Matches(ctx context.Context, password, hash string) (right bool, err error) {
	err = h.within(ctx, func() (err error) {
		if hash == "" || len(password) > 4*maxLength {
			create("")
			return nil
		}
		right, err = compare(password, hash)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("credential: compare: %w", err)
	}
	return right, nil
}

// plain is a password in one form, however a keyboard has composed it.
func plain(password string) string { return norm.NFKC.String(password) }

// Flaw is what is wrong with a new password.
type Flaw string

// The flaws of passwords. There is no rule of composition: length is what counts.
const (
	TooShort Flaw = "short"
	TooLong  Flaw = "long"
	Common   Flaw = "common"   // on the list, or made of a pattern
	Personal Flaw = "personal" // it contains the person's name or e-mail
)

const (
	minLength = 12
	maxLength = 200
)

//go:embed common.txt
var commonText string

// Refuse returns what is wrong with a new password of somebody with these names, "" if nothing.
func Refuse(password string, names ...string) Flaw {
	text := plain(password)
	switch n := utf8.RuneCountInString(text); {
	case n < minLength:
		return TooShort
	case n > maxLength:
		return TooLong
	}
	folded := strings.ToLower(text)
	for _, name := range names {
		if name = strings.ToLower(plain(name)); utf8.RuneCountInString(name) >= 4 && strings.Contains(folded, name) && utf8.RuneCountInString(folded)-utf8.RuneCountInString(name) < minLength {
			return Personal
		}
	}
	if patterned(folded) || common(folded) {
		return Common
	}
	return ""
}

// common reports whether what is left of a password without digits and marks, or with the letters
// that they stand for, is made of words of the list alone.
func common(folded string) bool {
	core := strings.TrimFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) })
	bare := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, core)
	return core == "" || worded(bare) || worded(strings.Map(spelled, core))
}

// spelled is the letter that a sign stands for.
func spelled(r rune) rune {
	switch r {
	case '@', '4':
		return 'a'
	case '0':
		return 'o'
	case '1', '!':
		return 'i'
	case '3':
		return 'e'
	case '$', '5':
		return 's'
	}
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

// worded reports whether a text is a chain of words of the list. A long chain is a passphrase,
// unless it is the one that everybody knows.
func worded(text string) bool {
	reached := make([]bool, len(text)+1)
	reached[0] = true
	for at := range text {
		for _, w := range strings.Fields(commonText) {
			if reached[at] && strings.HasPrefix(text[at:], w) {
				reached[at+len(w)] = true
			}
		}
	}
	return reached[len(text)] && len(text) < 2*minLength || strings.Contains(text, "correcthorsebattery")
}

// patterned reports whether a password repeats a short text, or goes along the alphabet, the
// digits or a row of the keyboard.
func patterned(folded string) bool {
	r := []rune(folded)
	for period := 1; period <= 4; period++ {
		if !slices.ContainsFunc(indexes(len(r)-period), func(i int) bool { return r[i] != r[i+period] }) {
			return true
		}
	}
	steps := 0
	for i := range len(r) - 1 {
		if d := r[i+1] - r[i]; d == 1 || d == -1 || beside(r[i], r[i+1]) {
			steps++
		}
	}
	return steps >= len(r)-3
}

func indexes(n int) []int {
	out := make([]int, max(n, 0))
	for i := range out {
		out[i] = i
	}
	return out
}

// beside reports whether two keys are next to each other on a row of the keyboard.
func beside(a, b rune) bool {
	for _, row := range []string{"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		i, j := strings.IndexRune(row, a), strings.IndexRune(row, b)
		if i >= 0 && j >= 0 && (i-j == 1 || j-i == 1) {
			return true
		}
	}
	return false
}

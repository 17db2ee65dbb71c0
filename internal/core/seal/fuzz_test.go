package seal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// keyFileProperty returns what is wrong with the ring that a reader makes from a key file:
// what one line's key seals must open, and a plain rewrite of the file's keys must make the
// same ring.
func keyFileProperty(read func([]byte) (Ring, error), text []byte) string {
	ring, err := read(text)
	if err != nil {
		return ""
	}
	lines := 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		lines++
		one, err := read(line)
		if err != nil {
			return fmt.Sprintf("a line of a file that is taken is refused alone: %v", err)
		}
		if got, err := ring.Open(one.Seal([]byte("x"), "about"), "about"); err != nil || string(got) != "x" {
			return fmt.Sprintf("the ring lacks the key of line %d: %v", lines, err)
		}
		if _, encoded, _ := strings.Cut(string(line), ":"); len(decoded(encoded)) != keySize {
			return fmt.Sprintf("line %d is taken with a key of %d bytes", lines, len(decoded(encoded)))
		}
	}
	if n := len(ring.openers()); n != lines {
		return fmt.Sprintf("%d lines make %d keys", lines, n)
	}
	return ""
}

// decoded is a key's text as bytes, nil if it is not base64.
func decoded(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	return b
}

func FuzzParseKeyFile(f *testing.F) {
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, keySize))
	other := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, keySize))
	for _, s := range []string{"a:" + key, "# new\nb:" + other + "\n\na:" + key + "\r\n", "a:" + key + "\na:" + other, "a:" + key[:20], ":" + key, "a", "", "a : " + key, "A:" + key} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if complaint := keyFileProperty(ParseKeyFile, text); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// sealedOnce is "plain", sealed about "about".
const sealedOnce = "096435336532366636308218b142685a6579dd8642122bc6bf678fe64b8aed9e7a8b96d27d4a29d9299d66"

// FuzzOpen: nothing opens except what was sealed, about what it was sealed about.
func FuzzOpen(f *testing.F) {
	ring, err := New(Derive([]byte("key of a fuzz test"), "fuzz"))
	if err != nil {
		f.Fatal(err)
	}
	good, err := hex.DecodeString(sealedOnce) // sealing generates a nonce, but every process of a fuzz run needs the same
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, "about")
	f.Add(good, "another")
	f.Add(good[:len(good)-1], "about")
	f.Add([]byte{255, 1, 2}, "")
	if got, err := ring.Open(good, "about"); err != nil || string(got) != "plain" {
		f.Fatal(err) // otherwise nothing would open
	}
	f.Fuzz(func(t *testing.T, sealed []byte, about string) {
		got, err := ring.Open(sealed, about)
		if err == nil && (!bytes.Equal(sealed, good) || about != "about" || string(got) != "plain") {
			t.Fatalf("%x about %q opens as %q", sealed, about, got)
		}
	})
}

// A reader that skips unreadable lines would be detected.
func TestFuzzCanFail(t *testing.T) {
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, keySize))
	lax := func(text []byte) (Ring, error) {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		return ParseKeyFile(first)
	}
	if keyFileProperty(lax, []byte("a:"+key+"\nb:"+key)) == "" {
		t.Error("not seen: a line that is passed over")
	}
}

package seal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"testing"
)

// Each line of a key file has its own signing key, the same one each time the file is read,
// and its seed is not the sealing key.
func TestSigners(t *testing.T) {
	one, two := bytes.Repeat([]byte{7}, keySize), bytes.Repeat([]byte{9}, keySize)
	text := "new:" + base64.StdEncoding.EncodeToString(two) + "\nold:" + base64.StdEncoding.EncodeToString(one) + "\n"
	ring, err := ParseKeyFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	list := ring.Signers()
	if len(list) != 2 || list[0].ID() != "new" || list[1].ID() != "old" {
		t.Fatalf("signers %d", len(list))
	}
	again, _ := ParseKeyFile([]byte(text))
	for i, s := range list {
		public, signature := s.PublicKey(), s.Sign([]byte("text"))
		if public != again.Signers()[i].PublicKey() {
			t.Error("another reading gives another key")
		}
		if !ed25519.Verify(public[:], []byte("text"), signature[:]) || ed25519.Verify(public[:], []byte("texu"), signature[:]) {
			t.Error("the signature does not verify, or one of another text does")
		}
		plain := ed25519.NewKeyFromSeed([][]byte{two, one}[i]).Public().(ed25519.PublicKey)
		if bytes.Equal(plain, public[:]) {
			t.Error("the sealing key itself is the seed")
		}
		if got := fmt.Sprintf("%v %+v %#v", s, s, s); got != "[redacted] [redacted] [redacted]" {
			t.Errorf("printed as %s", got)
		}
	}
	if list[0].PublicKey() == list[1].PublicKey() {
		t.Error("two lines sign with one key")
	}
	if new(Ring).Signers() != nil {
		t.Error("a ring without keys signs")
	}
}

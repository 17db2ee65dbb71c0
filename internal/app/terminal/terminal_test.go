package terminal

import (
	"bytes"
	"testing"
)

// Output is changed only where necessary.
func TestShown(t *testing.T) {
	for _, x := range []struct{ text, want, json string }{
		{"plain\ttext\n", "plain\ttext\n", "plain\ttext\n"},
		{"Müller & Söhne – 東京 😀 e\u0301", "Müller & Söhne – 東京 😀 e\u0301", "Müller & Söhne – 東京 😀 e\u0301"},
		{Bold + "HEAD" + PlainAgain + "\n", Bold + "HEAD" + PlainAgain + "\n", `\u001b[1mHEAD\u001b[0m` + "\n"},
		{"\x1b[1;32mgreen", "?[1;32mgreen", `\u001b[1;32mgreen`},
		{"a\r\nb\rc", "a?\nb?c", "a \nb c"},
		{"\u009b31m\x7f\x00", "?31m??", `\u009b31m\u007f\u0000`},
		{"\u202e\u2028\ufeff\U000e0041", "????", `\u202e\u2028\ufeff\udb40\udc41`},
		{"\xff", "\ufffd", "\ufffd"},
	} {
		var out bytes.Buffer
		n, err := Shown{&out}.Write([]byte(x.text))
		if n != len(x.text) || err != nil || out.String() != x.want {
			t.Errorf("%q: %q after %d bytes, %v, want %q", x.text, out.String(), n, err, x.want)
		}
		if got := string(escaped([]byte(x.text))); got != x.json {
			t.Errorf("%q as JSON: %q, want %q", x.text, got, x.json)
		}
	}
}

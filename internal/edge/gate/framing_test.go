package gate

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// read is what net/http reads from bytes that came through a gate in pieces of a size: the
// complete requests, and whether it refused what followed.
func read(text string, piece int) (bodies []string, refused bool, counted int64) {
	var f framing
	var all bytes.Buffer
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		f.pass(rest[:n])
		all.Write(rest[:n])
		rest = rest[n:]
	}
	in := bufio.NewReader(&all)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return bodies, err != io.EOF, f.requests
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return bodies, true, f.requests
		}
		bodies = append(bodies, r.Method+" "+string(body))
	}
}

// However a connection's bytes are split, only requests with one beginning and one end
// pass. Other field names, line ends of one character, and bodies that look like headers
// change nothing.
func TestFraming(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	post := func(fields, body string) string { return "POST / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body }
	chunked := func(text string) string { return post("Transfer-Encoding: chunked\r\n", text) }
	fake := "a\r\nContent-Length: 7\r\n b\r\n\r\n"
	for _, x := range []struct {
		name, text string
		bodies     string // of the requests, each after its method
		refused    bool
	}{
		{"one after the other", get + post("Content-Length: 5\r\n", "hello") + get, "GET |POST hello|GET ", false},
		{"no body", post("Content-Length: 0\r\n", "") + get, "POST |GET ", false},
		{"a body like a head", post(fmt.Sprintf("Content-Length: %d\r\n", len(fake)), fake) + get, "POST " + fake + "|GET ", false},
		{"blanks around a length", post("content-LENGTH:\t 5 \t\r\n", "hello") + get, "POST hello|GET ", false},
		{"lines that end in LF", strings.ReplaceAll(post("Content-Length: 5\r\n", ""), "\r\n", "\n") + "hello" + get, "POST hello|GET ", false},
		{"a name that begins alike", post("Content-Length-X: 5\r\nX-Content-Length: 6\r\n", "") + get, "POST |GET ", false},
		{"HTTP/1.0", "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", "POST hello", false},
		{"chunks", chunked("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"), "POST hello", false},
		{"a size in capitals", chunked("00A\r\n0123456789\r\n0\r\n\r\n"), "POST 0123456789", false},
		{"a trailer", chunked("5\r\nhello\r\n0\r\nX-A: b\r\n\r\n"), "POST hello", false},
		{"a request behind chunks", chunked("5\r\nhello\r\n0\r\n\r\n") + get, "POST hello", true},
		{"two equal lengths", get + post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello") + get, "GET ", true},
		{"length and coding", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "", true},
		{"a folded line", post("X-A: b\r\n c\r\n", "") + get, "", true},
		{"a folded line at first", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", "", true},
		{"an extension", chunked("5;a=b\r\nhello\r\n0\r\n\r\n") + get, "", true},
		{"an extension of the last chunk", chunked("5\r\nhello\r\n0;a\r\n\r\n") + get, "", true},
		{"a bare LF behind a size", chunked("5\nhello\r\n0\r\n\r\n"), "", true},
		{"a bare LF behind a chunk", chunked("5\r\nhello\n0\r\n\r\n"), "", true},
		{"a chunk that is longer", chunked("4\r\nhello\r\n0\r\n\r\n"), "", true},
		{"no size", chunked("\r\nhello\r\n0\r\n\r\n"), "", true},
		{"an endless size", chunked(strings.Repeat("0", 40) + "5\r\nhello\r\n0\r\n\r\n"), "", true},
		{"a coding of HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", true},
		{"another coding", post("Transfer-Encoding: gzip\r\n", "") + get, "", true},
		{"two codings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "", true},
		{"a length in two parts", post("Content-Length: 1 0\r\n", "hello") + get, "", true},
		{"a long length", post("Content-Length: 0000000000000000005\r\n", "hello") + get, "", true},
	} {
		for _, piece := range []int{1, 2, 7, len(x.text)} {
			bodies, refused, counted := read(x.text, piece)
			if got := strings.Join(bodies, "|"); got != x.bodies || refused != x.refused || counted < int64(len(bodies)) {
				t.Errorf("%s, pieces of %d: %q, refused %t, counted %d, want %q, %t", x.name, piece, got, refused, counted, x.bodies, x.refused)
			}
		}
	}
}

// FuzzFraming sends bytes through a gate at once and one by one: the same passes, and no
// uncounted request is accepted.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("POST / HTTP/1.1\r\nX-A: b\r\n c\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, _, counted := read(string(text), max(1, len(text)))
		single, _, _ := read(string(text), 1)
		if strings.Join(whole, "|") != strings.Join(single, "|") || int64(len(whole)) > counted {
			t.Errorf("%q at once, %q in pieces, %d counted", whole, single, counted)
		}
	})
}

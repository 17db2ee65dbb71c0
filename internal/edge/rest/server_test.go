package rest

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// listen serves the fixture on loopback with NewServer.
func listen(t *testing.T, f *fixture) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer("", f.api, slog.New(slog.NewTextHandler(io.Discard, nil)))
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr()
}

// TestSmuggling sends requests that two readers could interpret differently (A56), each
// followed by a second request, which must never be reached.
func TestSmuggling(t *testing.T) {
	head := "POST /widget HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\nContent-Type: application/json\r\n"
	second := "DELETE /v1/widget/wid_1 HTTP/1.1\r\nHost: x\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(goodBody))
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(goodBody), goodBody)
	chunked := func(s string) string { return head + "Transfer-Encoding: chunked\r\n\r\n" + s }
	// A trailer does not change where a request ends. What follows is still not trusted.
	served := []string{"CL in a trailer"}
	// Requests that net/http answers itself.
	unknown := []string{"TE, identity", "odd TE"}
	for name, request := range map[string]string{
		"CL and TE":          head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
		"TE and CL":          head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunk,
		"TE behind a tab":    head + "Transfer-Encoding:\tchunked\r\n" + length + "\r\n" + chunk,
		"TE folded":          head + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunk,
		"TE behind a VT":     head + "Transfer-Encoding: \vchunked\r\n" + length + "\r\n" + chunk,
		"TE quoted":          head + "Transfer-Encoding: \"chunked\"\r\n" + length + "\r\n" + chunk,
		"TE, identity":       head + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunk,
		"TE of HTTP/1.0":     strings.Replace(chunked(chunk), "1.1", "1.0", 1),
		"TE, space":          head + "Transfer-Encoding : chunked\r\n" + length + "\r\n" + chunk,
		"chunk extension":    chunked(strings.Replace(chunk, "\r\n", ";a=\"b\"\r\n", 1)),
		"extension with LF":  chunked(strings.Replace(chunk, "\r\n", ";\nx\r\n", 1)),
		"chunk with sign":    chunked("+" + chunk),
		"chunk with 0x":      chunked("0x" + chunk),
		"chunk overflows":    chunked("1000000000000000" + chunk),
		"CL in a trailer":    chunked(strings.TrimSuffix(chunk, "\r\n") + "Content-Length: 4\r\n\r\n"),
		"CL below zero":      head + fmt.Sprintf("Content-Length: -%d\r\n\r\n%s", len(goodBody), goodBody),
		"bare CR":            head + "X-A: b\rContent-Length: 4\r\n" + length + "\r\n" + goodBody,
		"NUL":                head + "X-A: b\x00\r\n" + length + "\r\n" + goodBody,
		"two hosts":          head + "Host: y\r\n" + length + "\r\n" + goodBody,
		"two equal CL":       head + length + length + "\r\n" + goodBody,
		"equal CL list":      head + fmt.Sprintf("Content-Length: %[1]d, %[1]d\r\n\r\n%[2]s", len(goodBody), goodBody),
		"a folded line":      head + "X-A: b\r\n c\r\n" + length + "\r\n" + goodBody,
		"folded by a tab":    head + length + "X-A: b\r\n\tc\r\n\r\n" + goodBody,
		"folded trailer":     chunked(strings.TrimSuffix(chunk, "\r\n") + "X-A: b\r\n c\r\n\r\n"),
		"bare extension":     chunked(strings.Replace(chunk, "\r\n", ";\r\n", 1)),
		"last extension":     chunked(strings.Replace(chunk, "\r\n0\r\n", "\r\n0;a\r\n", 1)),
		"blank behind size":  chunked(strings.Replace(chunk, "\r\n", " \r\n", 1)),
		"two equal TE":       head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
		"CL without digits":  head + "Content-Length:\r\n\r\n" + goodBody,
		"two CL":             head + fmt.Sprintf("Content-Length: %d\r\nContent-Length: 4\r\n\r\n%s", len(goodBody), goodBody),
		"CL list":            head + fmt.Sprintf("Content-Length: %d, 4\r\n\r\n%s", len(goodBody), goodBody),
		"odd TE":             head + "Transfer-Encoding: xchunked\r\n\r\n" + chunk,
		"TE twice":           head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunk,
		"bare LF in chunk":   head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Replace(chunk, "\r\n", "\n", 1),
		"space before colon": head + fmt.Sprintf("Content-Length : %d\r\n\r\n%s", len(goodBody), goodBody),
		"CL with sign":       head + fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", len(goodBody), goodBody),
	} {
		f := newFixture(t)
		conn, err := net.Dial("tcp", listen(t, f).String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(60 * time.Second)) // only ends a hang
		io.WriteString(conn, request+second)
		in := bufio.NewReader(conn)
		var statuses []int
		for {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				break
			}
			io.Copy(io.Discard, res.Body)
			statuses = append(statuses, res.StatusCode)
		}
		conn.Close()
		want := 400
		switch {
		case slices.Contains(served, name):
			want = 201
		case slices.Contains(unknown, name):
			want = 501
		}
		if len(statuses) != 1 || statuses[0] != want || (f.calls == 1) != (want == 201) {
			t.Errorf("%s: %v, %d calls, want %d", name, statuses, f.calls, want)
		}
	}
}

// TestProtocolLimits sends what would hold memory or a place for long (A57, A58): it is
// refused before it is read.
func TestProtocolLimits(t *testing.T) {
	head := "POST /widget HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\nContent-Type: application/json\r\n"
	many := strings.Repeat("X-A: b\r\n", 10_000)
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"10 GB announced", head + "Content-Length: 10000000000\r\n\r\n{", 413},
		{"endless chunks", head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat(" ", 0x10000)+"\r\n", 17), 413},
		{"10,000 headers", head + many + "\r\n", 431},
		{"a header of 1 MB", head + "X-A: " + strings.Repeat("b", 1<<20) + "\r\n\r\n", 431},
		{"a path of 1 MB", "GET /" + strings.Repeat("p", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
		{"a form of 1 MB without a token", "POST /widget HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n", 401},
		{"Expect then silence", head + "Expect: 100-continue\r\nContent-Length: 20000000\r\n\r\n", 413},
	} {
		f := newFixture(t)
		conn, err := net.Dial("tcp", listen(t, f).String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(60 * time.Second))
		go io.WriteString(conn, tt.request) // the answer may come before everything is sent
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if res.StatusCode != tt.status || f.calls != 0 {
			t.Errorf("%s: %d, %d calls, want %d and none", tt.name, res.StatusCode, f.calls, tt.status)
		}
		conn.Close()
	}
	s := NewServer("", nil, slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 15*time.Second || s.WriteTimeout != 30*time.Second || s.IdleTimeout != 60*time.Second || s.HTTP2.MaxConcurrentStreams != 100 {
		t.Errorf("limits %+v", s)
	}
}

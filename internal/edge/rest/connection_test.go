package rest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// spoken sends bytes to an address, in pieces of a size (0: at once), and returns the
// answers until the server closes the connection or has sent the wanted number.
func spoken(t *testing.T, address, text string, piece, want int) (answers []spokenAnswer, ended bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Minute)) // only ends a hang
	go func() {                                       // the server may answer, and close, before everything is sent
		for rest := text; rest != ""; {
			n := len(rest)
			if piece > 0 {
				n = min(piece, n)
			}
			if _, err := io.WriteString(conn, rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	in := bufio.NewReader(conn)
	for len(answers) < want {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return answers, true
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, spokenAnswer{res.StatusCode, res.Header, res.Close, string(body)})
	}
	_, err = in.ReadByte()
	return answers, err == io.EOF
}

type spokenAnswer struct {
	status int
	header http.Header
	last   bool // Connection: close
	body   string
}

// TestPipelining sends requests of two merchants over one connection without waiting, as
// HTTP/1.1 allows and a proxy may do. Each is answered in order, with its own answer.
func TestPipelining(t *testing.T) {
	c := newCrowded(t, unhurried)
	type turn struct {
		request string
		status  int
		says    string
	}
	create := func(who, body, more string) string {
		return fmt.Sprintf("POST /widget HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n", who, more, len(body))
	}
	turns := []turn{
		{"GET /v1/widget/wid_a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\n", 200, `"memo":"mch_1"`},
		{"GET /v1/widget/wid_b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other\r\n", 200, `"memo":"mch_2"`},
		{"GET /v1/widget/wid_c HTTP/1.1\r\nHost: x\r\n", 401, `"code":"unauthorized"`},
		{create("merchant", goodBody, ""), 201, `"amount":1200.00`},
		{create("merchant", `{"amount":`, ""), 400, `"code":"malformed_request"`},
		{create("other", goodBody, ""), 403, `"code":"insufficient_scope"`},
		{"HEAD /v1/widget/wid_d HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nobody\r\n", 401, ""},
		{create("merchant", goodBody, "Content-Encoding: gzip\r\n"), 415, `"code":"unsupported_media_type"`},
		{"DELETE /v1/widget/wid_e HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other\r\n", 405, `"code":"method_not_allowed"`},
		{"GET /v1/widget//wid_f HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer merchant\r\n", 404, `"code":"not_found"`},
	}
	bodies := map[int]string{3: goodBody, 4: `{"amount":`, 5: goodBody, 7: goodBody}
	var all strings.Builder
	const rounds = 5
	for n := range rounds * len(turns) {
		i := n % len(turns)
		if i == 6 { // an answer to HEAD has no body, which the reader below does not know
			continue
		}
		last := ""
		if n == rounds*len(turns)-1 {
			last = "Connection: close\r\n"
		}
		fmt.Fprintf(&all, "%s%sX-Request-Id: turn-%d\r\n\r\n%s", turns[i].request, last, n, bodies[i])
	}
	for _, piece := range []int{0, 7} {
		answers, ended := spoken(t, c.address, all.String(), piece, rounds*(len(turns)-1))
		if !ended {
			t.Errorf("pieces of %d: the connection stays though it was to be closed", piece)
		}
		n := 0
		for k := range rounds * len(turns) {
			x := turns[k%len(turns)]
			if k%len(turns) == 6 {
				continue
			}
			if n == len(answers) {
				t.Fatalf("pieces of %d: only %d answers", piece, n)
			}
			a := answers[n]
			if n++; a.status != x.status || a.header.Get("X-Request-Id") != fmt.Sprintf("turn-%d", k) || !strings.Contains(a.body, x.says) {
				t.Errorf("pieces of %d, turn %d: %d %s %s, want %d with %s", piece, k, a.status, a.header.Get("X-Request-Id"), a.body, x.status, x.says)
			}
		}
	}
	// After a chunked body nothing is trusted, however honest it is.
	chunked := strings.Replace(turns[3].request, fmt.Sprintf("Content-Length: %d", len(goodBody)), "Transfer-Encoding: chunked", 1)
	answers, ended := spoken(t, c.address, turns[0].request+"\r\n"+chunked+fmt.Sprintf("\r\n%x\r\n%s\r\n0\r\n\r\n", len(goodBody), goodBody)+turns[1].request+"\r\n", 0, 3)
	if len(answers) != 2 || !ended || answers[1].status != 201 || !answers[1].last {
		t.Errorf("behind chunks: %d answers, ended %t, %+v", len(answers), ended, answers)
	}
}

// TestStrangeRequests sends what net/http reads and no operation accepts (A59): methods,
// forms of the target, protocols. Each gets a problem document.
func TestStrangeRequests(t *testing.T) {
	c := newCrowded(t, unhurried)
	for _, x := range []struct {
		line   string
		status int
	}{
		{"TRACE /v1/widget/wid_1 HTTP/1.1", 405}, {"CONNECT /v1/widget/wid_1 HTTP/1.1", 405}, {"CONNECT evil.example:443 HTTP/1.1", 404}, {"s3cr3t /v1/widget/wid_1 HTTP/1.1", 405},
		{"OPTIONS * HTTP/1.1", 404}, {"OPTIONS /v1/widget/wid_1 HTTP/1.1", 405}, {"PUT /widget HTTP/1.1", 405}, {"PRI * HTTP/1.1", 404}, {"get /v1/widget/wid_1 HTTP/1.1", 405},
		{"GET /debug/pprof/ HTTP/1.1", 404}, {"GET /metrics HTTP/1.1", 404}, {"GET /.git/config HTTP/1.1", 404}, {"GET http://evil.example/v1/widget/../s3cr3t HTTP/1.1", 404},
	} {
		answers, _ := spoken(t, c.address, x.line+"\r\nHost: x\r\nAuthorization: Bearer merchant\r\nConnection: close\r\n\r\n", 0, 2)
		if len(answers) != 1 {
			t.Errorf("%s: %d answers", x.line, len(answers))
			continue
		}
		a := answers[0]
		var p ProblemBody
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.status != x.status || p.Status != x.status || a.header.Get("Content-Type") != MediaProblem || a.header.Get("Server") != "" {
			t.Errorf("%s: %d %v %s", x.line, a.status, a.header, a.body)
		}
		if strings.Contains(a.body, "s3cr3t") || strings.Contains(a.body, "evil") || a.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s: %v %s", x.line, a.header, a.body)
		}
	}
}

// TestAnswersOfTheLibrary sends what is not an HTTP request at all. No handler is called:
// the library answers in plain text, repeats nothing of the input, and closes.
func TestAnswersOfTheLibrary(t *testing.T) {
	const mark = "s3cr3t<b>\x1b[31m"
	c := newCrowded(t, unhurried)
	for _, x := range []struct {
		name, request string
		status        int
	}{
		{"no request line", mark + "\r\n\r\n", 400},
		{"two words", "GET /" + mark + "\r\n\r\n", 400},
		{"another protocol", "GET / " + mark + "/1.1\r\n\r\n", 400},
		{"HTTP/3", "GET /s3cr3t HTTP/3.0\r\nHost: x\r\n\r\n", 505},
		{"a method with blanks", "GE T /s3cr3t HTTP/1.1\r\n\r\n", 400},
		{"no host", "GET /s3cr3t HTTP/1.1\r\n\r\n", 400},
		{"a bad host", "GET / HTTP/1.1\r\nHost: " + mark + " x\r\n\r\n", 400},
		{"a target that is none", "GET s3cr3t HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		{"a bad escape", "GET /s3cr3t%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		{"a header without colon", "GET / HTTP/1.1\r\nHost: x\r\n" + mark + "\r\n\r\n", 400},
		{"control characters in a header", "GET / HTTP/1.1\r\nHost: x\r\nX-A: " + mark + "\r\n\r\n", 400},
		{"an unknown coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: s3cr3t\r\n\r\n", 501},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03s3cr3t\r\n\r\n", 400},
		{"headers too large", "GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("s3cr3t", 10_000) + "\r\n\r\n", 431},
		{"an expectation that there is not", "POST /widget HTTP/1.1\r\nHost: x\r\nExpect: s3cr3t\r\nContent-Length: 5\r\n\r\nhello", 417},
	} {
		answers, ended := spoken(t, c.address, x.request, 0, 1)
		if len(answers) != 1 || answers[0].status != x.status || !answers[0].last || !ended {
			t.Errorf("%s: %+v, ended %t, want one answer %d", x.name, answers, ended, x.status)
			continue
		}
		if a := answers[0]; strings.Contains(fmt.Sprint(a.header, a.body), "s3cr3t") || strings.ContainsAny(a.body, "<\x1b") || len(a.body) > 200 {
			t.Errorf("%s: %v %q", x.name, a.header, a.body)
		}
	}
}

package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenor/internal/domain/lending"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
	"tenor/internal/proof/suite"
)

// proxied is a shop behind nginx. Its callers share the connection that nginx keeps open to
// the API, so that a request whose end the two see in different places would precede
// somebody else's.
type proxied struct {
	*shop
	front string // nginx that passes path and body on unchanged
	tidy  string // nginx that normalizes the path and blocks the lender's part
	stop  func()
	log   string // the requests that the first nginx saw, one per line: method and target

	mu    sync.Mutex
	came  []string                   // the requests that the API saw
	users map[string]map[string]bool // the tokens seen on each connection to the API
}

const nginxConf = `
daemon off;
worker_processes 1;
error_log %[1]s/error.log notice;
pid %[1]s/nginx.pid;
%[2]s
events { worker_connections 256; }
http {
	log_format seen '$request_method $request_uri';
	access_log %[1]s/seen.log seen;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	proxy_http_version 1.1;
	proxy_ignore_client_abort on;
	proxy_set_header Connection "";
	proxy_set_header X-Forwarded-For $remote_addr;
	upstream api { server %[3]s; keepalive 1; }
	server {
		listen unix:%[1]s/front;
		location / { proxy_pass http://api; proxy_request_buffering off; }
	}
	server {
		listen unix:%[1]s/tidy;
		access_log off;
		location / { proxy_pass http://api/; }
		location ~ ^(/v[12])?/operator(/|$) { return 403; }
	}
}
`

// behindNginx starts a shop with nginx in front of it.
func behindNginx(t *testing.T) *proxied {
	program := nginxProgram(t)
	p := &proxied{shop: open(t), users: map[string]map[string]bool{}}
	api, err := httpapi.New(p.config, httpapi.Table(p.service))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	// The server is the one that the program runs.
	back := rest.NewServer("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.came = append(p.came, r.Method+" "+r.RequestURI)
		if p.users[r.RemoteAddr] == nil {
			p.users[r.RemoteAddr] = map[string]bool{}
		}
		p.users[r.RemoteAddr][r.Header.Get("Authorization")] = true
		p.mu.Unlock()
		api.ServeHTTP(w, r)
	}), slog.New(slog.DiscardHandler))
	go back.Serve(l)
	t.Cleanup(func() { back.Close() })

	dir := t.TempDir() // nginx listens on sockets in it, whose names nobody else takes
	p.front, p.tidy, p.log = filepath.Join(dir, "front"), filepath.Join(dir, "tidy"), filepath.Join(dir, "seen.log")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root root;" // its workers write below the test's directory
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, user, l.Addr()), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start(program, dir, conf)
	return p
}

// nginxProgram finds nginx.
func nginxProgram(t *testing.T) string {
	t.Helper()
	return suite.Program(t, "nginx-light", "nginx", "/usr/sbin/nginx")
}

// start runs nginx until the test ends or stop is called.
func (p *proxied) start(program, dir, conf string) {
	p.t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(program, "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", conf)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	p.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGQUIT) // finish requests in progress
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	p.t.Cleanup(p.stop)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("unix", p.tidy); err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			p.t.Fatalf("nginx does not answer: %s%s", said.Bytes(), text)
		}
	}
}

// raw sends bytes to a socket, half-closes it, and returns the statuses and everything
// received.
func (p *proxied) raw(address, request string) (statuses []int, all string) {
	p.t.Helper()
	conn, err := net.Dial("unix", address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(conn, request)
	_ = conn.(*net.UnixConn).CloseWrite()
	text, err := io.ReadAll(conn)
	if err != nil && len(text) == 0 && !strings.Contains(err.Error(), "reset") {
		p.t.Errorf("no end of the answer: %v", err)
	}
	in := bufio.NewReader(bytes.NewReader(text))
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses, string(text)
		}
		io.Copy(io.Discard, res.Body)
		statuses = append(statuses, res.StatusCode)
	}
}

// TestSmugglingThroughNginx sends requests that a proxy and the API could interpret
// differently (A56), each followed by a second one. Nothing reaches the API that nginx has
// not seen as a request, and nobody receives another's response.
func TestSmugglingThroughNginx(t *testing.T) {
	p := behindNginx(t)
	mine := p.order(`{"company_id":%d,"amount":100}`, p.company)
	p.submit(lending.UpdateCompany{Company: p.company, Link: []string{p.stranger}})
	theirs := p.must(201, "other", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":7,"merchant_order_id":"THEIRS"}`, p.company)).body["key"].(string)
	second := "GET /v1/order/" + theirs + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\n\r\n"
	for _, x := range smuggled("/v1/order/" + mine) {
		// What follows it may also be the start of a request that would swallow the next
		// one, with its token, as its body.
		catch := "PATCH /v1/order/" + mine + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{\"merchant_status\":\""
		for _, behind := range []string{second, catch} {
			statuses, all := p.raw(p.front, x.request+behind)
			if strings.Contains(all, "THEIRS") {
				t.Errorf("%s: the answer is somebody else's: %v %s", x.name, statuses, all)
			}
			if x.refused && (len(statuses) != 1 || statuses[0] < 400) {
				t.Errorf("%s: %v instead of one refusal", x.name, statuses)
			}
			for range 2 {
				if _, all := p.raw(p.front, "GET /v1/order/"+theirs+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other\r\n\r\n"); !strings.Contains(all, " 200 OK") || !strings.Contains(all, "THEIRS") {
					t.Errorf("%s: the next one is answered %s", x.name, all)
				}
			}
		}
	}
	if o := p.must(200, "shop", "GET", "/v1/order/"+mine, ""); o.body["merchant_status"] != nil {
		t.Errorf("somebody's request was kept: %s", o.raw)
	}
	shared := 0
	for _, tokens := range p.users {
		if len(tokens) > 1 {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no connection was shared: nothing could have been smuggled")
	}
	p.agree()
}

type smuggling struct {
	name, request string
	refused       bool // whatever is in between
}

// smuggled returns requests whose end can be seen in two places.
func smuggled(path string) []smuggling {
	const body = `{"amount":101}`
	head := "PATCH " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nContent-Type: application/json\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunked := func(s string) string { return head + "Transfer-Encoding: chunked\r\n\r\n" + s }
	return []smuggling{
		{"an honest one", head + length + "\r\n" + body, false},
		{"an honest one in chunks", chunked(chunk), false},
		{"CL and TE", head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk, true},
		{"TE and CL", head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunk, true},
		{"two CL", head + length + "Content-Length: 4\r\n\r\n" + body, true},
		{"two CL, the first one short", head + "Content-Length: 4\r\n" + length + "\r\n" + body, true},
		{"CL list", head + fmt.Sprintf("Content-Length: %d, 4\r\n\r\n%s", len(body), body), true},
		{"CL with sign", head + fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", len(body), body), true},
		{"CL in hex", head + fmt.Sprintf("Content-Length: 0x%x\r\n\r\n%s", len(body), body), true},
		{"CL below zero", head + fmt.Sprintf("Content-Length: -%d\r\n\r\n%s", len(body), body), true},
		{"CL, space before colon", head + fmt.Sprintf("Content-Length : %d\r\n\r\n%s", len(body), body), true},
		{"CL of a GET", strings.Replace(head, "PATCH", "GET", 1) + length + "\r\n" + body, false},
		{"odd TE", head + "Transfer-Encoding: xchunked\r\n\r\n" + chunk, true},
		{"TE chunked, identity", head + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunk, true},
		{"TE twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunk, true},
		{"TE behind a tab", head + "Transfer-Encoding:\tchunked\r\n" + length + "\r\n" + chunk, true},
		{"TE behind a vertical tab", head + "Transfer-Encoding: \vchunked\r\n" + length + "\r\n" + chunk, true},
		{"TE quoted", head + "Transfer-Encoding: \"chunked\"\r\n" + length + "\r\n" + chunk, true},
		{"TE, space before colon", head + "Transfer-Encoding : chunked\r\n" + length + "\r\n" + chunk, true},
		{"TE folded", head + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunk, true},
		{"TE in a folded line", head + "X-A: b\r\n Transfer-Encoding: chunked\r\n" + length + "\r\n" + body, true},
		{"TE with an underscore", head + "Transfer_Encoding: chunked\r\n" + length + "\r\n" + body, false},
		{"TE of HTTP/1.0", strings.Replace(chunked(chunk), "1.1", "1.0", 1), true},
		{"bare LF in chunk", chunked(strings.Replace(chunk, "\r\n", "\n", 1)), false},
		{"chunk extension", chunked(strings.Replace(chunk, "\r\n", ";a=\"b\"\r\n", 1)), false},
		{"chunk extension with LF", chunked(strings.Replace(chunk, "\r\n", ";\nx\r\n", 1)), true},
		{"chunk size with sign", chunked("+" + chunk), true},
		{"chunk size with 0x", chunked("0x" + chunk), true},
		{"chunk size that overflows", chunked("1000000000000000" + chunk), true},
		{"CL in a trailer", chunked(strings.TrimSuffix(chunk, "\r\n") + "Content-Length: 4\r\n\r\n"), false},
		{"bare LF", strings.ReplaceAll(head+length, "\r\n", "\n") + "\n" + body, false},
		{"bare CR", head + "X-A: b\rContent-Length: 4\r\n" + length + "\r\n" + body, true},
		{"NUL", head + "X-A: b\x00\r\n" + length + "\r\n" + body, true},
		{"two hosts", head + "Host: y\r\n" + length + "\r\n" + body, true},
		{"HTTP/1.2", strings.Replace(head, "1.1", "1.2", 1) + length + "\r\n" + body, false},
		{"upgrade to HTTP/2", head + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n" + length + "\r\n" + body, false},
		{"Connection names what it should not", head + "Connection: close, Content-Length, Authorization\r\n" + length + "\r\n" + body, false},
	}
}

// agree checks that every request the API saw was one that the first nginx saw.
func (p *proxied) agree() {
	p.t.Helper()
	p.stop()
	text, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	passed := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.came) < 10 {
		p.t.Errorf("only %d requests reached the API", len(p.came))
	}
	// A request is logged when it ends, so one whose client has left may be logged after
	// the next.
	left := map[string]int{}
	for _, request := range passed {
		left[request]++
	}
	for n, request := range p.came {
		if left[request]--; left[request] < 0 {
			p.t.Fatalf("request %d of the API is none of nginx: %s", n, request)
		}
	}
}

// TestPathsThroughNginx writes paths in wrong ways, with a proxy in front of the API that
// passes them on, and one that normalizes them and blocks the lender's part. No spelling
// leads to another merchant's order or past the proxy's rule.
func TestPathsThroughNginx(t *testing.T) {
	p := behindNginx(t)
	mine := p.order(`{"company_id":%d,"amount":100,"merchant_order_id":"MINE"}`, p.company)
	p.submit(lending.UpdateCompany{Company: p.company, Link: []string{p.stranger}})
	theirs := p.must(201, "other", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":7,"merchant_order_id":"THEIRS"}`, p.company)).body["key"].(string)
	get := func(address, token, target string) (status int, all string) {
		statuses, all := p.raw(address, "GET "+target+" HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer "+token+"\r\nConnection: close\r\n\r\n")
		if len(statuses) == 1 {
			status = statuses[0]
		}
		return status, all
	}
	// Both pass clean paths on, and the API serves the lender's part.
	for _, address := range []string{p.front, p.tidy} {
		if status, all := get(address, "shop", "/v1/order/"+mine); status != 200 || !strings.Contains(all, "MINE") {
			t.Fatalf("a clean path: %s", all)
		}
	}
	if status, all := get(p.front, "ops", "/v1/operator/merchants"); status != 200 || !strings.Contains(all, "Harbor Supply") {
		t.Fatalf("the lender's part: %s", all)
	}
	for _, target := range spellings("/v1/order/" + theirs) {
		for _, address := range []string{p.front, p.tidy} {
			status, all := get(address, "shop", target)
			if status < 400 || status >= 500 || strings.Contains(all, "THEIRS") || strings.Contains(all, "evil") {
				t.Errorf("%s: %d %s", target, status, all)
			}
		}
	}
	for _, target := range append(spellings("/v1/operator/merchants"), append(spellings("/operator/merchants"), spellings("/v2/operator/merchants")...)...) {
		if status, all := get(p.tidy, "ops", target); status < 400 || status >= 500 || strings.Contains(all, "Harbor") {
			t.Errorf("past the rule of the proxy by %s: %d %s", target, status, all)
		}
	}
	for _, target := range spellings("/v1/order/" + mine) {
		status, all := get(p.front, "shop", target)
		if strings.HasSuffix(target, mine+"/") && status == 200 {
			continue // the API itself drops a trailing slash
		}
		if status < 400 || status >= 500 || strings.Contains(all, "MINE") {
			t.Errorf("%s is taken for its own path: %d %s", target, status, all)
		}
	}
	// Two tokens are no token, whichever one nginx would pass on.
	for _, address := range []string{p.front, p.tidy} {
		statuses, all := p.raw(address, "GET /v1/order/"+theirs+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nAuthorization: Bearer other\r\nConnection: close\r\n\r\n")
		if len(statuses) != 1 || statuses[0] != 401 && statuses[0] != 400 || strings.Contains(all, "THEIRS") {
			t.Errorf("two tokens: %v %s", statuses, all)
		}
	}
}

// spellings returns other ways to write a path that some reader treats as the same.
func spellings(path string) []string {
	first, rest, _ := strings.Cut(path[1:], "/")
	rest = "/" + rest
	escaped := fmt.Sprintf("%%%02x", path[len(path)-1])
	return []string{
		"/" + path, "//" + path, "/" + first + "/" + rest, "/./" + path[1:], "/" + first + "/." + rest, "/x/.." + path, "/" + first + "/x/.." + rest, path + "/", path + "//", path + "/.",
		path + "/x/..", "/%2e" + path, "/x/%2e%2e" + path, "/%2f" + path[1:], "/" + first + "%2f" + rest[1:], "/" + first + "%2F" + rest[1:], "/" + first + "%252f" + rest[1:],
		path[:len(path)-1] + escaped, path[:len(path)-1] + "%25" + escaped[1:], path + "%00", path + "%20", path + "%0d%0aX: y", path + ";x", path + ";/x", path + "%3fx", path + "%23x",
		"/" + first + `\` + rest[1:], "/" + first + "%5c" + rest[1:], strings.ToUpper(path), "/" + first + "/%c0%ae%c0%ae" + rest, "/" + first + "%ef%bc%8f" + rest[1:],
		"http://evil.example/" + path, "http://evil.example/x/.." + path, "http://evil.example" + path + "/", "*", "evil.example:443",
	}
}

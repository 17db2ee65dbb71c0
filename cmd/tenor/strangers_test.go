package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/edge/gate"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/proctest"
)

// liveData is a data directory with a merchant.
func liveData(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if _, errs, code := do(clock.Wall{}.Now, "merchants", "create", "Harbor Supply", "--reason", "x", "--data", dir); code != exit.Done {
		t.Fatalf("merchants create ended with %d: %s", code, errs)
	}
	return dir
}

// limited runs a server that may open few files.
func limited(files, dir string) []string {
	return []string{"sh", "-c", "ulimit -n " + files + " && exec tenor serve --data " + dir + " --addr 127.0.0.1:0"}
}

// A57: idle connections do not block a server with a low limit on open files: it stays ready, on
// new connections from the same and from other clients.
func TestIdleConnectionsUnderALowLimit(t *testing.T) {
	p := proctest.Start(t, nil, limited("200", liveData(t))...)
	address := strings.TrimPrefix(p.URL, "http://")
	for n := range 250 {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+n%5))}, Timeout: 10 * time.Second}
		c, err := d.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if n%5 > 0 { // a response leaves a connection idle for a minute, half a head for 5 s
			_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		} else {
			_, _ = io.WriteString(c, "GET /v1/orders HTTP/1.1\r\n")
		}
	}
	time.Sleep(4 * gate.DefaultGrace) // they may be idle for that long
	for n := range 20 {
		one := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		r, err := one.Get(p.URL + "/readyz")
		if err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
		_ = r.Body.Close()
		if r.StatusCode != http.StatusOK {
			t.Errorf("call %d: %d", n, r.StatusCode)
		}
	}
}

// With too low a limit on open files a server does not start, and says what to do.
func TestTooFewOpenFiles(t *testing.T) {
	argv := limited("70", liveData(t))
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "open-file limit is 70") || !strings.Contains(string(out), "ulimit -n") {
		t.Errorf("%v: %s", err, out)
	}
	argv = limited("200", liveData(t))
	argv[2] += " --max-connections 1000"
	if out, err = exec.Command(argv[0], argv[1:]...).CombinedOutput(); err == nil || !strings.Contains(string(out), "open-file limit of") {
		t.Errorf("%v: %s", err, out)
	}
}

// A proxy that the server does not know hides its callers. doctor, which calls the public
// address, reports it; once the proxy is named, it is no finding.
func TestProxyThatIsNotNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	n := openTestNode(t, dir)
	defer n.Close()
	var said devtest.Pipe
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(&said))
	if err != nil {
		t.Fatal(err)
	}
	back := httptest.NewServer(s.HTTP.Handler)
	defer back.Close()
	target, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
	}})
	defer front.Close()
	look := func(base string, want int) map[string]checked {
		return examine(t, want, "--data", dir, "--public-url", base)
	}
	if f := look(front.URL, exit.CheckFailed)["proxy"]; f.Status != "failed" || !strings.Contains(f.Fix, "--trusted-proxies") {
		t.Errorf("through a proxy that is not named: %+v", f)
	}
	if f, found := look(back.URL, exit.Done)["proxy"]; found {
		t.Errorf("without a proxy: %+v", f)
	}
	n.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	if f, found := look(front.URL, exit.Done)["proxy"]; found {
		t.Errorf("through a proxy that is named: %+v", f)
	}
}

// At its start a server warns that callers must come through a proxy and none is named.
func TestStartWithoutAProxyThatIsNeeded(t *testing.T) {
	for _, x := range []struct {
		args []string
		says bool
	}{
		{[]string{"--public-url", "https://pay.example.com"}, true},
		{[]string{"--public-url", "https://pay.example.com", "--trusted-proxies", "10.1.0.0/16"}, false},
		{nil, false},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var out, errs devtest.Pipe
		ended := make(chan int, 1)
		go func() {
			ended <- cli.Run(ctx, append([]string{"serve", "--data", liveData(t), "--addr", "127.0.0.1:0", "--drain", "0s"}, x.args...), devtest.App(&out, &errs))
		}()
		if !devtest.Comes(func() bool { return strings.Contains(errs.String(), `"msg":"serving"`) }) {
			t.Fatalf("it does not serve: %s", errs.String())
		}
		cancel()
		<-ended
		if got := strings.Contains(errs.String(), "--trusted-proxies"); got != x.says {
			t.Errorf("%v: %s", x.args, errs.String())
		}
	}
}

// Webhooks go to private networks only if the operator has explicitly allowed them.
func TestWebhookAllow(t *testing.T) {
	dir := liveData(t)
	for _, x := range []struct {
		allow string
		code  int
	}{
		{"10.0.0.0/8", exit.Refused}, {"10.0.0.0/8,192.168.7.9", exit.Refused}, {"fd12::/16", exit.Refused},
		{"0.0.0.0/0", exit.Usage}, {"127.0.0.0/8", exit.Usage}, {"169.254.0.0/16", exit.Usage}, {"8.0.0.0/5", exit.Usage},
		{"10.0.0.0/8,::1", exit.Usage}, {"::/0", exit.Usage}, {"intranet", exit.Usage},
	} {
		// Listening fails, so getting that far means that the networks were accepted.
		_, errs, code := do(clock.Wall{}.Now, "serve", "--data", dir, "--addr", "256.0.0.1:0", "--webhook-allow", x.allow)
		if code != x.code || code == exit.Usage && !strings.Contains(errs, "--webhook-allow") {
			t.Errorf("%s ended with %d: %s", x.allow, code, errs)
		}
	}
	if (&node.Node{Mode: node.Live}).Rules().CheckURL("https://10.0.0.9/hook") == "" {
		t.Error("a private target is taken without being allowed")
	}
}

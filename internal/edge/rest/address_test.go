package rest

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// A18: the caller is the connection, unless one of our own proxies names another, and then
// the last address that is not a proxy's.
func TestClientAddress(t *testing.T) {
	ours := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tt := range []struct {
		name, peer string
		proxies    []netip.Prefix
		header     []string
		want       string
	}{
		{"no proxy", "192.0.2.1:99", nil, nil, "192.0.2.1"},
		{"a header that nobody asked for", "192.0.2.1:99", nil, []string{"203.0.113.5"}, "192.0.2.1"},
		{"a header of a stranger", "192.0.2.1:99", ours, []string{"203.0.113.5"}, "192.0.2.1"},
		{"one proxy", "10.0.0.1:99", ours, []string{"203.0.113.5"}, "203.0.113.5"},
		{"what the caller made up is before it", "10.0.0.1:99", ours, []string{"1.1.1.1, 203.0.113.5"}, "203.0.113.5"},
		{"two proxies", "10.0.0.1:99", ours, []string{"1.1.1.1, 203.0.113.5, 10.9.9.9"}, "203.0.113.5"},
		{"two headers", "10.0.0.1:99", ours, []string{"203.0.113.5", "10.9.9.9"}, "203.0.113.5"},
		{"all are proxies", "10.0.0.1:99", ours, []string{"10.2.2.2,10.3.3.3"}, "10.2.2.2"},
		{"no header", "10.0.0.1:99", ours, nil, "10.0.0.1"},
		{"an empty header", "10.0.0.1:99", ours, []string{""}, "10.0.0.1"},
		{"nonsense", "10.0.0.1:99", ours, []string{"203.0.113.5, <script>"}, "10.0.0.1"},
		{"a port", "10.0.0.1:99", ours, []string{"203.0.113.5:80"}, "10.0.0.1"},
		{"line break", "10.0.0.1:99", ours, []string{"203.0.113.5\r\nX: y"}, "10.0.0.1"},
		{"version 6", "[2001:db8::1]:99", ours, []string{"2606:4700::1"}, "2606:4700::1"},
		{"mapped", "[::ffff:10.0.0.1]:99", ours, []string{"::ffff:203.0.113.5"}, "203.0.113.5"},
		{"a zone", "[fe80::1%eth0]:99", ours, nil, "fe80::1"},
		{"no address", "@", ours, []string{"203.0.113.5"}, ""},
		{"ten thousand hops", "10.0.0.1:99", ours, []string{strings.Repeat("10.0.0.2,", 10_000) + "10.0.0.3"}, "10.0.0.2"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.peer
		for _, h := range tt.header {
			r.Header.Add("X-Forwarded-For", h)
		}
		r.Header.Set("Forwarded", "for=1.2.3.4")
		r.Header.Set("X-Real-IP", "1.2.3.4")
		c := Call{Address: clientAddress(r, tt.proxies)}
		if got := c.From(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Requests forwarded by an untrusted proxy are logged once an hour; those of a trusted one,
// and direct ones, are not.
func TestProxiesThatAreNotTrusted(t *testing.T) {
	f := newFixture(t)
	f.api.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	said := func(from string, headers ...string) int {
		r := httptest.NewRequest("GET", "/v1/widget/wid_1", nil)
		r.RemoteAddr = from
		for _, h := range headers {
			r.Header.Set(h, "203.0.113.7")
		}
		f.log.Reset()
		f.api.ServeHTTP(httptest.NewRecorder(), r)
		return strings.Count(f.log.String(), "an untrusted proxy")
	}
	for _, x := range []struct {
		name string
		want int
		got  int
	}{
		{"nobody between", 0, said("192.0.2.1:5000")},
		{"a proxy of ours", 0, said("10.1.2.3:5000", "X-Forwarded-For")},
		{"another one", 1, said("192.0.2.1:5000", "X-Forwarded-For")},
		{"the same a moment later", 0, said("192.0.2.1:5000", "Forwarded")},
	} {
		if x.got != x.want {
			t.Errorf("%s: said %d times", x.name, x.got)
		}
	}
	f.now = f.now.Add(time.Hour)
	if said("192.0.2.1:5000", "Forwarded") != 1 {
		t.Error("an hour later it is not said again")
	}
}

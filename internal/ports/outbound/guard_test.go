package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialled records the addresses that a client would have dialed, and stops it there: no test
// leaves this machine.
type dialled struct {
	mu   sync.Mutex
	list []netip.AddrPort
}

var errStop = errors.New("as far as a test goes")

func (d *dialled) permit(to netip.AddrPort) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, to)
	return errStop
}

func (d *dialled) addresses() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, a := range d.list {
		out = append(out, a.Addr().String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err == nil {
		t.Cleanup(func() { _ = answer.Body.Close() })
	}
	t.Cleanup(c.CloseIdleConnections)
	return answer, err
}

// A name's owner decides where it points. The guard comes after the resolver: whatever a name
// points to, nothing private is dialed (T23, A50, A52).
func TestNamesThatLeadInside(t *testing.T) {
	const outside, outside6 = "93.184.216.34", "2606:4700:4700::1111"
	names := map[string][]answers{
		"honest.example":  {{v4: []string{outside}}},
		"loop.example":    {{v4: []string{"127.0.0.1"}}},
		"cloud.example":   {{v4: []string{"169.254.169.254"}}},
		"nat.example":     {{v4: []string{"100.64.1.1"}}},
		"zero.example":    {{v4: []string{"0.0.0.0"}}},
		"alias.example":   {{alias: "second.example"}},
		"second.example":  {{alias: "third.example"}},
		"third.example":   {{v4: []string{"10.0.0.7"}}},
		"six.example":     {{v6: []string{"::1"}}},
		"private6.test":   {{v6: []string{"fd00::1"}}},
		"mapped.example":  {{v6: []string{"::ffff:127.0.0.1"}}},
		"nat64.example":   {{v6: []string{"64:ff9b::7f00:1"}}},
		"sixto4.example":  {{v6: []string{"2002:7f00:1::"}}},
		"public6.example": {{v6: []string{outside6}}},
		"mixed.example":   {{v4: []string{"192.168.0.1", outside}, v6: []string{"::1", "fe80::1"}}},
		"gone.example":    {{}},
	}
	want := map[string][]string{
		"honest.example": {outside}, "public6.example": {outside6}, "mixed.example": {outside},
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			d := new(dialled)
			c := Config{Resolver: newNameServer(t, names).resolver()}.client(d.permit)
			_, err := get(t, c, "https://"+name+"/hook")
			if got := d.addresses(); !slices.Equal(got, want[name]) {
				t.Errorf("dialled %v, want %v (%v)", got, want[name], err)
			}
			if err == nil || want[name] == nil && name != "gone.example" && !errors.Is(err, ErrBlocked) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// A name that has been public turns private, with a time to live of 0. Each connection is judged
// by the address that it is made to.
func TestRebinding(t *testing.T) {
	const outside = "93.184.216.34"
	s := newNameServer(t, map[string][]answers{"turn.example": {
		{v4: []string{outside}}, {v4: []string{"127.0.0.1"}}, {v4: []string{"10.0.0.1"}}, {v4: []string{outside}},
	}})
	d := new(dialled)
	c := Config{Resolver: s.resolver()}.client(d.permit)
	for i, want := range []error{errStop, ErrBlocked, ErrBlocked, errStop} {
		if _, err := get(t, c, "https://turn.example/hook"); !errors.Is(err, want) {
			t.Errorf("request %d ended with %v, want %v", i+1, err, want)
		}
	}
	if got := d.addresses(); !slices.Equal(got, []string{outside}) {
		t.Errorf("dialled %v", got)
	}
}

// Literal addresses are checked as well, and so are ports: the URL check and the dialer are
// separate gates, and the dialer must be sufficient by itself.
func TestGuardAlone(t *testing.T) {
	own := netip.MustParseAddr("93.184.216.99")
	d := new(dialled)
	g := newGuard(Rules{Ports: []uint16{8443}, Denied: []netip.Prefix{netip.MustParsePrefix("93.184.216.50/32")}}, d.permit)
	g.own = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: own.AsSlice(), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for address, want := range map[string]error{
		"93.184.216.34:443": errStop, "93.184.216.34:8443": errStop, "[2606:4700::1]:443": errStop, "[::ffff:93.184.216.34]:443": errStop,
		"93.184.216.34:22": ErrBlocked, "93.184.216.34:80": ErrBlocked, "93.184.216.34:5432": ErrBlocked, "93.184.216.34:0": ErrBlocked,
		"93.184.216.50:443": ErrBlocked, "93.184.216.99:443": ErrBlocked, "127.0.0.1:443": ErrBlocked, "[::1]:443": ErrBlocked,
		"[fe80::1%eth0]:443": ErrBlocked, "[2606:4700::1%eth0]:443": ErrBlocked, "[64:ff9b::a00:1]:443": ErrBlocked, "nonsense": ErrBlocked,
	} {
		if err := g.control("tcp4", address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	for _, network := range []string{"unix", "udp4", "udp6", "tcp", ""} {
		if err := g.control(network, "93.184.216.34:443", nil); !errors.Is(err, ErrBlocked) {
			t.Errorf("network %q: %v", network, err)
		}
	}
	g.own = func() ([]net.Addr, error) { return nil, errors.New("no answer") }
	if err := g.control("tcp4", "93.184.216.34:443", nil); !errors.Is(err, ErrBlocked) {
		t.Errorf("own addresses unknown: %v", err)
	}
}

// Both lists of reserved blocks agree: each would be sufficient by itself.
func TestTwoLists(t *testing.T) {
	g := newGuard(Rules{}, nil)
	for _, p := range reserved {
		for _, a := range []netip.Addr{p.Addr(), p.Addr().Next()} {
			if !p.Contains(a) || a.Is4In6() {
				continue
			}
			if g.special.SafeAddr(a) == nil {
				t.Errorf("package ssrf lets %s pass", a)
			}
			if (Rules{}).allows(netip.AddrPortFrom(a, 443)) {
				t.Errorf("the rules let %s pass", a)
			}
		}
	}
}

// In a sandbox, the developer's machine can be reached; a cloud's link-local metadata address
// cannot.
func TestGuardInASandbox(t *testing.T) {
	d := new(dialled)
	g := newGuard(Rules{AllowPrivate: true}, d.permit)
	for address, want := range map[string]error{
		"127.0.0.1:3000": errStop, "[::1]:80": errStop, "10.0.0.1:8080": errStop, "93.184.216.34:443": errStop,
		"169.254.169.254:80": ErrBlocked, "[fe80::1]:80": ErrBlocked, "[::ffff:169.254.169.254]:80": ErrBlocked, "[fd00:ec2::254]:80": ErrBlocked,
		"224.0.0.1:80": ErrBlocked, "127.0.0.1:0": ErrBlocked,
	} {
		if err := g.control("tcp4", address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}

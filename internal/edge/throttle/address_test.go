package throttle

import (
	"net/netip"
	"testing"
)

func TestAddressKey(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::/64",
		"2001:db8::ffff:1:2:3": "2001:db8::/64", "2001:db8:0:1::1": "2001:db8:0:1::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := AddressKey(netip.MustParseAddr(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if AddressKey(netip.Addr{}) == AddressKey(netip.MustParseAddr("192.0.2.1")) {
		t.Error("no address is counted as one")
	}
}

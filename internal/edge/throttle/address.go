package throttle

import "net/netip"

// AddressKey is the key under which an address is counted: for IPv6 its 64-bit network,
// since a host can use any address in it.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

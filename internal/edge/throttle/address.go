package throttle

import "net/netip"

// AddressKey is under what an address is counted: one of version 6 by its network of
// 64 bits, of which a host has as many addresses as it likes.
func AddressKey(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}

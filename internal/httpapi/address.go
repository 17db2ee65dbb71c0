package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxHops bounds how many entries of X-Forwarded-For are looked at.
const maxHops = 32

// clientAddress is the network address from which a request comes: that of the
// connection, unless it is one of our own proxies. Then it is the last address in
// X-Forwarded-For that is not a proxy's, since everything before that one can be made
// up by the caller (A18). It is zero if the connection has no address.
func clientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	at := plain(peer.Addr())
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for range min(len(hops), maxHops) {
		if !slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(at) }) {
			break
		}
		last := len(hops) - 1
		next, err := netip.ParseAddr(strings.TrimSpace(hops[last]))
		if err != nil {
			break // a proxy that does not say for whom it speaks speaks for itself
		}
		at, hops = plain(next), hops[:last]
	}
	return at
}

// plain writes an address in the one form in which it is compared.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

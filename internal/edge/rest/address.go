package rest

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// maxHops bounds how many entries of X-Forwarded-For are read.
const maxHops = 32

// ClientAddress is clientAddress as text, for pages next to the API; "" if there is none.
func ClientAddress(r *http.Request, proxies []netip.Prefix) string {
	if at := clientAddress(r, proxies); at.IsValid() {
		return at.String()
	}
	return ""
}

// clientAddress is the network address of the caller: that of the connection, unless it is
// one of our own proxies. Then it is the last address in X-Forwarded-For that is not a
// proxy's, since the caller can invent everything before that one. It is zero if the
// connection has no address.
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
			break // a proxy that does not name a caller is the caller
		}
		at, hops = plain(next), hops[:last]
	}
	return at
}

// ForwardedBy reports whether a request claims to be forwarded by something other than one
// of our own proxies: all callers behind it count as one.
func ForwardedBy(r *http.Request, proxies []netip.Prefix) bool {
	if len(r.Header.Values("X-Forwarded-For"))+len(r.Header.Values("Forwarded")) == 0 {
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && !slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(plain(peer.Addr())) })
}

// warnOfProxy logs, once an hour, that a request was forwarded by an address that is not
// one of our proxies: then one caller's failures, and the limits per address, apply to all
// of its callers.
func (a *API) warnOfProxy(r *http.Request, now time.Time) {
	if !ForwardedBy(r, a.config.TrustedProxies) {
		return
	}
	last := a.warned.Load()
	if last != 0 && now.Unix()-last < 3600 || !a.warned.CompareAndSwap(last, now.Unix()) {
		return
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	a.config.Log.Warn("an untrusted proxy forwards requests: its clients share one address and its limits",
		"proxy", plain(peer.Addr()).String(), "hint", a.config.ProxyHint)
}

// plain returns an address in the one form that is compared.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

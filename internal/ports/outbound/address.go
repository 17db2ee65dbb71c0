package outbound

import (
	"net/netip"
	"slices"
)

// Rules define which addresses Tenor connects to. The zero value is for live mode: https on port
// 443 of the internet.
type Rules struct {
	// AllowPrivate allows plain http, every port and private addresses, for a developer's receiver
	// on the same machine. It is for sandboxes only.
	AllowPrivate bool
	// Ports are allowed in addition to 443.
	Ports []uint16
	// Private are the operator's own networks that may be reached nevertheless, by https and on the
	// same ports, as parsed by ParsePrivate.
	Private []netip.Prefix
	// Denied are refused even if they are on the internet or in Private, such as the database's
	// address.
	Denied []netip.Prefix
}

// private are the networks that an operator may allow: those reserved for private use.
var private = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("fc00::/7"),
}

// ParsePrivate parses a network, or a single address, that an operator allows as a target: it
// must be part of a private network. Loopback and link-local addresses are not, nor is the whole
// internet.
func ParsePrivate(text string) (netip.Prefix, bool) {
	p, err := netip.ParsePrefix(text)
	if a, one := netip.ParseAddr(text); one == nil && a.Zone() == "" {
		p, err = a.Prefix(a.BitLen())
	}
	if err != nil {
		return netip.Prefix{}, false
	}
	within := func(whole netip.Prefix) bool { return whole.Contains(p.Addr()) && whole.Bits() <= p.Bits() }
	return p.Masked(), slices.ContainsFunc(private, within)
}

// opened reports whether an address is in a network that the operator has allowed.
func (r Rules) opened(a netip.Addr) bool {
	return a.IsValid() && isIn(r.Private, a) && !isIn(neverDialled, a)
}

// allows reports whether an address may be dialled.
func (r Rules) allows(to netip.AddrPort) bool {
	a := to.Addr()
	if a.Zone() != "" || !r.allowsPort(to.Port()) || isIn(r.Denied, a) {
		return false
	}
	if r.AllowPrivate {
		return a.IsValid() && !isIn(neverDialled, a)
	}
	return Public(a) || r.opened(a)
}

func (r Rules) allowsPort(port uint16) bool {
	return port != 0 && (r.AllowPrivate || port == 443 || slices.Contains(r.Ports, port))
}

// Public reports whether an address is on the internet: outside every block reserved for private
// use, for tests, for documentation, or for reaching an IPv4 address through an IPv6 one (A50).
func Public(a netip.Addr) bool {
	return a.IsValid() && a.Zone() == "" && !isIn(reserved, a)
}

func isIn(list []netip.Prefix, a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// reserved are the blocks outside the internet. The predicates of netip miss several of them.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network; 0.0.0.0 is this machine
	netip.MustParsePrefix("10.0.0.0/8"),      // private
	netip.MustParsePrefix("100.64.0.0/10"),   // behind a carrier's NAT
	netip.MustParsePrefix("127.0.0.0/8"),     // loopback
	netip.MustParsePrefix("169.254.0.0/16"),  // link-local; metadata of clouds
	netip.MustParsePrefix("172.16.0.0/12"),   // private
	netip.MustParsePrefix("192.0.0.0/24"),    // protocols
	netip.MustParsePrefix("192.0.2.0/24"),    // TEST-NET-1
	netip.MustParsePrefix("192.31.196.0/24"), // AS112
	netip.MustParsePrefix("192.52.193.0/24"), // AMT
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),  // private
	netip.MustParsePrefix("192.175.48.0/24"), // AS112
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // TEST-NET-2
	netip.MustParsePrefix("203.0.113.0/24"),  // TEST-NET-3
	netip.MustParsePrefix("224.0.0.0/4"),     // multicast
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and broadcast

	netip.MustParsePrefix("::/96"),             // ::, ::1, and IPv4 written as IPv6
	netip.MustParsePrefix("::ffff:0:0:0/96"),   // IPv4, translated
	netip.MustParsePrefix("64:ff9b::/96"),      // IPv4, through NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),    // the same, in a network of one's own
	netip.MustParsePrefix("100::/64"),          // discarded
	netip.MustParsePrefix("2001::/23"),         // protocols; Teredo
	netip.MustParsePrefix("2001:db8::/32"),     // documentation
	netip.MustParsePrefix("2002::/16"),         // IPv4, through 6to4
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112
	netip.MustParsePrefix("3fff::/20"),         // documentation
	netip.MustParsePrefix("5f00::/16"),         // segment routing
	netip.MustParsePrefix("fc00::/7"),          // private
	netip.MustParsePrefix("fe80::/10"),         // link-local
	netip.MustParsePrefix("fec0::/10"),         // site-local
	netip.MustParsePrefix("ff00::/8"),          // multicast
}

// neverDialled are blocks that never contain a receiver, even for a sandbox: it may run in a
// cloud, whose metadata service holds keys.
var neverDialled = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("fe80::/10"),
	netip.MustParsePrefix("fd00:ec2::254/128"),  // metadata
	netip.MustParsePrefix("100.100.100.200/32"), // metadata
	netip.MustParsePrefix("192.0.0.192/32"),     // metadata
	netip.MustParsePrefix("224.0.0.0/4"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("ff00::/8"),
	// 169.254.0.0/16 in the embedded forms that netip does not unmap.
	netip.MustParsePrefix("::169.254.0.0/112"),
	netip.MustParsePrefix("64:ff9b::169.254.0.0/112"),
	netip.MustParsePrefix("2002:a9fe::/32"),
}

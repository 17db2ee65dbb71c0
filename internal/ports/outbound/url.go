package outbound

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURL is the longest address, in bytes.
const maxURL = 2048

// CheckURL is Rules.CheckURL without additional ports: why an address is refused at registration,
// "" if it is not. Private targets are for sandboxes only.
func CheckURL(raw string, allowPrivate bool) (problem string) {
	return Rules{AllowPrivate: allowPrivate}.CheckURL(raw)
}

// CheckURL says why an address is refused, in a sentence that does not repeat it; "" if it is
// allowed (A50, A51, A53). It does not look up the name: the guard does when it dials.
func (r Rules) CheckURL(raw string) (problem string) {
	if problem := checkText(raw); problem != "" {
		return problem
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Scheme != "" && u.Host == "" {
		return "The address is not a URL."
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return "The address must begin with https://."
	case u.Scheme == "http" && !r.AllowPrivate:
		return "The address must begin with https://."
	case u.User != nil:
		return "The address must not hold a user name or password."
	case strings.Contains(raw, "#"):
		return "The address must not have a fragment."
	}
	if problem := r.checkPort(u); problem != "" {
		return problem
	}
	return r.checkHost(u)
}

// checkText refuses what programs parse differently.
func checkText(raw string) string {
	switch {
	case raw == "":
		return "The address is empty."
	case len(raw) > maxURL:
		return "The address is longer than 2,048 bytes."
	}
	for i := range len(raw) {
		switch c := raw[i]; {
		case c > 0x7e:
			return "The address must be in ASCII: a name in its xn-- form, all else in percent-encoding."
		case c <= ' ' || c == '\\':
			return "The address must not hold spaces, control characters or backslashes."
		}
	}
	return ""
}

func (r Rules) checkPort(u *url.URL) string {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return "The port of the address is empty."
		}
		return ""
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || strconv.FormatUint(port, 10) != text || !r.allowsPort(uint16(port)) {
		return "The port of the address is not allowed."
	}
	return ""
}

func (r Rules) checkHost(u *url.URL) string {
	const reservedHost = "The host is not on the internet."
	host := strings.ToLower(u.Hostname())
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" || r.AllowPrivate && isIn(neverDialled, a) || !r.AllowPrivate && !Public(a) && !r.opened(a) || isIn(r.Denied, a) {
			return reservedHost
		}
		return ""
	}
	labels := strings.Split(host, ".")
	switch {
	case len(host) > 253 || strings.HasPrefix(u.Host, "["):
		return "The host is not a name."
	case isNumber(labels[len(labels)-1]):
		return "The host looks like a number: write an IP address as four decimal numbers."
	}
	for _, l := range labels {
		if !isLabel(l) {
			return "The host is not a name."
		}
	}
	// An operator's network may have names of its own. The guard sees where they point.
	if !r.AllowPrivate && isLocal(labels) && (len(r.Private) == 0 || labels[len(labels)-1] == "localhost") {
		return reservedHost
	}
	return ""
}

// isNumber reports whether a name's last label makes some programs read the name as an IPv4
// address: 127.1, 2130706433, 0x7f000001 (A51).
func isNumber(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

// isLabel reports whether a text, in lower case, is a label of a host name; one that begins with
// xn-- must encode a name in another script.
func isLabel(l string) bool {
	if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
		return false
	}
	for _, c := range []byte(l) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	if ascii, ok := strings.CutPrefix(l, "xn--"); ok {
		return isPunycode(ascii)
	}
	return len(l) < 4 || l[2:4] != "--" // all other such prefixes are reserved
}

// isLocal reports whether a name is meaningful only within a network.
func isLocal(labels []string) bool {
	if len(labels) == 1 {
		return true
	}
	switch labels[len(labels)-1] {
	case "localhost", "local", "localdomain", "internal", "intranet", "lan", "arpa", "onion":
		return true
	}
	return false
}

// Package returnurl is the contract of the addresses that a shop passes with a checkout:
// where its buyer returns to, and where it is notified of an acceptance.
//
//	Check   what may be stored, checked once, when the checkout is created
//	Expand  where a browser is sent, derived from what was stored
//	Origin  the origin that an address leads to
//
// An address may have placeholders after its host: %ORDER_KEY% and %CKKEY% for the key of the
// order, %CHECKOUT_ID%, and in a cancel_url %REASON%. Each is also recognized in its doubly
// escaped form (%25CKKEY%25). They are replaced before the address is parsed, because %CK is
// not a valid escape, and can never affect scheme, host or port.
package returnurl

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// MaxLength is the maximum length of an address.
const MaxLength = 2048

// Rules define which addresses are accepted.
type Rules struct {
	// Sandbox accepts any https origin, and http on this machine.
	Sandbox bool
	// Origins are those of the merchant's shop as Origin writes them; live mode accepts no
	// other.
	Origins []string
	// Reason allows the placeholder of a reason in the address: for a cancel_url.
	Reason bool
}

// Values are the values of placeholders.
type Values struct {
	OrderKey, CheckoutID, Reason string
}

// neutral are typical placeholder values for checking an address.
func neutral() Values {
	return Values{OrderKey: "ord_00000000000000000000000000", CheckoutID: "chk_00000000000000000000000000", Reason: "buyer_canceled"}
}

// Why an address is rejected. None of them quotes any part of it.
var (
	ErrLength      = errors.New("it has more than 2,048 characters")
	ErrCharacter   = errors.New("it has a character that an address may not have; write it percent-encoded")
	ErrScheme      = errors.New("it does not begin with https://")
	ErrHTTP        = errors.New("plain http is for localhost and 127.0.0.1 in a sandbox")
	ErrHost        = errors.New("its host is none that a browser and a server read in the same way")
	ErrUser        = errors.New("it names a user")
	ErrPort        = errors.New("its port is none")
	ErrPlaceholder = errors.New("a placeholder stands before its path")
	ErrEscape      = errors.New("it has a percent sign that is no escape and no placeholder")
	ErrOrigin      = errors.New("its origin is not one that the merchant has registered")
	ErrAddress     = errors.New("its host is one of a network's own addresses")
)

// Check returns why an address is rejected, nil if it is accepted.
func Check(address string, r Rules) error {
	if len(address) > MaxLength {
		return ErrLength
	}
	if strings.ContainsFunc(address, foreign) {
		return ErrCharacter
	}
	scheme, authority, rest, err := split(address)
	if err != nil {
		return err
	}
	host, port, err := place(scheme, authority)
	if err != nil {
		return err
	}
	if !r.Reason && rest != replaced(rest, "REASON", "") || !escaped(expand(rest, neutral())) {
		return ErrEscape
	}
	if reserved(host) {
		return ErrAddress
	}
	if r.Sandbox {
		if scheme == "http" && host != "localhost" && host != "127.0.0.1" {
			return ErrHTTP
		}
		return nil
	}
	if scheme != "https" {
		return ErrScheme
	}
	if !slices.Contains(r.Origins, origin(scheme, host, port)) {
		return ErrOrigin
	}
	return nil
}

// Expand returns an address with its placeholders replaced by percent-encoded values. For an
// address accepted by Check, scheme, host and port are unaffected, whatever the values.
func Expand(address string, v Values) string {
	at := strings.Index(address, "://")
	if at < 0 {
		return address
	}
	at += len("://")
	if end := strings.IndexAny(address[at:], "/?#"); end >= 0 {
		at += end
		return address[:at] + expand(address[at:], v)
	}
	return address
}

// Origin is the origin of an address as browsers write it: scheme and host in lower case,
// the port if it is not the scheme's own.
func Origin(address string) (string, error) {
	if strings.ContainsFunc(address, foreign) {
		return "", ErrCharacter
	}
	scheme, authority, _, err := split(address)
	if err != nil {
		return "", err
	}
	host, port, err := place(scheme, authority)
	if err != nil {
		return "", err
	}
	return origin(scheme, host, port), nil
}

func origin(scheme, host, port string) string {
	if port == "" || port == map[string]string{"https": "443", "http": "80"}[scheme] {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// escaped reports whether each percent sign is followed by two hexadecimal digits.
func escaped(text string) bool {
	for i := strings.IndexByte(text, '%'); i >= 0; i = strings.IndexByte(text, '%') {
		if len(text) < i+3 || strings.Trim(text[i+1:i+3], "0123456789abcdefABCDEF") != "" {
			return false
		}
		text = text[i+3:]
	}
	return true
}

// foreign reports whether a character cannot appear in a URL: browsers drop some of these
// and read others as a slash.
func foreign(c rune) bool { return c <= ' ' || c >= 0x7F || strings.ContainsRune("\"<>\\^`{|}", c) }

// split separates a URL into scheme, authority and the rest, without checking the rest.
func split(address string) (scheme, authority, rest string, err error) {
	scheme, behind, found := strings.Cut(address, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "https" && scheme != "http" {
		return "", "", "", ErrScheme
	}
	authority = behind
	if end := strings.IndexAny(behind, "/?#"); end >= 0 {
		authority, rest = behind[:end], behind[end:]
	}
	switch {
	case strings.Contains(authority, "@"):
		return "", "", "", ErrUser
	case authority != expand(authority, neutral()):
		return "", "", "", ErrPlaceholder
	}
	return scheme, authority, rest, nil
}

// place splits an authority into host and port. The host is a name, or an IP address in its
// full form.
func place(scheme, authority string) (host, port string, err error) {
	host, port = authority, ""
	if inside, after, found := strings.Cut(authority, "]"); found || strings.HasPrefix(authority, "[") {
		a, err := netip.ParseAddr(strings.TrimPrefix(inside, "["))
		if err != nil || !found || !a.Is6() || a.Zone() != "" || !strings.HasPrefix(inside, "[") || after != "" && !strings.HasPrefix(after, ":") {
			return "", "", ErrHost
		}
		host, port = "["+a.String()+"]", strings.TrimPrefix(after, ":")
		if after == ":" {
			return "", "", ErrPort
		}
	} else if name, after, found := strings.Cut(authority, ":"); found {
		if host, port = name, after; after == "" {
			return "", "", ErrPort
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return "", "", ErrPort
		}
	}
	if host = strings.ToLower(host); !strings.HasPrefix(host, "[") && !named(host) {
		return "", "", ErrHost
	}
	return host, port, nil
}

// named reports whether host is a DNS name or an IPv4 address of four numbers. It rejects
// other numeric forms, because browsers read 2130706433 and 0x7f.1 as addresses.
func named(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		plain := strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
		if l == "" || len(l) > 63 || !plain || strings.HasPrefix(l, "-") || strings.HasSuffix(l, "-") {
			return false
		}
	}
	last := labels[len(labels)-1]
	if last[0] >= '0' && last[0] <= '9' {
		a, err := netip.ParseAddr(host)
		return err == nil && a.Is4()
	}
	return true
}

// reserved reports whether a host is forbidden in both modes: link-local and similar
// addresses, including the metadata services of clouds, which hand out credentials.
func reserved(host string) bool {
	if slices.Contains([]string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}, host) {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return false
	}
	a = a.Unmap()
	if a.Is6() {
		// NAT64 and 6to4 addresses embed an IPv4 address.
		b := a.As16()
		for prefix, at := range map[string]int{"64:ff9b::/96": 12, "64:ff9b:1::/48": 12, "2002::/16": 2} {
			if netip.MustParsePrefix(prefix).Contains(a) && ownNetworks(netip.AddrFrom4([4]byte(b[at:at+4]))) {
				return true
			}
		}
	}
	return ownNetworks(a)
}

func ownNetworks(a netip.Addr) bool {
	return a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || slices.ContainsFunc(
		[]string{"100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32", "255.255.255.255/32", "fd00:ec2::254/128", "fd20:ce::254/128"},
		func(p string) bool { return netip.MustParsePrefix(p).Contains(a) })
}

// expand replaces all placeholders in a text.
func expand(text string, v Values) string {
	text = replaced(text, "ORDER_KEY", v.OrderKey)
	text = replaced(text, "CKKEY", v.OrderKey)
	text = replaced(text, "CHECKOUT_ID", v.CheckoutID)
	return replaced(text, "REASON", v.Reason)
}

// replaced replaces one placeholder, in both of its forms, with a value.
func replaced(text, name, value string) string {
	value = escape(value)
	return strings.NewReplacer("%25"+name+"%25", value, "%"+name+"%", value).Replace(text)
}

// escape percent-encodes all but what RFC 3986 leaves unreserved, so that a value means the
// same in a path, a query and a fragment.
func escape(value string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(value) {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	}
	return out.String()
}

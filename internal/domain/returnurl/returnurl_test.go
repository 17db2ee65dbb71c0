package returnurl_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/domain/returnurl"
)

// shop is a live mode merchant with two registered origins.
func shop() returnurl.Rules {
	return returnurl.Rules{Origins: []string{"https://ok.example", "https://pay.ok.example:8443"}}
}

// What is accepted and what is not (A48). In live mode the origin must be exactly one of the
// merchant's.
func TestCheckLive(t *testing.T) {
	for address, want := range map[string]error{
		"https://ok.example":                                 nil,
		"https://ok.example/":                                nil,
		"https://ok.example:443/x":                           nil,
		"https://OK.Example/x":                               nil,
		"HTTPS://ok.example/x":                               nil,
		"https://pay.ok.example:8443/x?y=1#frag":             nil,
		"https://ok.example/done?key=%ORDER_KEY%":            nil,
		"https://ok.example/%CKKEY%/%CHECKOUT_ID%":           nil,
		"https://ok.example/a?x=%25CKKEY%25#%25ORDER_KEY%25": nil,
		"https://ok.example/a%20b":                           nil,
		"https://ok.example/a@b:c":                           nil,
		"https://ok.example?x":                               nil,
		"https://ok.example#x":                               nil,

		"":                                                returnurl.ErrScheme,
		"//e":                                             returnurl.ErrScheme,
		"/x":                                              returnurl.ErrScheme,
		"https:e":                                         returnurl.ErrScheme,
		"https:/e":                                        returnurl.ErrScheme,
		"javascript:alert(1)":                             returnurl.ErrScheme,
		"javascript://ok.example/%0aalert(1)":             returnurl.ErrScheme,
		"data:text/html,x":                                returnurl.ErrScheme,
		"ftp://ok.example/":                               returnurl.ErrScheme,
		"blob:https://ok.example/":                        returnurl.ErrScheme,
		"http://ok.example/":                              returnurl.ErrScheme,
		"http://localhost/":                               returnurl.ErrScheme,
		"https://localhost/":                              returnurl.ErrOrigin,
		"https://ok@e/":                                   returnurl.ErrUser,
		"https://ok.example@evil.example/":                returnurl.ErrUser,
		"https://user:pass@ok.example/":                   returnurl.ErrUser,
		"\\\\e":                                           returnurl.ErrCharacter,
		"https:\\\\ok.example":                            returnurl.ErrCharacter,
		"https://ok.example\\@evil.example":               returnurl.ErrCharacter,
		"https://evil.example\\.ok.example/":              returnurl.ErrCharacter,
		"https://ok.e":                                    returnurl.ErrOrigin,
		"https://ok.example.evil.example/":                returnurl.ErrOrigin,
		"https://evil-ok.example/":                        returnurl.ErrOrigin,
		"https://sub.ok.example/":                         returnurl.ErrOrigin,
		"https://ok.example:8443/":                        returnurl.ErrOrigin,
		"https://pay.ok.example/":                         returnurl.ErrOrigin,
		"https://ok.example:0/":                           returnurl.ErrPort,
		"https://ok.example:/":                            returnurl.ErrPort,
		"https://ok.example:0443/":                        returnurl.ErrPort,
		"https://ok.example:65536/":                       returnurl.ErrPort,
		"https://ok.example:443:1/":                       returnurl.ErrPort,
		"https://ok.example./":                            returnurl.ErrHost,
		"https://ok..example/":                            returnurl.ErrHost,
		"https:///ok.example":                             returnurl.ErrHost,
		"https://":                                        returnurl.ErrHost,
		"https://?x":                                      returnurl.ErrHost,
		"https://o%6b.example/":                           returnurl.ErrHost,
		"https://ok.example%2f.evil.example/":             returnurl.ErrHost,
		"https://оk.example/":                             returnurl.ErrCharacter, // a Cyrillic letter
		"https://ok。example/":                             returnurl.ErrCharacter,
		"https://xn--k-tbb.example/":                      returnurl.ErrOrigin,
		"https://ok.example/\t":                           returnurl.ErrCharacter,
		"ht\ntps://ok.example/":                           returnurl.ErrCharacter,
		" https://ok.example/":                            returnurl.ErrCharacter,
		"https://ok.example/ x":                           returnurl.ErrCharacter,
		"https://ok.example/\x00":                         returnurl.ErrCharacter,
		"https://ok.example/\u202e":                       returnurl.ErrCharacter,
		"https://ok.example/<script>":                     returnurl.ErrCharacter,
		"https://%ORDER_KEY%.ok.example/":                 returnurl.ErrPlaceholder,
		"https://ok.example:%CKKEY%/":                     returnurl.ErrPlaceholder,
		"https://%25CKKEY%25/":                            returnurl.ErrPlaceholder,
		"%ORDER_KEY%://ok.example/":                       returnurl.ErrScheme,
		"https://ok.example/%CK":                          returnurl.ErrEscape,
		"https://ok.example/%zz":                          returnurl.ErrEscape,
		"https://ok.example/%":                            returnurl.ErrEscape,
		"https://ok.example/?r=%REASON%":                  returnurl.ErrEscape,
		"https://ok.example/?r=%25REASON%25":              returnurl.ErrEscape,
		"https://169.254.169.254/":                        returnurl.ErrAddress,
		"https://[::ffff:169.254.169.254]/":               returnurl.ErrAddress,
		"https://[fe80::1]/":                              returnurl.ErrAddress,
		"https://ok.example/" + strings.Repeat("x", 2030): returnurl.ErrLength,
		"https://ok.example/" + strings.Repeat("x", 2029): nil,
	} {
		if err := returnurl.Check(address, shop()); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
}

// A sandbox accepts any https origin and plain http on this machine, and no metadata service.
func TestCheckSandbox(t *testing.T) {
	for address, want := range map[string]error{
		"https://shop.example/x":               nil,
		"https://10.0.0.7/":                    nil,
		"http://localhost:3000/x":              nil,
		"http://127.0.0.1:3000/x":              nil,
		"http://LOCALHOST/x":                   nil,
		"http://shop.example/x":                returnurl.ErrHTTP,
		"http://127.0.0.2/":                    returnurl.ErrHTTP,
		"http://localhost.evil.example/":       returnurl.ErrHTTP,
		"http://[::1]/":                        returnurl.ErrHTTP,
		"http://2130706433/":                   returnurl.ErrHost,
		"http://0x7f.1/":                       returnurl.ErrHost,
		"http://127.1/":                        returnurl.ErrHost,
		"http://0177.0.0.1/":                   returnurl.ErrHost,
		"https://[::1%25lo]/":                  returnurl.ErrHost,
		"https://[::1/":                        returnurl.ErrHost,
		"https://[::1]x/":                      returnurl.ErrHost,
		"https://a.0x7f/":                      returnurl.ErrHost,
		"https://169.254.169.254/latest":       returnurl.ErrAddress,
		"https://169.254.0.1/":                 returnurl.ErrAddress,
		"https://0.0.0.0/":                     returnurl.ErrAddress,
		"https://[::]/":                        returnurl.ErrAddress,
		"https://224.0.0.1/":                   returnurl.ErrAddress,
		"https://100.100.100.200/":             returnurl.ErrAddress,
		"https://168.63.129.16/":               returnurl.ErrAddress,
		"https://[fd00:ec2::254]/":             returnurl.ErrAddress,
		"https://[64:ff9b::169.254.169.254]/":  returnurl.ErrAddress,
		"https://[2002:a9fe:a9fe::1]/":         returnurl.ErrAddress,
		"https://metadata.google.internal/":    returnurl.ErrAddress,
		"https://METADATA.google.internal/":    returnurl.ErrAddress,
		"https://shop.example/?r=%REASON%":     returnurl.ErrEscape,
		"https://shop.example/?k=%CKKEY%":      nil,
		"https://shop.example/?k=%ORDER_KEY%%": returnurl.ErrEscape,
	} {
		if err := returnurl.Check(address, returnurl.Rules{Sandbox: true}); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
	if err := returnurl.Check("https://shop.example/?r=%REASON%&s=%25REASON%25", returnurl.Rules{Sandbox: true, Reason: true}); err != nil {
		t.Errorf("a cancel_url: %v", err)
	}
}

// Each placeholder in both forms, values percent-encoded, and nothing else changed.
func TestExpand(t *testing.T) {
	v := returnurl.Values{OrderKey: "ord_1", CheckoutID: "chk_2", Reason: "a b&c/%"}
	for address, want := range map[string]string{
		"https://ok.example":                                    "https://ok.example",
		"https://ok.example/%ORDER_KEY%":                        "https://ok.example/ord_1",
		"https://ok.example/%CKKEY%/%CHECKOUT_ID%":              "https://ok.example/ord_1/chk_2",
		"https://ok.example/?a=%25CKKEY%25&b=%25CHECKOUT_ID%25": "https://ok.example/?a=ord_1&b=chk_2",
		"https://ok.example/?r=%REASON%#%REASON%":               "https://ok.example/?r=a%20b%26c%2F%25#a%20b%26c%2F%25",
		"https://ok.example/%20%25":                             "https://ok.example/%20%25",
		"https://ok.example/%ckkey%":                            "https://ok.example/%ckkey%",
		"https://ok.example?%ORDER_KEY%#%25ORDER_KEY%25":        "https://ok.example?ord_1#ord_1",
		"nothing": "nothing",
	} {
		if got := returnurl.Expand(address, v); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://OK.example:443/x?y": "https://ok.example", "http://localhost:80": "http://localhost", "http://localhost:3000/x": "http://localhost:3000",
		"https://[2001:DB8::1]:8443/": "https://[2001:db8::1]:8443", "https://ok.example@evil.example/": "", "https://ok.example\\/": "", "ok.example": "",
	} {
		if got, err := returnurl.Origin(address); got != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q %v, want %q", address, got, err, want)
		}
	}
}

// An address accepted by Check leads to the origin that Origin names, whatever its
// placeholders are replaced with, and an independent parser agrees.
func FuzzExpandKeepsTheOrigin(f *testing.F) {
	for _, address := range []string{
		"https://ok.example/%CKKEY%?a=%25ORDER_KEY%25#%REASON%", "http://localhost:3000/%CHECKOUT_ID%", "https://ok.example:%CKKEY%/", "https://ok.example\\@evil/",
		"https://[::1]/", "https://ok.example", "https://a%40b/", "//x/%CKKEY%", "https://ok.example/%%CKKEY%",
	} {
		f.Add(address, "ord_1", "//evil.example")
		f.Add(address, "@evil.example:1", "\\evil?#")
	}
	f.Fuzz(func(t *testing.T, address, key, reason string) {
		if returnurl.Check(address, returnurl.Rules{Sandbox: true, Reason: true}) != nil {
			return
		}
		want, err := returnurl.Origin(address)
		if err != nil {
			t.Fatalf("%q is taken and has no origin: %v", address, err)
		}
		expanded := returnurl.Expand(address, returnurl.Values{OrderKey: key, CheckoutID: key, Reason: reason})
		u, err := url.Parse(expanded)
		if err != nil {
			t.Fatalf("%q becomes %q, which cannot be parsed: %v", address, expanded, err)
		}
		got, err := returnurl.Origin(expanded)
		if err != nil || got != want || u.User != nil {
			t.Fatalf("%q leads to %q (%v), expanded to %q (%v)", address, want, u.User, got, err)
		}
		parsed, err := returnurl.Origin(strings.ToLower(u.Scheme) + "://" + u.Host)
		if err != nil || parsed != want {
			t.Fatalf("%q leads to %q, and net/url reads %q (%v)", address, want, parsed, err)
		}
	})
}

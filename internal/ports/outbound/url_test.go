package outbound

import (
	"net/netip"
	"strings"
	"testing"
)

// What is refused when an address is registered (A50, A51, A53); no message may repeat what it
// refuses.
func TestCheckURLRefuses(t *testing.T) {
	for _, raw := range []string{
		"", " ", "example.com", "/hooks", "//example.com/hooks", "https:example.com", "https:/example.com", "https:///hooks", "https://",
		"http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "unix:///run/x.sock", "javascript:alert(1)",
		"https://user@example.com/", "https://user:pw@example.com/", "https://@example.com/", "https://x@127.0.0.1/", "https://ok.example\\@evil.example/",
		"https://example.com/#top", "https://example.com/#", "https://example.com/a\nb", "https://example.com/a\tb", "https://example.com/a b",
		"https://example.com/\x00", "https://example.com/\x7f", "\thttps://example.com/", "https://exa mple.com/", "https://example.com/%zz",
		"https://example.com:/", "https://example.com:0/", "https://example.com:22/", "https://example.com:25/", "https://example.com:80/",
		"https://example.com:5432/", "https://example.com:0443/", "https://example.com:65979/", "https://example.com:x/", "https://example.com:-443/",
		"https://127.1/", "https://127.0.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://0x7f.1/", "https://0177.0.0.1/",
		"https://127.0.0.0x1/", "https://1.2.3.4.5/", "https://1.2.3.04/", "https://example.com.0x/", "https://example.123/",
		"https://①②⑦.⓪.⓪.①/", "https://１２７.０.０.１/", "https://127。0。0。1/", "https://еxample.com/", "https://exämple.com/",
		"https://localhost/", "https://LOCALHOST/", "https://localhost./", "https://a.localhost/", "https://example.com./", "https://db/",
		"https://db.internal/", "https://metadata.google.internal/", "https://printer.local/", "https://1.0.0.127.in-addr.arpa/", "https://x.onion/",
		"https://.example.com/", "https://a..example.com/", "https://-a.example.com/", "https://a-.example.com/", "https://a_b.example.com/",
		"https://" + strings.Repeat("a", 64) + ".example.com/", "https://" + strings.Repeat("a.", 130) + "com/", "https://ab--cd.example.com/",
		"https://xn--.example.com/", "https://xn--a.example.com/", "https://xn--abc-.example.com/", "https://xn--0.example.com/", "https://xn--99999999999.example.com/",
		"https://xn--a-ecp.example.com/", "https://[::1]/", "https://[::]/", "https://[fe80::1%25eth0]/", "https://[2606:4700::1111%25eth0]/",
		"https://[example.com]/", "https://::1/", "https://[::1/", "https://example.com/" + strings.Repeat("a", 2048),
	} {
		for name, r := range map[string]Rules{"live": {}, "with a port": {Ports: []uint16{8443}}} {
			problem := r.CheckURL(raw)
			if problem == "" {
				t.Errorf("%s: %q is allowed", name, raw)
			}
			if len(raw) > 12 && strings.Contains(problem, raw[8:]) || !strings.HasSuffix(problem+".", "..") && problem != "" {
				t.Errorf("%s: %q is refused with %q", name, raw, problem)
			}
		}
		if CheckURL(raw, false) != (Rules{}).CheckURL(raw) {
			t.Errorf("%q: the two checks differ", raw)
		}
	}
}

func TestCheckURLAllows(t *testing.T) {
	for _, raw := range []string{
		"https://example.com", "https://example.com/", "HTTPS://Example.COM/Hooks", "https://example.com:443/hooks?a=b&c=%0d%0a",
		"https://hooks.my-shop.example/tenor/v1", "https://1a.example.com/", "https://a1.b2.c3/", "https://93.184.216.34/hook",
		"https://[2606:4700:4700::1111]/", "https://xn--exmple-cua.com/", "https://xn--bcher-kva.example/", "https://xn--e1afmkfd.xn--p1ai/",
		"https://xn--fiqs8s.xn--fiqs8s/", "https://xn--80ak6aa92e.com/", "https://a.example/" + strings.Repeat("a", 2000),
	} {
		if problem := CheckURL(raw, false); problem != "" {
			t.Errorf("%q: %s", raw, problem)
		}
	}
	with := Rules{Ports: []uint16{8443}, Denied: []netip.Prefix{netip.MustParsePrefix("93.184.216.0/24")}}
	if problem := with.CheckURL("https://example.com:8443/"); problem != "" {
		t.Errorf("a configured port: %s", problem)
	}
	if with.CheckURL("https://93.184.216.34/") == "" {
		t.Error("a denied address is allowed")
	}
}

// A sandbox allows a developer's own receiver, but still no look-alikes.
func TestCheckURLInASandbox(t *testing.T) {
	for _, raw := range []string{
		"http://localhost:3000/hooks", "http://127.0.0.1:8080/", "https://10.1.2.3/", "http://[::1]:9000/", "http://receiver:80/", "https://db.internal:5432/",
	} {
		if problem := CheckURL(raw, true); problem != "" {
			t.Errorf("%q: %s", raw, problem)
		}
	}
	for _, raw := range []string{
		"http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://①②⑦.⓪.⓪.①/", "http://localhost./", "http://x@127.0.0.1/", "http://127.0.0.1/#x",
		"http://169.254.169.254/latest/meta-data", "http://[fd00:ec2::254]/", "http://[fe80::1%25eth0]/", "http://224.0.0.1/", "file:///etc/passwd",
		"http://127.0.0.1:0/", "http://127.0.0.1:70000/", "http://[::ffff:169.254.169.254]/", "http://[::169.254.169.254]/", "http://[64:ff9b::a9fe:a9fe]/",
	} {
		if CheckURL(raw, true) == "" {
			t.Errorf("%q is allowed in a sandbox", raw)
		}
	}
}

// The samples are from RFC 3492, section 7.1, in lower case where the RFC has it.
func TestPunycode(t *testing.T) {
	for ascii, want := range map[string]string{
		"egbpdaj6bu4bxfgehfvwxn":                 "ليهمابتكلموشعربي؟",
		"ihqwcrb4cv8a8dqg056pqjye":               "他们为什么不说中文",
		"proprostnemluvesky-uyb24dma41a":         "pročprostěnemluvíčesky",
		"4dbcagdahymbxekheh6e0a7fei0b":           "למההםפשוטלאמדבריםעברית",
		"n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa": "なぜみんな日本語を話してくれないのか",
		"bcher-kva":                              "bücher",
		"3b-ww4c5e180e575a65lsy2b":               "3年b組金八先生",
	} {
		got, ok := decodePunycode(ascii)
		if !ok || string(got) != want {
			t.Errorf("%s: %q, want %q", ascii, string(got), want)
		}
	}
	for _, ascii := range []string{"", "-", "a", "a!", "99999999", "abc-", "0"} {
		if isPunycode(ascii) {
			label, _ := decodePunycode(ascii)
			t.Errorf("%q stands for %q", ascii, string(label))
		}
	}
}

// Every reserved block is one, from its first address to its last, and its neighbors on the
// internet are not.
func TestPublic(t *testing.T) {
	for _, s := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
		"239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
		"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1",
		"fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "febf::1", "fec0::1", "ff02::1", "3fff::1", "5f00::1",
	} {
		if Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is public", s)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
	for _, s := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
		"172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"::ffff:8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001:82a::200e", "2001:4860:4860::8888", "2003::1",
	} {
		if !Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is not public", s)
		}
	}
}

package outbound

import (
	"errors"
	"net/netip"
	"slices"
	"testing"
)

// What an operator has allowed is dialed, and nothing else that is private: not what else a
// merchant's name points to, nor what is explicitly denied, nor this machine.
func TestPrivateTargets(t *testing.T) {
	names := map[string][]answers{
		"erp.example":      {{v4: []string{"10.1.2.3"}}},
		"erp.internal":     {{v4: []string{"10.1.2.4"}}},
		"other.example":    {{v4: []string{"10.2.0.1"}}},
		"database.example": {{v4: []string{"10.1.0.5"}}},
		"mixed.example":    {{v4: []string{"192.168.0.1", "10.1.9.9"}}},
		"six.example":      {{v6: []string{"fd12:3::7"}}},
		"loop.example":     {{v4: []string{"127.0.0.1"}}},
		"cloud.example":    {{v4: []string{"169.254.169.254"}, v6: []string{"fd00:ec2::254"}}},
		"mapped.example":   {{v6: []string{"64:ff9b::a01:203"}}},
		"outside.example":  {{v4: []string{"93.184.216.34"}}},
	}
	want := map[string][]string{
		"erp.example": {"10.1.2.3"}, "erp.internal": {"10.1.2.4"}, "mixed.example": {"10.1.9.9"}, "six.example": {"fd12:3::7"}, "outside.example": {"93.184.216.34"},
	}
	rules := Rules{
		Private: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/8")},
		Denied:  []netip.Prefix{netip.MustParsePrefix("10.1.0.5/32")},
	}
	for name := range names {
		t.Run(name, func(t *testing.T) {
			d := new(dialled)
			c := Config{Rules: rules, Resolver: newNameServer(t, names).resolver()}.client(d.permit)
			_, err := get(t, c, "https://"+name+"/hook")
			if got := d.addresses(); !slices.Equal(got, want[name]) {
				t.Errorf("dialled %v, want %v (%v)", got, want[name], err)
			}
			if err == nil || want[name] == nil && !errors.Is(err, ErrBlocked) {
				t.Errorf("ended with %v", err)
			}
		})
	}
	for _, url := range []string{"http://10.1.2.3/", "https://10.1.2.3:8443/", "https://localhost/", "https://10.2.0.1/", "https://[::1]/", "https://10.1.0.5/"} {
		if rules.CheckURL(url) == "" {
			t.Errorf("%s is taken", url)
		}
	}
	if problem := rules.CheckURL("https://10.1.2.3/hook"); problem != "" {
		t.Errorf("an address that is allowed: %s", problem)
	}
}

func TestParsePrivate(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/16": "10.1.0.0/16", "192.168.7.9": "192.168.7.9/32", "172.16.0.0/12": "172.16.0.0/12",
		"100.64.0.0/24": "100.64.0.0/24", "fd12::1": "fd12::1/128", "fc00::/7": "fc00::/7",
		"": "", "10": "", "erp.internal": "", "0.0.0.0/0": "", "8.0.0.0/5": "", "127.0.0.1": "", "169.254.0.0/16": "", "::1": "", "::/0": "", "fe80::1": "",
		"fe80::1%eth0": "", "8.8.8.8": "", "::ffff:10.0.0.1": "", "64:ff9b::a00:1": "",
	} {
		p, ok := ParsePrivate(text)
		if ok != (want != "") || ok && p.String() != want {
			t.Errorf("%q: %v, %t, want %q", text, p, ok, want)
		}
	}
}

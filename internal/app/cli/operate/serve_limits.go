package operate

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/edge/gate"
	"tenor/internal/office/buyer"
	"tenor/internal/ports/outbound"
)

// networks parses the trusted proxies.
func (c *ServeCommand) networks() (list []netip.Prefix, err error) {
	for _, text := range c.Proxies {
		p, err := netip.ParsePrefix(text)
		if a, one := netip.ParseAddr(text); one == nil {
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return nil, &exit.Failure{Code: exit.Usage, Text: "--trusted-proxies must list networks, such as 10.1.0.0/16"}
		}
		list = append(list, p.Masked())
	}
	return list, nil
}

// CodeLimits returns how many codes are mailed per hour.
func (c *ServeCommand) CodeLimits() buyer.CodeLimits {
	return buyer.CodeLimits{Pair: c.Codes, Network: c.NetCodes}
}

// targets parses the private networks that webhooks may reach. The database's own address is
// excluded from all of them.
func (c *ServeCommand) targets(ctx context.Context, at *node.Place) (r outbound.Rules, err error) {
	for _, text := range c.Allow {
		p, ok := outbound.ParsePrivate(text)
		if !ok {
			return r, &exit.Failure{
				Code: exit.Usage, Text: "--webhook-allow must list private networks, such as 10.0.0.0/8",
				Hint: "You can allow networks in 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7. The internet is always allowed, this machine never.",
			}
		}
		r.Private = append(r.Private, p)
	}
	if len(r.Private) == 0 || at.Dir != "" {
		return r, nil
	}
	config, err := pgconn.ParseConfig(at.Address)
	if err != nil {
		return r, node.BadAddress(nil)
	}
	hosts := []string{config.Host}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		if strings.HasPrefix(host, "/") { // a local socket
			continue
		}
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return r, &exit.Failure{Code: exit.Refused, Text: "resolve the database host, which webhooks must not reach", Err: err}
		}
		for _, a := range found {
			a = a.Unmap().WithZone("")
			r.Denied = append(r.Denied, netip.PrefixFrom(a, a.BitLen()))
		}
	}
	return r, nil
}

// budget divides the process's open files among callers, deliveries and the database, so that
// idle callers cannot take what the database needs.
func (c *ServeCommand) budget(at *node.Place) (gate.Budget, error) {
	database := node.FilesOfDatabase + c.Committers + node.DefaultReaders
	switch {
	case at.Dir != "":
		database = node.FilesOfDatabase + node.FilesOfReader*max(4, 2*runtime.GOMAXPROCS(0))
	case c.Readers > 0:
		database = node.FilesOfDatabase + c.Committers + c.Readers
	}
	most := cmp.Or(c.Most, gate.DefaultMost)
	limit, known := node.OpenFileLimit()
	if !known {
		return gate.Budget{Connections: most}, nil
	}
	b, enough := gate.Room(limit, database, most)
	if !enough || b.Connections < c.Most {
		text := fmt.Sprintf("the open-file limit is %d, too low for a server", limit)
		if enough {
			text = fmt.Sprintf("--max-connections is %d, but the open-file limit of %d allows only %d", c.Most, limit, b.Connections)
		}
		return b, &exit.Failure{Code: exit.Refused, Text: text, Hint: "ulimit -n 65536, or LimitNOFILE=65536 in the service unit. Connections count as open files."}
	}
	return b, nil
}

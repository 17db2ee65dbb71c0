// Package operate contains the commands for the people who run Tenor: serve and dev, tokens and
// keys, checks of a deployment, the database, and benchmarks.
package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/release"
	"tenor/internal/app/terminal"
	"tenor/internal/core/engine"
)

// maxDrain keeps a shutdown within 25 s, including the time for requests and commands.
const maxDrain = 10 * time.Second

// maxConnections bounds --committers and --readers: a PostgreSQL server runs a process for each
// connection.
const maxConnections = 256

// ServeCommand is the command "serve".
type ServeCommand struct {
	JSON bool `name:"json" help:"If the server cannot start, print a problem document. Logs are always JSON."`
	local.DatabaseFlags
	node.KeyFlags
	node.RailFlags
	node.MetricsFlag
	node.HeadsFlag
	node.RequestLogFlag
	Addr       string        `env:"TENOR_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	PublicURL  string        `name:"public-url" env:"TENOR_PUBLIC_URL" placeholder:"URL" help:"Public URL of the server, such as https://pay.example.com."`
	Drain      time.Duration `env:"TENOR_DRAIN" default:"5s" help:"How long to keep serving after a stop signal, at most 10s."`
	Node       string        `env:"TENOR_NODE" placeholder:"NAME" help:"Name of this process in the batches it writes, unique among the servers of a database. Default: host name and process ID."`
	Committers int           `env:"TENOR_COMMITTERS" default:"1" help:"Concurrent write transactions; PostgreSQL only."`
	Readers    int           `env:"TENOR_READERS" placeholder:"16" help:"Maximum number of read connections; PostgreSQL only."`
	Standby    bool          `env:"TENOR_STANDBY" help:"Require a synchronous standby, so that losing the server loses no confirmed write; PostgreSQL only."`
	Proxies    []string      `name:"trusted-proxies" env:"TENOR_TRUSTED_PROXIES" placeholder:"PREFIX,…" help:"Networks of your own proxies, such as 10.1.0.0/16; their X-Forwarded-For is trusted."`
	Allow      []string      `name:"webhook-allow" env:"TENOR_WEBHOOK_ALLOW" placeholder:"PREFIX,…" help:"Private networks that webhooks may reach, such as 10.0.0.0/8. Repeatable. Merchants choose the targets."`
	Most       int           `name:"max-connections" env:"TENOR_MAX_CONNECTIONS" placeholder:"N" help:"Maximum number of client connections, an eighth of them from one address. Default: what the open-file limit allows, at most 4096."`
	Codes      int           `name:"codes" env:"TENOR_CODES" default:"5" placeholder:"N" help:"Maximum number of sign-in codes per hour that one network can request for one e-mail address."`
	NetCodes   int           `name:"network-codes" env:"TENOR_NETWORK_CODES" default:"20" placeholder:"N" help:"Maximum number of sign-in codes per hour that one network can request in total."`
	NoMigrate  bool          `name:"no-migrate" env:"TENOR_NO_MIGRATE" help:"Refuse to start on an old schema instead of migrating it."`
	Batch      int           `hidden:"" env:"TENOR_BATCH" help:"Maximum number of commands in one transaction."`
}

func (ServeCommand) Examples() []string {
	return []string{
		"serve --data ./data", "serve --data /var/lib/tenor --addr :8080 --public-url https://pay.example.com",
		"serve --data /var/lib/tenor --rails /etc/tenor/rails.json",
		"serve --database postgres://tenor@db.internal:5432/tenor --key-file /etc/tenor/tenor.key --standby",
	}
}

func (c *ServeCommand) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Need(a)
	if err == nil {
		err = c.check(at)
	}
	if err != nil {
		return err
	}
	proxies, err := c.networks()
	if err != nil {
		return err
	}
	for _, file := range c.SecretFiles() {
		if err := node.OwnOnly(file); err != nil {
			return err
		}
	}
	node.TuneMemory()
	log := slog.New(slog.NewJSONHandler(a.Err, nil))
	money, err := c.Carriers(log)
	if err != nil {
		return err
	}
	targets, err := c.targets(ctx, at)
	if err != nil {
		return err
	}
	budget, err := c.budget(at)
	if err != nil {
		return err
	}
	counted := c.Counted(node.Live)
	n, err := node.Open(ctx, node.Config{
		Place: at, Mode: node.Live, Wall: a.Wall, Log: log, Metrics: counted,
		Clock: node.WallClock,
		Name:  c.Node, Batch: c.Batch, Committers: c.Committers, Readers: c.Readers, Standby: c.Standby, Keep: c.NoMigrate,
		Keys: true, KeyFile: c.KeyFile, Proxies: proxies, Targets: targets, Budget: budget,
	})
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, a, n, at, money, log), n.Close())
}

// check refuses invalid numbers, and options that only PostgreSQL has.
func (c *ServeCommand) check(at *node.Place) error {
	f := &exit.Failure{Code: exit.Usage}
	if err := c.CodeLimits().Check(); err != nil {
		f.Text = "--codes, --network-codes: " + err.Error()
		return f
	}
	switch {
	case c.Batch < 0 || c.Batch > engine.MaxBatch:
		f.Text = fmt.Sprintf("--batch must be between 1 and %d", engine.MaxBatch)
	case c.Committers < 1 || c.Committers > maxConnections:
		f.Text = fmt.Sprintf("--committers must be between 1 and %d", maxConnections)
	case c.Most < 0:
		f.Text = "--max-connections must be above 0"
	case c.Readers < 0 || c.Readers > maxConnections:
		f.Text = fmt.Sprintf("--readers must be between 1 and %d", maxConnections)
	case at.Dir == "":
		return nil
	case c.Committers > 1:
		f.Text, f.Hint = "--committers needs PostgreSQL", "SQLite has one writer. Omit --committers, or use --database."
	case c.Readers > 0:
		f.Text, f.Hint = "--readers needs PostgreSQL", "SQLite uses one reader per CPU. Omit --readers, or use --database."
	case c.Standby:
		f.Text, f.Hint = "--standby needs PostgreSQL", "SQLite has no standby. Omit --standby, or use --database."
	default:
		return nil
	}
	return f
}

func (c *ServeCommand) serve(ctx context.Context, a *terminal.App, n *node.Node, at *node.Place, money node.Carriers, log *slog.Logger) error {
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &exit.Failure{Code: exit.Refused, Text: "listen on " + c.Addr, Err: err, Hint: "Choose another address with --addr."}
	}
	base := c.PublicURL
	if base == "" {
		base = "http://" + l.Addr().String()
	}
	n.Unlogged, n.LogRate = c.Off(), int(c.Rate)
	n.Banked = money.Bank != nil
	n.Sanctions, n.SilentBank, n.Mail, n.Facts, n.Codes = money.Sanctions, money.Silent, money.Mail, money.Facts, c.CodeLimits()
	s, err := node.NewServer(n, base, a.Wall, log)
	if err == nil {
		s.Work, err = n.Scheduler(money, a.Wall, log)
	}
	if err == nil {
		s.Heads, err = n.Heads(c.Heads, a.Wall, log)
	}
	end := func() {}
	if err == nil {
		s.Watched(a.Wall)
		end, err = c.Show(ctx, n.Metrics, log)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer end()
	if strings.HasPrefix(base, "https:") && len(n.Proxies) == 0 {
		log.Warn("clients connect through an untrusted proxy and share one address and its limits",
			"public_url", base, "hint", "Set its network with --trusted-proxies.")
	}
	log.Info("serving", "address", l.Addr().String(), "public_url", base, "data", at.String(), "node", n.Name, "connections", n.Budget.Connections,
		"bank", money.Bank != nil, "cards", money.Cards != nil, "version", release.Version)
	err = s.Serve(ctx, l, min(c.Drain, maxDrain))
	log.Info("stopped")
	return err
}

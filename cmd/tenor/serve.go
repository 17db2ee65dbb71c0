package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"tenor/internal/engine"
)

// maxDrain keeps the end within 25 s, with what requests and commands may take.
const maxDrain = 10 * time.Second

// maxConnections bounds --committers and --readers: a server gives each connection
// a process of its own.
const maxConnections = 256

type serveCommand struct {
	JSON bool `name:"json" help:"Answer a start that fails with a problem document; logs are JSON always."`
	databaseFlags
	keyFlags
	railFlags
	metricsFlag
	headsFlag
	requestLogFlag
	Addr       string        `env:"TENOR_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	PublicURL  string        `name:"public-url" env:"TENOR_PUBLIC_URL" placeholder:"URL" help:"Address under which callers reach it, such as https://pay.example.com."`
	Drain      time.Duration `env:"TENOR_DRAIN" default:"5s" help:"How long to go on answering after a stop was asked for, 10s at most."`
	Node       string        `env:"TENOR_NODE" placeholder:"NAME" help:"Name of this process in the batches that it writes, unique among the servers of a database; host and process number if absent."`
	Committers int           `env:"TENOR_COMMITTERS" default:"1" help:"Transactions that are written at a time; PostgreSQL only."`
	Readers    int           `env:"TENOR_READERS" placeholder:"16" help:"Most connections that read; PostgreSQL only."`
	Standby    bool          `env:"TENOR_STANDBY" help:"Demand a synchronous standby, so that no confirmed write is lost with the server; PostgreSQL only."`
	Proxies    []string      `name:"trusted-proxies" env:"TENOR_TRUSTED_PROXIES" placeholder:"PREFIX,…" help:"Networks of your own proxies, such as 10.1.0.0/16: their X-Forwarded-For says who calls."`
	Allow      []string      `name:"webhook-allow" env:"TENOR_WEBHOOK_ALLOW" placeholder:"PREFIX,…" help:"Private networks to which webhooks may go all the same, such as 10.0.0.0/8; may be repeated. Merchants choose the targets."`
	Most       int           `name:"max-connections" env:"TENOR_MAX_CONNECTIONS" placeholder:"N" help:"Most connections of callers at a time, an eighth of them from one address; as many as the limit of open files leaves, 4096 at most, if absent."`
	Codes      int           `name:"codes" env:"TENOR_CODES" default:"5" placeholder:"N" help:"Most sign-in codes mailed in an hour to one address that one network asks for."`
	NetCodes   int           `name:"network-codes" env:"TENOR_NETWORK_CODES" default:"20" placeholder:"N" help:"Most sign-in codes mailed in an hour that one network asks for, to whomever."`
	NoMigrate  bool          `name:"no-migrate" env:"TENOR_NO_MIGRATE" help:"Refuse an old schema instead of bringing it up to date."`
	Batch      int           `hidden:"" env:"TENOR_BATCH" help:"Most commands of one transaction."`
}

// Examples are shown by -h.
func (serveCommand) Examples() []string {
	return []string{
		"serve --data ./data", "serve --data /var/lib/tenor --addr :8080 --public-url https://pay.example.com",
		"serve --data /var/lib/tenor --rails /etc/tenor/rails.json",
		"serve --database postgres://tenor@db.internal:5432/tenor --key-file /etc/tenor/tenor.key --standby",
	}
}

// Run is called by the parser.
func (c *serveCommand) Run(ctx context.Context, a *app) error {
	at, err := c.need(a)
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
	for _, file := range c.secretFiles() {
		if err := ownOnly(file); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewJSONHandler(a.err, nil))
	money, err := c.carriers(log)
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
	counted := c.counted(live)
	n, err := openNode(ctx, nodeConfig{
		place: at, mode: live, wall: a.wall, log: log, metrics: counted,
		clock: wallClock,
		name:  c.Node, batch: c.Batch, committers: c.Committers, readers: c.Readers, standby: c.Standby, keep: c.NoMigrate,
		keys: true, keyFile: c.KeyFile, proxies: proxies, targets: targets, budget: budget,
	})
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, a, n, at, money, log), n.close())
}

// check refuses numbers that nothing can be made of, and what only PostgreSQL has.
func (c *serveCommand) check(at *place) error {
	f := &failure{code: exitUsage}
	if err := c.codes().Check(); err != nil {
		f.text = "--codes, --network-codes: " + err.Error()
		return f
	}
	switch {
	case c.Batch < 0 || c.Batch > engine.MaxBatch:
		f.text = fmt.Sprintf("--batch must be between 1 and %d", engine.MaxBatch)
	case c.Committers < 1 || c.Committers > maxConnections:
		f.text = fmt.Sprintf("--committers must be between 1 and %d", maxConnections)
	case c.Most < 0:
		f.text = "--max-connections must be above 0"
	case c.Readers < 0 || c.Readers > maxConnections:
		f.text = fmt.Sprintf("--readers must be between 1 and %d", maxConnections)
	case at.dir == "":
		return nil
	case c.Committers > 1:
		f.text, f.hint = "--committers needs PostgreSQL", "SQLite has one writer: leave --committers out, or serve a --database."
	case c.Readers > 0:
		f.text, f.hint = "--readers needs PostgreSQL", "SQLite's readers follow the processors: leave --readers out, or serve a --database."
	case c.Standby:
		f.text, f.hint = "--standby needs PostgreSQL", "SQLite has no standby: leave --standby out, or serve a --database."
	default:
		return nil
	}
	return f
}

func (c *serveCommand) serve(ctx context.Context, a *app, n *node, at *place, money carriers, log *slog.Logger) error {
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &failure{code: exitRefused, text: "listen on " + c.Addr, err: err, hint: "Choose another address with --addr."}
	}
	base := c.PublicURL
	if base == "" {
		base = "http://" + l.Addr().String()
	}
	n.unlogged = c.off()
	n.sanctions, n.silentBank, n.mail, n.facts, n.codes = money.sanctions, money.silent, money.mail, money.facts, c.codes()
	s, err := newServer(n, base, a.wall, log)
	if err == nil {
		s.work, err = n.scheduler(money, a.wall, log)
	}
	if err == nil {
		s.heads, err = n.heads(c.Heads, a.wall, log)
	}
	end := func() {}
	if err == nil {
		s.watched(a.wall)
		end, err = c.show(ctx, n.metrics, log)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer end()
	if strings.HasPrefix(base, "https:") && len(n.proxies) == 0 {
		log.Warn("callers come through a proxy that is not named: they share one address and its limits",
			"public_url", base, "hint", "Name its network with --trusted-proxies.")
	}
	log.Info("serving", "address", l.Addr().String(), "public_url", base, "data", at.String(), "node", n.name, "connections", n.budget.Connections,
		"bank", money.bank != nil, "cards", money.cards != nil, "version", version)
	err = s.serve(ctx, l, min(c.Drain, maxDrain))
	log.Info("stopped")
	return err
}

package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"tenor/internal/clock"
	"tenor/internal/store"
)

// maxDrain keeps the end within 25 s, with what requests and commands may take.
const maxDrain = 10 * time.Second

type serveCommand struct {
	JSON      bool          `name:"json" help:"Answer a start that fails with a problem document; logs are JSON always."`
	Data      string        `env:"TENOR_DATA" required:"" type:"path" placeholder:"DIR" help:"Data directory."`
	Addr      string        `env:"TENOR_ADDR" default:"127.0.0.1:8080" help:"Address to listen on."`
	PublicURL string        `name:"public-url" env:"TENOR_PUBLIC_URL" placeholder:"URL" help:"Address under which callers reach it, such as https://pay.example.com."`
	Drain     time.Duration `env:"TENOR_DRAIN" default:"5s" help:"How long to go on answering after a stop was asked for, 10s at most."`
}

// Examples are shown by -h.
func (serveCommand) Examples() []string {
	return []string{"serve --data ./data", "serve --data /var/lib/tenor --addr :8080 --public-url https://pay.example.com"}
}

// Run is called by the parser.
func (c *serveCommand) Run(ctx context.Context, a *app) error {
	log := slog.New(slog.NewJSONHandler(a.err, nil))
	n, err := openNode(ctx, nodeConfig{
		dir: c.Data, mode: live, wall: a.wall, log: log,
		clock: func(store.Head) func() time.Time { return clock.Wall{}.Now },
	})
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, a, n, log), n.close())
}

func (c *serveCommand) serve(ctx context.Context, a *app, n *node, log *slog.Logger) error {
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &failure{code: exitRefused, text: "listen on " + c.Addr, err: err, hint: "Choose another address with --addr."}
	}
	base := c.PublicURL
	if base == "" {
		base = "http://" + l.Addr().String()
	}
	s, err := newServer(ctx, n, base, a.wall, log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	log.Info("serving", "address", l.Addr().String(), "public_url", base, "data", c.Data, "version", version)
	err = s.serve(ctx, l, min(c.Drain, maxDrain))
	log.Info("stopped")
	return err
}

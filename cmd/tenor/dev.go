package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"tenor/internal/auth"
	"tenor/internal/calendar"
	"tenor/internal/httpapi"
	"tenor/internal/store"
)

// firstPort is where a sandbox listens unless something else is there.
const firstPort = 8080

type devCommand struct {
	JSON bool `name:"json" help:"Print the banner as one JSON object."`
	databaseFlags
	metricsFlag
	requestLogFlag
	Port  int    `placeholder:"8080" help:"Port on the loopback address; without it the first free one from 8080."`
	Clock string `default:"2026-01-05T09:00" help:"Business time of the start in New York, or now. Kept data go on from where they are."`
	Seed  int64  `default:"42" help:"Seed of the demo data: the same seed gives the same identifiers."`
	Empty bool   `xor:"demo" help:"No demo data."`

	History bool `xor:"demo" help:"Demo data with a past: 14 months of orders, payments and payouts. Takes some seconds, once, and a new directory."`
}

// Examples are shown by -h.
func (devCommand) Examples() []string {
	return []string{"dev", "dev --history", "dev --data ./tenor-data", "dev --port 9000 --clock now", "dev --database postgres://tenor@localhost:5432/play"}
}

// Run is called by the parser.
func (c *devCommand) Run(ctx context.Context, a *app) (err error) {
	zone, err := businessZone()
	if err != nil {
		return err
	}
	start, err := c.start(zone, a.wall())
	if err != nil {
		return err
	}
	at, drop, err := c.home(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	if c.History && at.dir == "" {
		return &failure{code: exitUsage, text: "--history needs a directory: a past is made in a file of its own", hint: "Leave --database away."}
	}
	st, err := openStage(ctx, at, start, a.wall, quietLog(a.err), c.counted(sandbox), demoMakers())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.close()) }()

	st.seedNumber, st.unlogged = c.Seed, c.off()
	l, err := c.listen()
	if err != nil {
		return err
	}
	if err := st.listen(l); err != nil {
		return errors.Join(err, l.Close())
	}
	world, err := c.world(ctx, a, st)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	p := st.playing
	end, err := c.show(ctx, st.metrics, st.log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer end()
	world.URL = st.base
	if world.Merchant != "" {
		world.Enter = st.door.Link(st.base)
	}
	world.Data, world.Temporary, world.flag = at.String(), at.temporary, at.flag()
	world.Clock, world.still = p.clock.Now().In(zone.Location()).Format("2006-01-02 15:04"), p.still
	p.run()
	if err := c.announce(a, world); err != nil {
		return errors.Join(err, l.Close())
	}
	return st.serve(ctx, l)
}

// home is where the sandbox's data are, and how to drop what was made for this
// run only.
func (c *devCommand) home(a *app) (at *place, drop func() error, err error) {
	if at, err = c.where(a); err != nil || at != nil {
		return at, func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "tenor-dev-")
	if err != nil {
		return nil, nil, &failure{code: exitRefused, text: "make temporary directory", err: err}
	}
	return &place{dir: dir, temporary: true}, func() error { return os.RemoveAll(dir) }, nil
}

// start is the business time at which a new sandbox begins.
func (c *devCommand) start(zone calendar.Zone, wall time.Time) (time.Time, error) {
	if c.Clock == "now" {
		return wall, nil
	}
	t, err := time.Parse("2006-01-02T15:04", c.Clock)
	if err != nil {
		return time.Time{}, &failure{code: exitUsage, text: "--clock must look like 2026-01-05T09:00, or be now"}
	}
	return zone.At(calendar.Of(t.Year(), t.Month(), t.Day()), t.Hour(), t.Minute()), nil
}

// listen takes the port that was asked for, or the first free one.
func (c *devCommand) listen() (net.Listener, error) {
	port, tries := c.Port, 1
	if port == 0 {
		port, tries = firstPort, 50
	}
	var last error
	for i := range tries {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
		if err == nil {
			return l, nil
		}
		last = err
	}
	f := &failure{code: exitRefused, text: fmt.Sprintf("port %d cannot be used", port), err: last, hint: "Choose another with --port, or leave it out for the next free one."}
	if tries > 1 {
		f.text = fmt.Sprintf("none of the ports from %d to %d can be used", port, port+tries-1)
	}
	return nil, f
}

// world is what the banner tells.
type world struct {
	URL       string `json:"url"`
	Token     string `json:"token,omitempty"`
	Merchant  string `json:"merchant_id,omitempty"`
	Client    string `json:"client_id,omitempty"` // of the demo merchant, for POST /oauth/token
	Secret    string `json:"client_secret,omitempty"`
	Data      string `json:"data"`
	Temporary bool   `json:"temporary"`
	Enter     string `json:"enter_url,omitempty"` // lets a browser into the sandbox's pages, once
	Clock     string `json:"clock"`               // business time in New York
	flag      string // with which other commands open the data
	still     bool   // the clock stands still
}

// world makes the demo data once, and a token for whoever looks at them.
func (c *devCommand) world(ctx context.Context, a *app, st *stage) (world, error) {
	text, found, err := st.node().db.Setting(ctx, settingDemo)
	if err != nil {
		return world{}, err
	}
	merchant := string(text)
	if !found && !c.Empty || c.History {
		if merchant, err = c.seeded(ctx, a, st); err != nil {
			return world{}, err
		}
	}
	n := st.node()
	if merchant == "" {
		return world{}, nil
	}
	secret, _, _, err := issue(ctx, n.issuer(a.wall), tokenWish{merchant: merchant, ttl: auth.DefaultTTL})
	if err != nil {
		return world{}, err
	}
	w := world{Token: secret, Merchant: merchant}
	return w, n.db.View(ctx, func(v store.View) error {
		list, err := v.Clients(merchant, store.Page{Limit: 100})
		for _, x := range list {
			if x.Name == demoClientName && len(x.Secrets) > 0 {
				w.Client, w.Secret = x.ID, demoSecret(n.cursors).Reveal()
			}
		}
		return err
	})
}

// seeded makes the demo data.
func (c *devCommand) seeded(ctx context.Context, a *app, st *stage) (string, error) {
	m := progressFlag{Progress: "auto"}.meter(a, output{JSON: c.JSON}, "demo data")
	m.unit = "days"
	defer m.end()
	st.told = m.at
	defer func() { st.told = nil }()
	before := st.playing
	merchant, err := st.node().controls.Seed(ctx, c.History)
	if errors.Is(err, httpapi.ErrSandboxUsed) {
		return "", &failure{code: exitRefused, text: "the sandbox has begun without a past", hint: "Leave --history away, or name a new directory. While it runs, " + a.program + " sandbox reset --history makes it anew, as the lender."}
	}
	var refused *httpapi.Problem
	if errors.As(err, &refused) {
		return "", &failure{code: exitRefused, text: "make the demo data: " + refused.Detail}
	}
	if err != nil {
		return "", fmt.Errorf("make the demo data: %w", err)
	}
	if st.playing != before { // a sandbox with a past, whose clock has been left standing
		st.playing.still = false
		err = st.playing.box.Resume(ctx)
	}
	return merchant, err
}

// announce prints the banner, and nothing else.
func (c *devCommand) announce(a *app, w world) error {
	if c.JSON {
		b, err := json.Marshal(w)
		if err != nil {
			return err
		}
		return document(a.out, b)
	}
	data := "temporary, removed at exit (keep it with --data ./tenor-data)"
	if !w.Temporary {
		data = w.Data
	}
	var b strings.Builder
	line := func(name, value, note string) { fmt.Fprintf(&b, "  %-10s %-42s %s\n", name, value, note) }
	fmt.Fprintf(&b, "tenor %s · sandbox · data: %s\n\n", version, data)
	line("API", w.URL, "reference /docs · description /openapi.json")
	if w.Enter != "" {
		line("Sandbox", w.Enter, "its pages: clock, orders, mailbox, scenarios; the link works once")
		line("Webhooks", w.URL+"/sandbox/webhooks", "all that is sent, checked step by step")
	}
	move := "move it: " + a.program + " clock advance 30d"
	if w.still {
		move = "stands still; let it run: " + a.program + " clock resume"
	}
	line("Clock", w.Clock+" New York", move)
	if w.Token != "" {
		line("Shop", w.URL+"/shop", "buy an oven over time, as a business would; the code of the mail is 000000")
		line("Merchant", demoMerchant, "with companies 1000000001 to 1000000010")
		fmt.Fprintf(&b, "\n  export TENOR_URL=%s\n  export TENOR_TOKEN=%s\n", w.URL, w.Token)
		if w.Client != "" {
			fmt.Fprintf(&b, "  export TENOR_CLIENT_ID=%s\n  export TENOR_CLIENT_SECRET=%s\n", w.Client, w.Secret)
		}
		fmt.Fprintf(&b, "\nToken  demo merchant, with sandbox scope, 1 h; again: %s token%s\n", a.program, w.flag)
		fmt.Fprintf(&b, "Try    %s orders create --company 1000000001 --amount 1200 --installments 6 --authorize\n", a.program)
	} else {
		fmt.Fprintf(&b, "\n  export TENOR_URL=%s\n", w.URL)
		fmt.Fprintf(&b, "\nToken  %s token --operator%s\n", a.program, w.flag)
	}
	b.WriteString("Stop   Ctrl+C\n")
	_, err := io.WriteString(a.out, b.String())
	return err
}

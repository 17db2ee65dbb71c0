package operate

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

	"tenor/internal/app/cli/local"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/release"
	"tenor/internal/app/stage"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/signin"
)

// firstPort is the sandbox's port unless it is taken.
const firstPort = 8080

// DevCommand is the command "dev".
type DevCommand struct {
	JSON bool `name:"json" help:"Print the banner as one JSON object."`
	local.DatabaseFlags
	node.MetricsFlag
	node.RequestLogFlag
	Port  int    `placeholder:"8080" help:"Port on the loopback address. Default: the first free port from 8080."`
	Clock string `default:"2026-01-05T09:00" help:"Business time to start at (Eastern), or now. Existing data continue from their own time."`
	Seed  int64  `default:"42" help:"Seed of the demo data; the same seed gives the same IDs."`
	Empty bool   `xor:"demo" help:"No demo data."`

	History bool `xor:"demo" help:"Demo data with history: 14 months of orders, payments and payouts. Takes a few seconds, once, and needs a new directory."`
}

func (DevCommand) Examples() []string {
	return []string{"dev", "dev --history", "dev --data ./tenor-data", "dev --port 9000 --clock now", "dev --database postgres://tenor@localhost:5432/play"}
}

func (c *DevCommand) Run(ctx context.Context, a *terminal.App) (err error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return err
	}
	start, err := c.start(zone, a.Wall())
	if err != nil {
		return err
	}
	at, drop, err := c.home(a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop()) }()
	if c.History && at.Dir == "" {
		return &exit.Failure{Code: exit.Usage, Text: "--history needs a SQLite directory", Hint: "Omit --database."}
	}
	node.TuneMemory()
	st, err := stage.Open(ctx, at, start, a.Wall, node.QuietLog(a.Err), c.Counted(node.Sandbox), demo.Makers())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()

	st.SeedNumber, st.Unlogged, st.LogRate = c.Seed, c.Off(), int(c.Rate)
	l, err := c.listen()
	if err != nil {
		return err
	}
	if err := st.Listen(l); err != nil {
		return errors.Join(err, l.Close())
	}
	world, err := c.world(ctx, a, st)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	p := st.Playing
	end, err := c.Show(ctx, st.Metrics, st.Log)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer end()
	world.URL = st.Base
	if world.Merchant != "" {
		world.Enter, world.Console = st.Door.Link(st.Base), st.Base+signin.Path+"/demo/"+st.Demo
	}
	world.Data, world.Temporary, world.flag = at.String(), at.Temporary, at.Flag()
	world.Clock, world.still = p.Clock.Now().In(zone.Location()).Format("2006-01-02 15:04"), p.Still
	p.Run()
	if err := c.announce(a, world); err != nil {
		return errors.Join(err, l.Close())
	}
	return st.Serve(ctx, l)
}

// home returns where the sandbox's data is stored, and how to drop what was created for this run
// only.
func (c *DevCommand) home(a *terminal.App) (at *node.Place, drop func() error, err error) {
	if at, err = c.Where(a); err != nil || at != nil {
		return at, func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "tenor-dev-")
	if err != nil {
		return nil, nil, &exit.Failure{Code: exit.Refused, Text: "create temporary directory", Err: err}
	}
	return &node.Place{Dir: dir, Temporary: true}, func() error { return os.RemoveAll(dir) }, nil
}

// start is the business time at which a new sandbox starts.
func (c *DevCommand) start(zone calendar.Zone, wall time.Time) (time.Time, error) {
	if c.Clock == "now" {
		return wall, nil
	}
	t, err := time.Parse("2006-01-02T15:04", c.Clock)
	if err != nil {
		return time.Time{}, &exit.Failure{Code: exit.Usage, Text: "--clock must be now or look like 2026-01-05T09:00"}
	}
	return zone.At(calendar.Of(t.Year(), t.Month(), t.Day()), t.Hour(), t.Minute()), nil
}

// listen listens on the requested port, or on the first free one.
func (c *DevCommand) listen() (net.Listener, error) {
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
	f := &exit.Failure{Code: exit.Refused, Text: fmt.Sprintf("port %d is not available", port), Err: last, Hint: "Choose another with --port, or omit --port to use the next free one."}
	if tries > 1 {
		f.Text = fmt.Sprintf("no port from %d to %d is available", port, port+tries-1)
	}
	return nil, f
}

// World is what the banner shows.
type World struct {
	URL       string `json:"url"`
	Token     string `json:"token,omitempty"`
	Merchant  string `json:"merchant_id,omitempty"`
	Client    string `json:"client_id,omitempty"` // of the demo merchant, for POST /oauth/token
	Secret    string `json:"client_secret,omitempty"`
	Data      string `json:"data"`
	Temporary bool   `json:"temporary"`
	Enter     string `json:"enter_url,omitempty"`   // lets a browser into the sandbox's pages, once
	Console   string `json:"console_url,omitempty"` // signs a browser in to the back office, in any role
	Clock     string `json:"clock"`                 // business time in New York
	flag      string // flag with which other commands open the data
	still     bool   // the clock does not move
}

// world creates the demo data once, and a token for the person looking at it.
func (c *DevCommand) world(ctx context.Context, a *terminal.App, st *stage.Stage) (World, error) {
	text, found, err := store.Setting(ctx, st.Node().DB, node.SettingDemo)
	if err != nil {
		return World{}, err
	}
	merchant := string(text)
	if !found && !c.Empty || c.History {
		if merchant, err = c.seeded(ctx, a, st); err != nil {
			return World{}, err
		}
	}
	n := st.Node()
	if merchant == "" {
		return World{}, nil
	}
	secret, _, _, err := node.Issue(ctx, n.Issuer(a.Wall), node.TokenWish{Merchant: merchant, TTL: auth.DefaultTTL})
	if err != nil {
		return World{}, err
	}
	w := World{Token: secret, Merchant: merchant}
	return w, n.DB.View(ctx, func(v store.View) error {
		list, err := store.ListClients(v, merchant, store.Page{Limit: 100})
		for _, x := range list {
			if x.Name == demo.ClientName && len(x.Secrets) > 0 {
				w.Client, w.Secret = x.ID, demo.Secret(n.Cursors).Reveal()
			}
		}
		return err
	})
}

// seeded creates the demo data.
func (c *DevCommand) seeded(ctx context.Context, a *terminal.App, st *stage.Stage) (string, error) {
	m := terminal.ProgressFlag{Progress: "auto"}.Meter(a, terminal.Output{JSON: c.JSON}, "demo data")
	m.Unit = "days"
	defer m.End()
	st.Told = m.At
	defer func() { st.Told = nil }()
	before := st.Playing
	merchant, err := st.Node().Controls.Seed(ctx, c.History)
	if errors.Is(err, serve.ErrSandboxUsed) {
		return "", &exit.Failure{Code: exit.Refused, Text: "the sandbox already exists without history", Hint: "Omit --history, or name a new directory. While it runs, the lender can start over with " + a.Program + " sandbox reset --history."}
	}
	var refused *rest.Problem
	if errors.As(err, &refused) {
		return "", &exit.Failure{Code: exit.Refused, Text: "create the demo data: " + refused.Detail}
	}
	if err != nil {
		return "", fmt.Errorf("make the demo data: %w", err)
	}
	if st.Playing != before { // a sandbox with a history, whose clock was left stopped
		st.Playing.Still = false
		err = st.Playing.Box.Resume(ctx)
	}
	return merchant, err
}

// announce prints the banner, and nothing else.
func (c *DevCommand) announce(a *terminal.App, w World) error {
	if c.JSON {
		b, err := json.Marshal(w)
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	}
	data := "temporary, removed at exit (keep it with --data ./tenor-data)"
	if !w.Temporary {
		data = w.Data
	}
	var b strings.Builder
	line := func(name, value, note string) { fmt.Fprintf(&b, "  %-10s %-42s %s\n", name, value, note) }
	fmt.Fprintf(&b, "tenor %s · sandbox · data: %s\n\n", release.Version, data)
	line("API", w.URL, "reference /docs · OpenAPI /openapi.json")
	if w.Enter != "" {
		line("Sandbox", w.Enter, "clock, orders, mailbox, scenarios; the link works once")
		line("Console", w.Console, "the lender's back office, in any role")
		line("Webhooks", w.URL+"/sandbox/webhooks", "every delivery, verified step by step")
	}
	move := "to advance it: " + a.Program + " clock advance 30d"
	if w.still {
		move = "stopped; to start it: " + a.Program + " clock resume"
	}
	line("Clock", w.Clock+" Eastern", move)
	if w.Token != "" {
		line("Shop", w.URL+"/shop", "buy an oven over time as a business buyer; the e-mail code is 000000")
		line("Merchant", demo.Merchant, "with companies 1000000001 to 1000000010")
		fmt.Fprintf(&b, "\n  export TENOR_URL=%s\n  export TENOR_TOKEN=%s\n", w.URL, w.Token)
		if w.Client != "" {
			fmt.Fprintf(&b, "  export TENOR_CLIENT_ID=%s\n  export TENOR_CLIENT_SECRET=%s\n", w.Client, w.Secret)
		}
		fmt.Fprintf(&b, "\nToken  demo merchant, sandbox scope, valid 1 h; new one: %s token%s\n", a.Program, w.flag)
		fmt.Fprintf(&b, "Try    %s orders create --company 1000000001 --amount 1200 --installments 6 --authorize\n", a.Program)
	} else {
		fmt.Fprintf(&b, "\n  export TENOR_URL=%s\n", w.URL)
		fmt.Fprintf(&b, "\nToken  %s token --operator%s\n", a.Program, w.flag)
	}
	b.WriteString("Stop   Ctrl+C\n")
	_, err := io.WriteString(a.Out, b.String())
	return err
}

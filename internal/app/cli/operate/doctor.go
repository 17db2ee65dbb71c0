package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	sandboxes "tenor/internal/edge/sandbox"
	"tenor/internal/office/clockwork"
)

// DoctorCommand is the command "doctor".
type DoctorCommand struct {
	JSON bool `name:"json" help:"Print one JSON document."`
	Fix  bool `help:"Fix what is safe to fix: the permissions of files that hold secrets."`
	local.DatabaseFlags
	node.KeyFlags
	node.RailFlags
	Addr      string `env:"TENOR_ADDR" default:"127.0.0.1:8080" help:"Address serve listens on."`
	PublicURL string `name:"public-url" env:"TENOR_PUBLIC_URL" placeholder:"URL" help:"Public URL of the server, such as https://pay.example.com."`
}

func (DoctorCommand) Examples() []string {
	return []string{"doctor --data ./data", "doctor --database postgres://tenor@db.internal:5432/tenor --key-file tenor.key --rails rails.json"}
}

// finding is the result of one check.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, warning or failed
	Text   string `json:"text"`
	Fix    string `json:"fix,omitempty"` // what to do about it
}

// The statuses of a finding.
const (
	healthy = "ok"
	warning = "warning"
	failed  = "failed"
)

func fine(name, text string) finding { return finding{name, healthy, text, ""} }

// examination is one run of doctor.
type examination struct {
	a    *terminal.App
	c    *DoctorCommand
	at   *node.Place
	db   store.Backend // nil if it does not open
	zone calendar.Zone
	mode node.Mode
	now  time.Time // of the business clock

	grammar *kong.Application // of the command line, whose flags name the variables

	found []finding
}

// Run is called by the parser. Except for --fix it only reads, and a server may be running.
func (c *DoctorCommand) Run(ctx context.Context, a *terminal.App, k *kong.Context) (err error) {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	x := &examination{a: a, c: c, at: at, now: a.Wall(), grammar: k.Model}
	defer func() {
		if x.db != nil {
			err = errors.Join(err, x.db.Close())
		}
	}()
	for _, look := range []func(context.Context) []finding{
		x.variables, x.directory, x.room, x.secrets, x.calendar, x.database, x.schema, x.clocks, x.address, x.port, x.rails, x.mail, x.lag,
		x.endpoints, x.undelivered, x.storage, x.ledger, x.chain, x.signedHeads, x.keys, x.files,
	} {
		x.found = append(x.found, look(ctx)...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return x.tell()
}

// tell prints the findings. If one failed, it returns an error that needs no further message.
func (x *examination) tell() error {
	bad := 0
	for _, f := range x.found {
		if f.Status == failed {
			bad++
		}
	}
	if x.c.JSON {
		b, err := json.Marshal(struct {
			Checks []finding `json:"checks"`
			Failed int       `json:"failed"`
		}{x.found, bad})
		if err == nil {
			err = terminal.Document(x.a.Out, b)
		}
		if err != nil {
			return err
		}
	} else {
		for _, f := range x.found {
			fmt.Fprintf(x.a.Out, "%s %-12s %s\n", map[string]string{healthy: "✓", warning: "!", failed: "✗"}[f.Status], f.Name, terminal.Clean(f.Text))
			for line := range strings.Lines(f.Fix) {
				fmt.Fprintf(x.a.Out, "  %-12s %s\n", "", strings.TrimRight(line, "\n"))
			}
		}
	}
	if bad == 0 {
		return nil
	}
	return &exit.Failure{Code: exit.CheckFailed, Text: fmt.Sprintf("%d of %d checks found a problem", bad, len(x.found)), Told: true}
}

// variables looks for names that nothing reads: a mistyped one has no effect.
func (x *examination) variables(context.Context) []finding {
	known := knownVariables(x.grammar)
	var unknown []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "TENOR_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return []finding{{"config", warning, "unknown variable " + strings.Join(unknown, ", "), "Check the spelling; serve -h lists the variables next to its flags."}}
	}
	return []finding{fine("config", "all TENOR_ variables are known")}
}

// directory checks a data directory and its key file.
func (x *examination) directory(context.Context) []finding {
	if x.at.Dir == "" {
		return nil
	}
	const name = "data"
	f, err := os.CreateTemp(x.at.Dir, ".doctor-*")
	if err != nil {
		return []finding{{name, failed, "cannot write to " + x.at.Dir + ": " + err.Error(), "The user of the server should own it."}}
	}
	err = errors.Join(f.Close(), os.Remove(f.Name()))
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	out := []finding{fine(name, x.at.Dir+" is writable")}
	key := filepath.Join(x.at.Dir, node.KeyFileName)
	switch info, err := os.Stat(key); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		out = append(out, finding{"key", failed, err.Error(), ""})
	case !node.OwnersOnly(info) && x.c.Fix:
		if err := closeFiles([]string{key}); err != nil {
			return append(out, finding{"key", failed, err.Error(), ""})
		}
		out = append(out, fine("key", "fixed: only its owner can read "+key))
	case !node.OwnersOnly(info):
		out = append(out, finding{"key", failed, "others can read " + key + "; the server will not start with it", "chmod 600 " + key})
	default:
		out = append(out, fine("key", "only its owner can read "+key))
	}
	return out
}

// monthsAhead is how far ahead due dates and banking days must be known.
const monthsAhead = 13

// calendar checks that the business zone and the banking days reach far enough.
func (x *examination) calendar(context.Context) []finding {
	const name = "calendar"
	zone, err := clock.BusinessZone()
	if err != nil {
		return []finding{{name, failed, err.Error(), "This binary is damaged. Build or download it again."}}
	}
	x.zone = zone
	today := zone.Date(x.a.Wall())
	last := today.AddMonths(monthsAhead)
	for year := yearOf(today); year <= yearOf(last); year++ {
		if len(calendar.Holidays(year)) == 0 {
			return []finding{{name, failed, fmt.Sprintf("the bank holidays of %d are not known", year), "Update Tenor."}}
		}
	}
	return []finding{fine(name, fmt.Sprintf("%s, bank holidays known through at least %s", zone.Location(), last))}
}

func yearOf(d calendar.Date) int {
	year, _, _ := d.Civil()
	return year
}

// database checks that the database answers, and its mode.
func (x *examination) database(ctx context.Context) []finding {
	const name = "database"
	db, err := x.at.Read(ctx)
	if err != nil {
		r := x.a.Report(err)
		return []finding{{name, failed, r.Text, r.Hint}}
	}
	x.db = db
	if x.mode, err = node.ModeOf(ctx, db); err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	return []finding{fine(name, fmt.Sprintf("%s is reachable: %s data", x.at, x.mode))}
}

// schema checks that the schema is this program's.
func (x *examination) schema(ctx context.Context) []finding {
	const name = "schema"
	list, err := x.at.Migrations(ctx)
	if err != nil {
		return []finding{{name, failed, x.a.Report(err).Text, ""}}
	}
	if n := len(pendingOf(list)); n > 0 {
		return []finding{{name, failed, fmt.Sprintf("%d of %d migrations are pending", n, len(list)), "tenor db migrate" + x.at.Flag()}}
	}
	return []finding{fine(name, fmt.Sprintf("all %d migrations have run", len(list)))}
}

// maxSkew is how far this machine's clock may be behind the last commit.
const maxSkew = 2 * time.Second

// clocks compares this machine's clock with the last commit of live data; a sandbox has
// a clock of its own.
func (x *examination) clocks(ctx context.Context) []finding {
	const name = "clock"
	if x.db == nil {
		return nil
	}
	head, err := node.HeadOf(ctx, x.db)
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	if x.mode == node.Sandbox {
		left, _, err := sandboxes.KeptClock(ctx, x.db)
		if err != nil {
			return []finding{{name, failed, err.Error(), ""}}
		}
		if x.now = head.At; left.After(x.now) {
			x.now = left
		}
		return []finding{fine(name, "the sandbox clock is at "+terminal.NewYork(x.now)+" or later")}
	}
	if ahead := head.At.Sub(x.now); ahead > maxSkew {
		return []finding{{name, failed, fmt.Sprintf("the last commit is %s ahead of this machine's clock", ahead.Round(time.Second)), "Sync both clocks with NTP. Until this clock catches up, writes keep the later time."}}
	}
	return []finding{fine(name, "not behind the last commit")}
}

// rails checks that the rails file is valid.
func (x *examination) rails(ctx context.Context) []finding {
	const name = "rails"
	switch {
	case x.mode == node.Sandbox:
		return []finding{fine(name, "the sandbox's simulated bank and card processor")}
	case x.c.Rails == "":
		return []finding{{name, warning, "not configured; debits, refunds and payouts are not sent", "Pass the same --rails file here as to serve."}}
	}
	c, err := x.c.RailFlags.Carriers(slog.New(slog.DiscardHandler)) // another check covers who can read its secrets
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), "docs/operating.md shows a complete file."}}
	case c.Bank == nil:
		return []finding{{name, warning, "no bank; ACH debits and payouts are not sent", "Add ach to the rails file."}}
	case c.Cards == nil:
		return []finding{{name, warning, "no card processor; card charges are not sent", "Add card to the rails file."}, x.bank(ctx, c), x.bankFiles(ctx, c)}
	}
	return []finding{fine(name, "bank and card processor are configured"), x.bank(ctx, c), x.bankFiles(ctx, c)}
}

// mailPatience is how long a mail server may take to greet.
const mailPatience = 10 * time.Second

// mail checks that the mail server would accept mail.
func (x *examination) mail(ctx context.Context) []finding {
	const name = "mail"
	if x.mode == node.Sandbox {
		return []finding{fine(name, "the sandbox's own mailbox")}
	}
	c, err := x.c.RailFlags.Carriers(slog.New(slog.DiscardHandler))
	if err != nil {
		return nil // rails reports what is wrong
	}
	if c.Mail == nil {
		return []finding{{name, warning, "no mail server; checkouts and sign-in codes are refused, notices must be mailed on paper", "Add mail to the rails file."}}
	}
	ctx, cancel := context.WithTimeout(ctx, mailPatience)
	defer cancel()
	if asked, ok := c.Mail.(interface{ Check(context.Context) error }); ok {
		if err := asked.Check(ctx); err != nil {
			return []finding{{name, failed, err.Error(), "Check address, user and password under mail in the rails file."}}
		}
	}
	return []finding{fine(name, "the mail server is reachable")}
}

// Lag of the clockwork.
const (
	lagWarning = time.Minute
	lagFailed  = time.Hour
)

// refusing submits nothing: doctor only reads.
type refusing struct{}

// Submit is engine.Submitter.
func (refusing) Submit(context.Context, engine.Request) (engine.Result, error) {
	return engine.Result{}, engine.ErrReadOnly
}

// lag checks how long overdue scheduled work has been waiting.
func (x *examination) lag(ctx context.Context) []finding {
	const name = "jobs"
	if x.db == nil {
		return nil
	}
	w, err := clockwork.New(clockwork.Config{Backend: x.db, Submit: refusing{}, Now: func() time.Time { return x.now }, Zone: x.zone})
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	s, err := w.Status(ctx)
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case s.Lag < lagWarning:
		return []finding{fine(name, "nothing is overdue")}
	}
	f := finding{name, warning, fmt.Sprintf("work has been overdue since %s (%s)", terminal.NewYork(s.Oldest), s.Lag.Round(time.Second)), "Check that a server is running and has the rails its transfers need."}
	if s.Lag >= lagFailed {
		f.Status = failed
	}
	return []finding{f}
}

// storageTime is how long doctor lets a database check itself: a long read keeps a busy SQLite from
// shortening its log.
const storageTime = 20 * time.Second

// storage has the database check its own pages and indexes.
func (x *examination) storage(ctx context.Context) []finding {
	const name = "storage"
	p, can := x.db.(store.Physical)
	if !can {
		return nil
	}
	first, more := "", 0
	bounded, cancel := context.WithTimeout(ctx, storageTime)
	defer cancel()
	note, err := p.Integrity(bounded, func(text string) {
		if more++; more == 1 {
			first = text
		}
	})
	switch {
	case err != nil && more == 0 && bounded.Err() != nil && ctx.Err() == nil:
		return []finding{{name, warning, fmt.Sprintf("not checked whole within %s", storageTime), "Run\n  tenor verify" + x.at.Flag() + "\nwhich takes the time it needs."}}
	case err != nil && more == 0:
		return []finding{{name, failed, err.Error(), ""}}
	case more > 1:
		first += fmt.Sprintf(" (and %d more)", more-1)
		fallthrough
	case more > 0:
		return []finding{{name, failed, "damaged: " + first, "Stop writing, keep a copy of the database as it is, and restore the last backup that\n  tenor verify" + x.at.Flag() + "\nfinds clean."}}
	case note != "":
		return []finding{{name, warning, note, "Have a superuser run it."}}
	}
	return []finding{fine(name, "pages and indexes are sound")}
}

// ledger checks that the stored balances balance.
func (x *examination) ledger(ctx context.Context) []finding {
	const name = "ledger"
	if x.db == nil {
		return nil
	}
	var books, memo int64
	err := x.db.View(ctx, func(v store.View) (err error) {
		books, memo, err = store.Trial(v)
		return err
	})
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case books != 0 || memo != 0:
		return []finding{{name, failed, fmt.Sprintf("the trial balance is off by %s, memo accounts by %s", money.Amount(books), money.Amount(memo)), "Leave everything unchanged and run\n  tenor verify" + x.at.Flag()}}
	}
	return []finding{fine(name, "in balance")}
}

// undeliveredWarning is how old an undelivered event may be.
const undeliveredWarning = time.Hour

// undelivered looks for the oldest event still to be delivered to an endpoint.
func (x *examination) undelivered(ctx context.Context) []finding {
	const name = "webhooks"
	if x.db == nil {
		return nil
	}
	count, endpoint := 0, ""
	var oldest time.Time
	err := x.db.View(ctx, func(v store.View) (err error) {
		oldest, endpoint, count, err = node.Undelivered(v)
		return err
	})
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case count == 0:
		return []finding{fine(name, "no pending deliveries")}
	}
	text := fmt.Sprintf("%d pending deliveries, the oldest since %s for %s", count, terminal.Instant(&oldest), endpoint)
	if x.a.Wall().Sub(oldest) < undeliveredWarning {
		return []finding{fine(name, text)}
	}
	return []finding{{name, warning, text, "tenor webhooks deliveries " + endpoint}}
}

// knownVariables returns the names that any part of this program reads, and the one that a
// sandbox prints for the reader's own programs.
func knownVariables(grammar *kong.Application) []string {
	known := []string{"TENOR_TOKEN", "TENOR_CLIENT_ID", "TENOR_CLIENT_SECRET", "TENOR_CLIENT_SECRET_FILE", "TENOR_CONFIG", "TENOR_TEST_REQUIRE", "TENOR_TEST_NIGHT", "TENOR_TEST_NOTHING"}
	for _, n := range grammar.Leaves(false) {
		for _, f := range n.Flags {
			known = append(known, f.Envs...)
		}
	}
	return known
}

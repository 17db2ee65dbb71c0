package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tenor/internal/clock"
	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/money"
	"tenor/internal/store"
	"tenor/internal/wire"
)

// settleTimeout is how long the lender's commands wait for the database.
const settleTimeout = 30 * time.Second

// local is a command that opens the data itself, through an engine of its own. A
// data directory must not be held by a server; PostgreSQL takes several writers.
type local struct {
	output
	databaseFlags
}

// open opens the database to decide on it; with create a live one is made.
func (l *local) open(ctx context.Context, a *app, at *place, create bool) (*node, error) {
	m, err := l.modeOf(ctx, at)
	// A database that is empty or says nothing was left by one that was stopped
	// while it made it; openNode refuses it if it holds anything.
	if create && (errors.Is(err, errNoDatabase) || errors.Is(err, errNoMode)) {
		l.say(a, "New live database in %s.", at)
		m, err = live, nil
	}
	if err != nil {
		return nil, err
	}
	return openNode(ctx, nodeConfig{place: at, mode: m, wall: a.wall, log: quietLog(a.err), clock: func(head store.Head) func() time.Time {
		if m == sandbox {
			// A sandbox's books stay at the time of their last commit: the machine's
			// would move the sandbox's clock.
			stand := head.At
			if stand.IsZero() { // nothing has happened yet
				stand = a.wall()
			}
			return clock.NewSettable(stand).Now
		}
		return clock.Wall{}.Now
	}})
}

// modeOf asks the database what it is for, and lets go of it again.
func (l *local) modeOf(ctx context.Context, at *place) (m mode, err error) {
	db, err := at.share(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return modeOf(ctx, db)
}

// settle has one command decided and returns what came of it.
func (l *local) settle(ctx context.Context, a *app, create bool, cmd credit.Command) (result any, err error) {
	at, err := l.need(a)
	if err != nil {
		return nil, err
	}
	n, err := l.open(ctx, a, at, create)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	bounded, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	made, err := n.submit(bounded, "tenor", randomSeed(), cmd)
	if ctx.Err() != nil {
		return nil, err
	}
	return made.Result, unsettled(err)
}

// unsettled words why a command was not carried out, or may not have been.
func unsettled(err error) error {
	var refused *credit.Rejection
	switch {
	case errors.As(err, &refused):
		return &failure{code: exitOf(refused.Status), text: refused.Detail}
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return &failure{
			code: exitRefused, text: "the database has not answered: it may have been done or not", kind: err,
			hint: "Look before you do it again, with tenor merchants list or tenor companies get.",
		}
	case errors.Is(err, engine.ErrReadOnly):
		return &failure{code: exitRefused, text: "the books take no writes", err: err, hint: "tenor verify says what is wrong with them."}
	case errors.Is(err, engine.ErrNotCommitted) || errors.Is(err, engine.ErrExpired) || errors.Is(err, engine.ErrOverloaded):
		return &failure{code: exitUnavailable, text: "the database did not take it: nothing was changed", err: err, hint: "Try again in a moment."}
	}
	return err
}

// show prints a resource that a local command made or changed.
func (l *local) show(a *app, resource any, key, format string, args ...any) error {
	switch {
	case l.JSON:
		b, err := wire.Encode(resource)
		if err != nil {
			return err
		}
		return document(a.out, b)
	case l.Quiet:
		_, err := fmt.Fprintln(a.out, key)
		return err
	}
	_, err := fmt.Fprintf(a.out, format+"\n", args...)
	return err
}

type merchantCreate struct {
	local
	Name     string `arg:"" help:"Name of the merchant, unique."`
	Settings string `type:"existingfile" placeholder:"FILE" help:"Programme as JSON; members that are absent keep the defaults."`
}

// Examples are shown by -h.
func (merchantCreate) Examples() []string {
	return []string{"merchants create 'Harbor Supply' --data ./data", "merchants create 'Harbor Supply' --database postgres://tenor@localhost:5432/tenor"}
}

// Run is called by the parser.
func (c *merchantCreate) Run(ctx context.Context, a *app) error {
	settings := credit.DefaultSettings()
	if c.Settings != "" {
		text, err := a.readAll(c.Settings)
		if err != nil {
			return &failure{code: exitUsage, text: "read settings", err: err}
		}
		if settings, err = readSettings(text); err != nil {
			return &failure{code: exitUsage, text: "read settings", err: err}
		}
	}
	made, err := c.settle(ctx, a, true, credit.CreateMerchant{Title: strings.TrimSpace(c.Name), Settings: settings})
	if err != nil {
		return err
	}
	at, err := c.need(a)
	if err != nil {
		return err
	}
	m := made.(*credit.Merchant)
	return c.show(a, wire.NewMerchant(m), m.ID, "Created %s: %s. Next: %s token --merchant %s%s", clean(m.Name), m.ID, a.program, m.ID, at.flag())
}

// readSettings reads a programme's settings. A member that is absent keeps its
// default; terms, tier rates and bounds of the APR that are given replace the
// default ones whole, so that nothing is charged that the file does not say.
func readSettings(text []byte) (credit.Settings, error) {
	s, preset := credit.DefaultSettings(), credit.DefaultSettings()
	s.Terms, s.TierRates, s.MaxAPR = nil, nil, nil
	if err := json.Unmarshal(text, &s, json.RejectUnknownMembers(true)); err != nil {
		return credit.Settings{}, err
	}
	if s.Terms == nil {
		s.Terms = preset.Terms
	}
	if s.TierRates == nil {
		s.TierRates = preset.TierRates
	}
	return s, nil
}

type merchantsList struct{ local }

// Examples are shown by -h.
func (merchantsList) Examples() []string { return []string{"merchants list --data ./data"} }

// Run is called by the parser. It only reads, so a server may hold the data.
func (c *merchantsList) Run(ctx context.Context, a *app) (err error) {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	db, err := at.share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var list []wire.Merchant
	err = db.View(ctx, func(v store.View) error {
		all, err := v.Merchants()
		for _, m := range all {
			list = append(list, wire.NewMerchant(m))
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		if list == nil {
			list = []wire.Merchant{}
		}
		return c.show(a, wire.NewList(list, ""), "", "")
	}
	t := newTable("ID", "NAME", ">PROGRAMMES", "CREATED")
	for i := range list {
		m := &list[i]
		if c.Quiet {
			fmt.Fprintln(a.out, m.ID)
			continue
		}
		t.row(m.ID, m.Name, strconv.Itoa(len(m.Programmes)), instant(&m.CreatedAt))
	}
	return t.print(a.out)
}

type companyCreate struct {
	local
	Name      string     `arg:"" help:"Name under which the company trades."`
	LegalName string     `placeholder:"TEXT" help:"Name in the register."`
	Email     string     `placeholder:"TEXT" help:"E-mail address."`
	Phone     string     `placeholder:"TEXT" help:"Telephone number."`
	Tier      string     `default:"A" enum:"A,B,C" help:"Tier that decides the rate: A, B or C."`
	Limit     amountFlag `required:"" placeholder:"USD" help:"Credit line."`
	Merchants []string   `name:"merchant" placeholder:"ID" help:"Merchants that may use it."`
}

// Examples are shown by -h.
func (companyCreate) Examples() []string {
	return []string{"companies create 'Alder Kitchens' --limit 25000 --merchant mch_… --data ./data"}
}

// Run is called by the parser.
func (c *companyCreate) Run(ctx context.Context, a *app) error {
	limit, err := money.Parse(string(c.Limit))
	if err != nil {
		return &failure{code: exitUsage, text: "--limit", err: err}
	}
	made, err := c.settle(ctx, a, false, credit.CreateCompany{
		Title: strings.TrimSpace(c.Name), LegalName: c.LegalName, Email: c.Email, Phone: c.Phone, Tier: c.Tier, Limit: limit,
		Status: credit.CompanyApproved, Merchants: c.Merchants,
	})
	if err != nil {
		return err
	}
	x := made.(*credit.Company)
	return c.show(a, companyResource(x), strconv.FormatInt(x.ID, 10), "Created %s: %d, line %s.", clean(x.Name), x.ID, amount(x.Limit))
}

func companyResource(x *credit.Company) wire.Company {
	return wire.NewCompany(x, wire.Lateness{}, wire.Autopay{}, true)
}

// companyAct is a command that changes one company.
type companyAct struct {
	local
	ID int64 `arg:"" help:"Identifier of the company: ten digits."`
}

func (c *companyAct) update(ctx context.Context, a *app, cmd credit.UpdateCompany, say func(*credit.Company) string) error {
	cmd.Company = c.ID
	made, err := c.settle(ctx, a, false, cmd)
	if err != nil {
		return err
	}
	x := made.(*credit.Company)
	return c.show(a, companyResource(x), strconv.FormatInt(x.ID, 10), "%s", say(x))
}

type companyLink struct {
	companyAct
	Merchant []string `required:"" placeholder:"ID" help:"Merchants that may use it."`
	Remove   bool     `help:"They may no longer use it."`
}

// Examples are shown by -h.
func (companyLink) Examples() []string {
	return []string{"companies link 4821073356 --merchant mch_… --data ./data", "companies link 4821073356 --merchant mch_… --remove --data ./data"}
}

// Run is called by the parser.
func (c *companyLink) Run(ctx context.Context, a *app) error {
	cmd := credit.UpdateCompany{Link: c.Merchant}
	if c.Remove {
		cmd = credit.UpdateCompany{Unlink: c.Merchant}
	}
	return c.update(ctx, a, cmd, func(x *credit.Company) string {
		return fmt.Sprintf("%s (%d) may be used by: %s", clean(x.Name), x.ID, dash(strings.Join(x.Linked, " ")))
	})
}

type companyLine struct {
	companyAct
	Limit amountFlag `arg:"" help:"The most that may be outstanding, reserved and on hold together."`
}

// Examples are shown by -h.
func (companyLine) Examples() []string {
	return []string{"companies line 4821073356 30000 --data ./data"}
}

// Run is called by the parser.
func (c *companyLine) Run(ctx context.Context, a *app) error {
	limit, err := money.Parse(string(c.Limit))
	if err != nil {
		return &failure{code: exitUsage, text: "the line", err: err}
	}
	return c.update(ctx, a, credit.UpdateCompany{Limit: &limit}, func(x *credit.Company) string {
		return fmt.Sprintf("%s (%d) has a line of %s, %s available.", clean(x.Name), x.ID, amount(x.Limit), amount(x.Available()))
	})
}

// companyStatus is a command that changes a company's status.
type companyStatus struct {
	companyAct
	Reason string `placeholder:"TEXT" help:"Why, for people."`
}

func (c *companyStatus) become(ctx context.Context, a *app, s credit.CompanyStatus, code string) error {
	return c.update(ctx, a, credit.UpdateCompany{Status: s, StatusCode: code, StatusMessage: c.Reason}, func(x *credit.Company) string {
		return fmt.Sprintf("%s (%d) is %s.", clean(x.Name), x.ID, x.Status)
	})
}

type companyHold struct{ companyStatus }

// Examples are shown by -h.
func (companyHold) Examples() []string {
	return []string{"companies hold 4821073356 --reason 'address is being checked' --data ./data"}
}

// Run is called by the parser.
func (c *companyHold) Run(ctx context.Context, a *app) error {
	return c.become(ctx, a, credit.CompanyOnHold, "manual_hold")
}

type companyRelease struct{ companyStatus }

// Examples are shown by -h.
func (companyRelease) Examples() []string {
	return []string{"companies release 4821073356 --data ./data"}
}

// Run is called by the parser.
func (c *companyRelease) Run(ctx context.Context, a *app) error {
	return c.become(ctx, a, credit.CompanyApproved, "")
}

type companyClose struct {
	companyStatus
	consent
}

// Examples are shown by -h.
func (companyClose) Examples() []string {
	return []string{"companies close 4821073356 --yes --data ./data"}
}

// Run is called by the parser.
func (c *companyClose) Run(ctx context.Context, a *app) error {
	if err := c.ask(a, fmt.Sprintf("Close the company %d for ever?", c.ID)); err != nil {
		return err
	}
	return c.become(ctx, a, credit.CompanyClosed, "closed_by_operator")
}

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
	"tenor/internal/money"
	"tenor/internal/store"
	"tenor/internal/store/sqlite"
	"tenor/internal/wire"
)

// local is a command that opens the data itself, through the engine, as long as
// no server holds them.
type local struct {
	output
	Data string `env:"TENOR_DATA" required:"" type:"path" placeholder:"DIR" help:"Data directory that no server holds."`
}

// open holds the database of the directory; with create a live one is made.
func (l *local) open(ctx context.Context, a *app, create bool) (*node, error) {
	m, err := modeOf(ctx, l.Data)
	// A database that is empty or says nothing was left by one that was stopped
	// while it made it; openNode refuses it if it holds anything.
	if create && (errors.Is(err, errNoDatabase) || errors.Is(err, sqlite.ErrEmpty) || errors.Is(err, errNoMode)) {
		l.say(a, "New live database in %s.", l.Data)
		m, err = live, nil
	}
	if err != nil {
		return nil, err
	}
	return openNode(ctx, nodeConfig{dir: l.Data, mode: m, wall: a.wall, log: quietLog(a.err), clock: func(head store.Head) func() time.Time {
		if m == sandbox {
			// A sandbox's books stay at the time of their last commit: the machine's
			// would move the sandbox's clock.
			at := head.At
			if at.IsZero() { // nothing has happened yet
				at = a.wall()
			}
			return clock.NewSettable(at).Now
		}
		return clock.Wall{}.Now
	}})
}

// settle has one command decided and returns what came of it.
func (l *local) settle(ctx context.Context, a *app, create bool, cmd credit.Command) (result any, err error) {
	n, err := l.open(ctx, a, create)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	made, err := n.submit(ctx, "tenor", randomSeed(), cmd)
	var refused *credit.Rejection
	if errors.As(err, &refused) {
		return nil, &failure{code: exitOf(refused.Status), text: refused.Detail}
	}
	return made.Result, err
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
	return []string{"merchants create 'Harbor Supply' --data ./data"}
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
	m := made.(*credit.Merchant)
	return c.show(a, wire.NewMerchant(m), m.ID, "Created %s: %s. Next: %s token --merchant %s --data %s", clean(m.Name), m.ID, a.program, m.ID, c.Data)
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
	db, err := openShared(c.Data)
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

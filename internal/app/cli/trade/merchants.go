package trade

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"tenor/client"
	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/edge/resource"
)

// merchantNoun is how merchants are printed.
func merchantNoun() terminal.Noun[client.Merchant] {
	return terminal.Noun[client.Merchant]{
		Head: []string{"ID", "NAME", ">PROGRAMS", "CREATED"},
		Row:  func(m *client.Merchant) []any { return []any{m.ID, m.Name, len(m.Programs), m.CreatedAt} },
		Key:  func(m *client.Merchant) string { return m.ID },
		Text: func(a *terminal.App, m *client.Merchant) error {
			if err := terminal.Facts(a.Out, "id", m.ID, "name", m.Name, "exposure limit", limitText(m.Limits.Exposure, "none"), "due limit", limitText(m.Limits.Due, "by rule"), "paid to", terminal.Maybe(payAccount(m.PayoutAccount)), "contact", terminal.Maybe(m.PayoutAccount.ContactEmail), "created", m.CreatedAt); err != nil || len(m.Programs) == 0 {
				return err
			}
			fmt.Fprintln(a.Out)
			return a.Show(programsTable(m.Programs))
		},
	}
}

// payAccount describes where a merchant is paid, and a pending change.
func payAccount(x client.PayAccount) string {
	if x.Bank == nil {
		return ""
	}
	text := "…" + x.Bank.Last4
	if p := x.Pending; p != nil {
		text += fmt.Sprintf(", from %s on …%s", p.EffectiveFrom, p.Bank.Last4)
	}
	return text
}

func programRow(p *client.Program) []any {
	var terms []string
	for _, t := range p.Terms {
		terms = append(terms, fmt.Sprintf("%d×%s", t.Installments, t.Plan))
	}
	return []any{p.Version, p.EffectiveFrom, terminal.Maybe(p.EffectiveTo), terms}
}

func programsTable(list []client.Program) *terminal.Table {
	t := terminal.NewTable(">VERSION", "FROM", "TO", "TERMS")
	for i := range list {
		t.Row(programRow(&list[i])...)
	}
	return t
}

func merchantResource(made any) any { return resource.NewMerchant(made.(*credit.Merchant), nil) }

// MerchantCreate is the command "merchants create".
type MerchantCreate struct {
	local.Lender
	terminal.Audited
	Name     string `arg:"" help:"Unique name of the merchant."`
	Settings string `type:"existingfile" placeholder:"FILE" help:"Program terms as JSON; omitted members take the defaults."`
}

func (MerchantCreate) Examples() []string {
	return []string{
		"merchants create 'Harbor Supply' --reason 'approved by underwriting'", "merchants create 'Harbor Supply' --data ./data --reason 'approved by underwriting'",
		"merchants create 'Harbor Supply' --database postgres://tenor@localhost:5432/tenor --reason 'approved by underwriting'",
	}
}

func (c *MerchantCreate) Run(ctx context.Context, a *terminal.App) error {
	c.Why = c.Reason
	at, err := c.Place(a)
	if err != nil {
		return err
	}
	text := []byte("{}")
	if c.Settings != "" {
		if text, err = a.ReadAll(c.Settings); err != nil {
			return &exit.Failure{Code: exit.Usage, Text: "read settings", Err: err}
		}
	}
	name := strings.TrimSpace(c.Name)
	if at == nil {
		r := client.MerchantRequest{Name: name, Settings: bytes.TrimSpace(text)}
		if _, err := r.MarshalJSON(); err != nil {
			return &exit.Failure{Code: exit.Usage, Text: "read settings", Err: err}
		}
		return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
			return api.CreateMerchant(ctx, r, c.WithReason(o)...)
		}, func(m *client.Merchant) string {
			return fmt.Sprintf("Created %s: %s. Next: %s clients create NAME --merchant %s --reason …", terminal.Clean(m.Name), m.ID, a.Program, m.ID)
		})
	}
	settings, err := readSettings(text)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read settings", Err: err}
	}
	return local.Decide(ctx, a, &c.Lender, at, true, merchantNoun(), merchants.CreateMerchant{Title: name, Settings: settings}, merchantResource, func(m *client.Merchant) string {
		return fmt.Sprintf("Created %s: %s. Next: %s token --merchant %s%s", terminal.Clean(m.Name), m.ID, a.Program, m.ID, at.Flag())
	})
}

// readSettings parses a program's settings. An absent member keeps its default. Terms, tier rates
// and APR bounds replace the defaults as a whole, so that nothing is charged that the file does
// not contain.
func readSettings(text []byte) (credit.Settings, error) {
	s, preset := lending.DefaultSettings(), lending.DefaultSettings()
	s.Terms, s.TierRates, s.MaxAPR, s.StateFees = nil, nil, nil, nil
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

// MerchantsList is the command "merchants list".
type MerchantsList struct {
	terminal.Remote
	local.DatabaseFlags
	terminal.Paging
}

func (MerchantsList) Examples() []string {
	return []string{"merchants list", "merchants list --data ./data"}
}

// Run is called by the parser. It only reads, so a server may have the data open.
func (c *MerchantsList) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Instead(a)
	if err != nil {
		return err
	}
	if at != nil {
		return c.shared(ctx, a, at)
	}
	return terminal.List(ctx, a, &c.Remote, c.Paging, merchantNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Merchant], error) {
		return api.ListMerchants(ctx, p, o...)
	})
}

// shared lists all merchants of a database.
func (c *MerchantsList) shared(ctx context.Context, a *terminal.App, at *node.Place) (err error) {
	db, err := at.Share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	found := []resource.Merchant{}
	err = db.View(ctx, func(v store.View) error {
		all, err := store.AllMerchants(v)
		for _, m := range all {
			found = append(found, resource.NewMerchant(m, nil))
		}
		return err
	})
	if err != nil {
		return err
	}
	body, err := resource.Encode(resource.NewList(found, ""))
	if err != nil {
		return err
	}
	var p client.Page[client.Merchant]
	if err := stdjson.Unmarshal(body, &p); err != nil {
		return fmt.Errorf("read merchants: %w", err)
	}
	return merchantNoun().PrintPage(a, c.Output, client.Response{Body: body}, &p)
}

// merchantKeyed is a command about one merchant.
type merchantKeyed struct {
	ID string `arg:"" help:"Merchant ID: mch_…" complete:"merchant"`
}

// MerchantGet is the command "merchants get".
type MerchantGet struct {
	terminal.Remote
	merchantKeyed
}

func (MerchantGet) Examples() []string { return []string{"merchants get mch_…"} }

func (c *MerchantGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, merchantNoun(), c.ID, (*client.Client).Merchant)
}

// MerchantProgram is the command "merchants program".
type MerchantProgram struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	From     terminal.DateFlag `name:"from" placeholder:"DATE" help:"First business date the new version applies. Default: list the versions."`
	Settings string            `type:"existingfile" placeholder:"FILE" help:"Full program terms as JSON; omitted members take the defaults."`
	Reason   string            `placeholder:"TEXT" help:"Reason, for the audit log; required for a new version."`
}

func (MerchantProgram) Examples() []string {
	return []string{"merchants program mch_…", "merchants program mch_… --from 2026-07-01 --settings program.json --reason 'approved by underwriting'"}
}

// Run is called by the parser. Without a file it lists the versions.
func (c *MerchantProgram) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	n := terminal.Noun[client.Program]{
		Head: []string{">VERSION", "FROM", "TO", "TERMS"}, Row: programRow,
		Key: func(p *client.Program) string { return fmt.Sprint(p.Version) },
	}
	if c.From == "" && c.Settings == "" {
		return terminal.List(ctx, a, &c.Remote, terminal.Paging{Limit: terminal.MaxPage}, n, func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Program], error) {
			return api.ListPrograms(ctx, c.ID, p, o...)
		})
	}
	if c.From == "" || c.Settings == "" || c.Reason == "" {
		return &exit.Failure{Code: exit.Usage, Text: "a new version needs --from, --settings and --reason"}
	}
	text, err := a.ReadAll(c.Settings)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read settings", Err: err}
	}
	r := client.ProgrammeRequest{EffectiveFrom: string(c.From), Settings: bytes.TrimSpace(text)}
	if _, err := r.MarshalJSON(); err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read settings", Err: err}
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Give merchant %s new terms from %s?", c.ID, c.From)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, n, func(api *client.Client, o ...client.Option) (*client.Program, error) {
		return api.AddProgram(ctx, c.ID, r, append(o, client.Because(c.Reason))...)
	}, func(p *client.Program) string {
		return fmt.Sprintf("Version %d applies from %s. Authorized orders keep their terms.", p.Version, p.EffectiveFrom)
	})
}

package trade

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func lenderNoun() terminal.Noun[client.Lender] {
	return terminal.Noun[client.Lender]{
		Head: []string{"CREDITOR", "CONTACT", "REGULATOR", ">ALLOWANCE", "RESERVED THROUGH", "CLOSED THROUGH", ">VERSION"},
		Row: func(x *client.Lender) []any {
			return []any{terminal.Maybe(partyName(x.Creditor)), terminal.Maybe(x.Contact), terminal.Maybe(partyName(x.Regulator)), x.Allowance, terminal.Maybe(x.ProvisionedThrough), terminal.Maybe(x.ClosedTo), strconv.Itoa(x.Version)}
		},
		Key: func(x *client.Lender) string { return strconv.Itoa(x.Version) },
		Text: func(a *terminal.App, x *client.Lender) error {
			pairs := []any{
				"creditor", party(x.Creditor), "contact", terminal.Maybe(x.Contact), "regulator", party(x.Regulator), "verify accounts", x.VerifyAccounts, "cooling off", fmt.Sprintf("%d banking days", x.CoolingOffDays), "allowance", x.Allowance,
				"reserved through", terminal.Maybe(x.ProvisionedThrough), "closed through", terminal.Maybe(x.ClosedTo),
			}
			for _, k := range retentionTimes(&x.Retention) {
				pairs = append(pairs, "retention "+k.name, strconv.Itoa(*k.n))
			}
			for _, bucket := range slices.Sorted(maps.Keys(x.ProvisionRates)) {
				pairs = append(pairs, "reserve rate "+bucket, x.ProvisionRates[bucket])
			}
			return terminal.Facts(a.Out, append(pairs, "version", strconv.Itoa(x.Version))...)
		},
	}
}

// keptFor is a retention period for personal data, by its name in the API.
type keptFor struct {
	name string
	n    *int
}

func retentionTimes(r *client.Retention) []keptFor {
	return []keptFor{
		{"draft_days", &r.DraftDays}, {"document_months", &r.DocumentMonths}, {"application_months", &r.ApplicationMonths},
		{"prequalification_months", &r.PrequalificationMonths}, {"owner_months", &r.OwnerMonths},
	}
}

func partyName(p *client.Party) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// party is a name with its address.
func party(p *client.Party) terminal.Maybe {
	if p == nil {
		return ""
	}
	return terminal.Maybe(p.Name + ", " + p.Address)
}

// LenderShow is the command "lender show".
type LenderShow struct{ terminal.Remote }

func (LenderShow) Examples() []string { return []string{"lender show", "lender show --json"} }

func (c *LenderShow) Run(ctx context.Context, a *terminal.App) error {
	return terminal.One(ctx, a, &c.Remote, lenderNoun(), func(api *client.Client, o ...client.Option) (*client.Lender, error) { return api.Lender(ctx, o...) })
}

// LenderSet is the command "lender set".
type LenderSet struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	Creditor         *string           `placeholder:"NAME" help:"Name of the creditor, shown on every document; with --creditor-address. Empty removes it."`
	CreditorAddress  string            `placeholder:"TEXT" help:"Address of the creditor, for adverse action notices."`
	Contact          *string           `placeholder:"TEXT" help:"Contact details shown on documents: a phone number, an address. Empty: the creditor's address."`
	VerifyAccounts   string            `enum:",always,never" default:"" placeholder:"WORD" help:"Which company bank accounts are verified before their first debit: always or never."`
	CoolingOff       int               `placeholder:"DAYS" help:"Banking days before a change of a merchant's bank account takes effect, 1 to 10."`
	Retention        map[string]int    `placeholder:"WHAT=N" help:"Retention of personal data: draft_days, document_months, application_months, prequalification_months, owner_months. Repeatable."`
	Regulator        *string           `placeholder:"NAME" help:"Agency that supervises adverse action notices of this creditor; with --regulator-address. Empty removes it."`
	RegulatorAddress string            `placeholder:"TEXT" help:"Address of the agency."`
	Reason           string            `placeholder:"TEXT" help:"Reason, for the audit log; required with --verify-accounts, --cooling-off and --retention."`
	Provision        map[string]string `placeholder:"BUCKET=RATE" help:"Loan loss reserve rate by days past due, applied to unpaid principal at month end: CURRENT, DPD_1_29, DPD_30_59, DPD_60_89, DPD_90_119, DPD_120_PLUS. Repeatable, one per bucket; none removes a rate."`
}

func (LenderSet) Examples() []string {
	return []string{
		"lender set --creditor 'Harbor Credit LLC' --creditor-address '1 Pier Rd, Boston, MA 02110' --contact help@harborcredit.example",
		"lender set --provision DPD_30_59=0.05 --provision DPD_90_119=none --yes",
		"lender set --retention application_months=36 --retention owner_months=84 --reason 'requested by counsel'",
		"lender set --contact ''",
	}
}

func (c *LenderSet) Run(ctx context.Context, a *terminal.App) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if len(c.Provision) > 0 && !c.DryRun {
		var rates []string
		for _, bucket := range slices.Sorted(maps.Keys(c.Provision)) {
			rates = append(rates, bucket+" "+c.Provision[bucket])
		}
		if err := c.Ask(a, false, fmt.Sprintf("Reserve %s at each month end?", strings.Join(rates, ", "))); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, lenderNoun(), func(api *client.Client, o ...client.Option) (*client.Lender, error) {
		return api.UpdateLender(ctx, settings, append(o, c.Options()...)...)
	}, func(x *client.Lender) string {
		return fmt.Sprintf("Updated the lender's settings to version %d. See: %s lender show", x.Version, a.Program)
	})
}

// settings builds the change from the flags.
func (c *LenderSet) settings() (client.LenderChange, error) {
	change := client.LenderChange{}
	for bucket, rate := range c.Provision {
		if change.ProvisionRates == nil {
			change.ProvisionRates = map[string]*string{}
		}
		if change.ProvisionRates[bucket] = &rate; rate == "none" {
			change.ProvisionRates[bucket] = nil
		}
	}
	for _, p := range []struct {
		flag    string
		name    *string
		address string
		to      **client.Party
	}{{"creditor", c.Creditor, c.CreditorAddress, &change.Creditor}, {"regulator", c.Regulator, c.RegulatorAddress, &change.Regulator}} {
		if (p.name == nil || *p.name == "") != (p.address == "") {
			return change, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("--%s and --%s-address go together", p.flag, p.flag)}
		}
		if name := optional(p.name, p.flag, &change.Clear); name != "" {
			*p.to = &client.Party{Name: name, Address: p.address}
		}
	}
	change.Contact = optional(c.Contact, "contact", &change.Clear)
	change.VerifyAccounts, change.CoolingOffDays, change.Reason = c.VerifyAccounts, c.CoolingOff, c.Reason
	if len(c.Retention) > 0 {
		change.Retention = &client.Retention{}
		if err := c.retention(change.Retention); err != nil {
			return change, err
		}
	}
	if change.Creditor == nil && change.Regulator == nil && change.Contact == "" && change.Clear == nil && change.ProvisionRates == nil && c.VerifyAccounts == "" && c.CoolingOff == 0 && len(c.Retention) == 0 {
		return change, &exit.Failure{Code: exit.Usage, Text: "nothing to set: give --creditor, --contact, --regulator, --verify-accounts, --cooling-off, --retention or --provision"}
	}
	if (c.VerifyAccounts != "" || c.CoolingOff != 0 || len(c.Retention) > 0) && c.Reason == "" {
		return change, &exit.Failure{Code: exit.Usage, Text: "--reason is required"}
	}
	return change, nil
}

// optional handles a flag that may be empty: then its member is cleared.
func optional(flag *string, member string, clear *[]string) string {
	switch {
	case flag == nil:
		return ""
	case *flag == "":
		*clear = append(*clear, member)
	}
	return *flag
}

// retention parses the periods that the flags name.
func (c *LenderSet) retention(to *client.Retention) error {
	for _, name := range slices.Sorted(maps.Keys(c.Retention)) {
		list, n := retentionTimes(to), c.Retention[name]
		i := slices.IndexFunc(list, func(k keptFor) bool { return k.name == name })
		if i < 0 || n < 1 {
			return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("--retention does not accept %s=%d", name, n), Hint: "It takes draft_days, document_months, application_months, prequalification_months and owner_months, with a number above 0."}
		}
		*list[i].n = n
	}
	return nil
}

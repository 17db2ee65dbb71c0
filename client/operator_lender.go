package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Lender is what is kept of the lender itself.
type Lender struct {
	Raw
	ProvisionRates map[string]string `json:"provision_rates"`  // by bucket of days past due, shares from 0 to 1
	Creditor       *Party            `json:"creditor"`         // signs all papers
	Contact        string            `json:"contact"`          // how to reach it, as papers say; "": the creditor's address
	Regulator      *Party            `json:"regulator"`        // as notices of adverse actions name it
	VerifyAccounts string            `json:"verify_accounts"`  // always: accounts of companies are proved before their first debit; never
	CoolingOffDays int               `json:"cooling_off_days"` // banking days for which a change of a merchant's account waits
	Retention      Retention         `json:"retention"`        // for how long what is personal is kept
	Allowance      Amount            `json:"allowance"`        // for losses
	ProvidedTo     string            `json:"provided_to"`      // last month end that was provided for, "" before the first
	ClosedTo       string            `json:"closed_to"`        // last day of the last month that is closed
	Version        int               `json:"version"`          // 0 before the first change
}

// Retention is for how long what is personal is kept. In a change, what is 0 stays.
type Retention struct {
	DraftDays              int `json:"draft_days,omitempty"`              // what was typed and not sent
	DocumentMonths         int `json:"document_months,omitempty"`         // uploads, after the decision
	ApplicationMonths      int `json:"application_months,omitempty"`      // what an application says of people, after the decision
	PrequalificationMonths int `json:"prequalification_months,omitempty"` // after the answer
	OwnerMonths            int `json:"owner_months,omitempty"`            // what an approved application says of people, after its company is closed
}

// Party is somebody with an address to write to.
type Party struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// LenderChange changes the lender's settings. What is nil stays; an empty party, and an
// empty contact, is none any more.
type LenderChange struct {
	ProvisionRates map[string]*string // of these buckets; nil: none any more
	Creditor       *Party
	Contact        *string
	Regulator      *Party
	VerifyAccounts string // always or never; "" stays
	CoolingOffDays int    // 0 stays
	Retention      Retention
	Reason         string // why, for the record; needed with the last three
}

// MarshalJSON writes a merge patch, in which null clears a member.
func (c LenderChange) MarshalJSON() ([]byte, error) {
	patch := map[string]any{}
	if len(c.ProvisionRates) > 0 {
		patch["provision_rates"] = c.ProvisionRates
	}
	for name, p := range map[string]*Party{"creditor": c.Creditor, "regulator": c.Regulator} {
		switch {
		case p == nil:
		case *p == Party{}:
			patch[name] = nil
		default:
			patch[name] = p
		}
	}
	if c.Contact != nil {
		patch["contact"] = nil
		if *c.Contact != "" {
			patch["contact"] = *c.Contact
		}
	}
	if c.VerifyAccounts != "" {
		patch["verify_accounts"] = c.VerifyAccounts
	}
	if c.CoolingOffDays != 0 {
		patch["cooling_off_days"] = c.CoolingOffDays
	}
	if c.Retention != (Retention{}) {
		patch["retention"] = c.Retention
	}
	if c.Reason != "" {
		patch["reason"] = c.Reason
	}
	return json.Marshal(patch)
}

// Alarm is something that waits for a person of the lender.
type Alarm struct {
	Raw
	Kind    string `json:"kind"`
	Subject string `json:"subject"` // identifier of what it is about; of a return rate its name
	Since   string `json:"since"`   // business date, "" if that is not known
	Due     string `json:"due"`     // by when it is to be done, "" if no rule says
	Detail  string `json:"detail"`
	Next    string `json:"next"` // what to do
}

// Screening is a name that resembles one on a sanctions list.
type Screening struct {
	Raw
	ID         string           `json:"id"`
	CompanyID  int64            `json:"company_id"`
	MerchantID string           `json:"merchant_id"`
	List       string           `json:"list"` // its version
	Names      []string         `json:"names"`
	Matches    []ScreeningMatch `json:"matches"` // best first
	Status     string           `json:"status"`  // OPEN CLEARED CONFIRMED
	OpenedAt   time.Time        `json:"opened_at"`
	DecidedAt  *time.Time       `json:"decided_at"`
	Reason     string           `json:"reason"`
	ReportBy   string           `json:"report_by"` // of a confirmed match
	Version    int              `json:"version"`   // for IfMatch: one more with each change
}

// ScreeningMatch is an entry of a sanctions list that resembles a name.
type ScreeningMatch struct {
	Entry string `json:"entry"`
	Name  string `json:"name"`
	Score int    `json:"score"` // likeness in percent
}

// ScreeningFilter narrows a list of screenings.
type ScreeningFilter struct {
	CompanyID          int64
	MerchantID, Status string
}

func screeningAt(id string, more ...string) string {
	return at(append([]string{"v1", "operator", "screenings", id}, more...)...)
}

// Lender returns the lender's settings, and how far its books are.
func (c *Client) Lender(ctx context.Context, options ...Option) (*Lender, error) {
	return send[Lender](ctx, c, http.MethodGet, "/v1/operator/lender", nil, options)
}

// UpdateLender changes the lender's settings.
func (c *Client) UpdateLender(ctx context.Context, change LenderChange, options ...Option) (*Lender, error) {
	return send[Lender](ctx, c, http.MethodPatch, "/v1/operator/lender", change, options)
}

// ListAlarms lists what waits for a person, the most pressing first; of one kind, or all
// for "". It is always one page.
func (c *Client) ListAlarms(ctx context.Context, kind string, options ...Option) (*Page[Alarm], error) {
	q := query{}
	q.text("kind", kind)
	return list[Alarm](ctx, c, "/v1/operator/alarms", q, options)
}

// ListScreenings returns one page of screenings, newest first.
func (c *Client) ListScreenings(ctx context.Context, f ScreeningFilter, p Paging, options ...Option) (*Page[Screening], error) {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("merchant_id", f.MerchantID)
	q.text("status", f.Status)
	q.paging(p)
	return list[Screening](ctx, c, "/v1/operator/screenings", q, options)
}

// Screenings walks all screenings, newest first.
func (c *Client) Screenings(ctx context.Context, f ScreeningFilter) iter.Seq2[*Screening, error] {
	return each(func(p Paging) (*Page[Screening], error) { return c.ListScreenings(ctx, f, p) })
}

// Screening returns one screening.
func (c *Client) Screening(ctx context.Context, id string, options ...Option) (*Screening, error) {
	return send[Screening](ctx, c, http.MethodGet, screeningAt(id), nil, options)
}

// ConfirmScreening says that a name is the listed one: its company is suspended, and no
// money of it moves.
func (c *Client) ConfirmScreening(ctx context.Context, id, reason string, options ...Option) (*Screening, error) {
	return send[Screening](ctx, c, http.MethodPost, screeningAt(id, "confirm"), because{reason}, options)
}

// ClearScreening says that a name is not the listed one: what the screening had held
// goes on.
func (c *Client) ClearScreening(ctx context.Context, id, reason string, options ...Option) (*Screening, error) {
	return send[Screening](ctx, c, http.MethodPost, screeningAt(id, "clear"), because{reason}, options)
}

// UnfreezeCompany lets the money of a closed company move again, after a bank had frozen
// its account.
func (c *Client) UnfreezeCompany(ctx context.Context, id, reason string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "unfreeze", because{reason}, options)
}

// reported is the body of a report, and of its end.
type reported struct {
	Kind   string `json:"kind"`
	On     string `json:"on,omitempty"`
	Reason string `json:"reason"`
}

// ReportCompany records a company's BANKRUPTCY or FRAUD, which is known since a date.
func (c *Client) ReportCompany(ctx context.Context, id, kind, on, reason string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "reports", reported{kind, on, reason}, options)
}

// WithdrawReport withdraws what was recorded of a company.
func (c *Client) WithdrawReport(ctx context.Context, id, kind, reason string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "reports/withdraw", reported{kind, "", reason}, options)
}

package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"time"
)

// Merchant is a shop whose sales are financed.
type Merchant struct {
	Raw
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Programmes []Programme    `json:"programmes"` // all versions, oldest first
	Account    PayAccount     `json:"payout_account"`
	Limits     MerchantLimits `json:"limits"`
	Shop       MerchantShop   `json:"shop"`
	CreatedAt  time.Time      `json:"created_at"`
	UpdatedAt  time.Time      `json:"updated_at"`
}

// MerchantShop is where a merchant sells, and how it shows itself to buyers. Origins are
// scheme, host and port of its pages; what it has not is "".
type MerchantShop struct {
	Origins      []string `json:"origins"`
	SupportEmail string   `json:"support_email"`
	SupportPhone string   `json:"support_phone"`
	TermsURL     string   `json:"terms_url"`
	AccentColor  string   `json:"accent_color"` // #rrggbb
	LogoSHA256   string   `json:"logo_sha256"`
}

// MerchantLimits bound what the lender stands to lose by a merchant.
type MerchantLimits struct {
	Exposure Amount `json:"exposure"` // "" for no limit
	Due      Amount `json:"due"`      // "" for the rule: the larger of 10,000.00 and twice what was settled in 30 days
}

// Programme is one version of a merchant's terms. It never changes.
type Programme struct {
	Raw
	MerchantID    string `json:"merchant_id"`
	Version       int    `json:"version"`
	EffectiveFrom string `json:"effective_from"` // YYYY-MM-DD
	EffectiveTo   string `json:"effective_to"`   // the last such date; "" while no later version is known
	Terms         []Term `json:"terms"`
}

// Term is one number of installments that a programme offers. Rates are decimal
// fractions, such as "0.120000".
type Term struct {
	Installments         int    `json:"installments"`
	Plan                 string `json:"plan"`        // NET30 ZERO AMORTIZED FLAT_FEE
	AnnualRate           string `json:"annual_rate"` // or TIER, for the rate of the company's tier
	MonthlyFeeRate       string `json:"monthly_fee_rate"`
	MerchantDiscountRate string `json:"merchant_discount_rate"`
}

// MerchantRequest makes a merchant. Settings are members of its first programme, as
// a JSON object; what it does not say, and nil, takes the server's defaults.
type MerchantRequest struct {
	Name     string
	Settings json.RawMessage
}

// MarshalJSON writes the name beside the settings.
func (m MerchantRequest) MarshalJSON() ([]byte, error) { return beside("name", m.Name, m.Settings) }

// ProgrammeRequest adds a version of a programme, which is whole: what Settings do
// not say takes the server's defaults, not what the version before has.
type ProgrammeRequest struct {
	EffectiveFrom string // the first business date on which it is in force, YYYY-MM-DD
	Settings      json.RawMessage
}

// MarshalJSON writes the date beside the settings.
func (p ProgrammeRequest) MarshalJSON() ([]byte, error) {
	return beside("effective_from", p.EffectiveFrom, p.Settings)
}

// beside writes a text as one more member of an object.
func beside(name, value string, object json.RawMessage) ([]byte, error) {
	members := map[string]json.RawMessage{}
	if len(object) > 0 {
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if members == nil { // null
		members = map[string]json.RawMessage{}
	}
	members[name] = text
	return json.Marshal(members)
}

// CreateMerchant makes a merchant.
func (c *Client) CreateMerchant(ctx context.Context, m MerchantRequest, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, "/v1/operator/merchants", m, options)
}

// Merchant returns one merchant with its programmes.
func (c *Client) Merchant(ctx context.Context, id string, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodGet, at("v1", "operator", "merchants", id), nil, options)
}

// ListMerchants returns one page of merchants, newest first.
func (c *Client) ListMerchants(ctx context.Context, p Paging, options ...Option) (*Page[Merchant], error) {
	return pages[Merchant](ctx, c, "/v1/operator/merchants", p, options)
}

// Merchants walks all merchants, newest first.
func (c *Client) Merchants(ctx context.Context) iter.Seq2[*Merchant, error] {
	return each(func(p Paging) (*Page[Merchant], error) { return c.ListMerchants(ctx, p) })
}

// AddProgramme adds a version of a merchant's terms. Orders that are authorized keep
// theirs.
func (c *Client) AddProgramme(ctx context.Context, merchant string, p ProgrammeRequest, options ...Option) (*Programme, error) {
	return send[Programme](ctx, c, http.MethodPost, at("v1", "operator", "merchants", merchant, "programmes"), p, options)
}

// ListProgrammes returns one page of the versions of a merchant's terms, the latest
// first.
func (c *Client) ListProgrammes(ctx context.Context, merchant string, p Paging, options ...Option) (*Page[Programme], error) {
	return pages[Programme](ctx, c, at("v1", "operator", "merchants", merchant, "programmes"), p, options)
}

// Programmes walks all versions of a merchant's terms, the latest first.
func (c *Client) Programmes(ctx context.Context, merchant string) iter.Seq2[*Programme, error] {
	return each(func(p Paging) (*Page[Programme], error) { return c.ListProgrammes(ctx, merchant, p) })
}

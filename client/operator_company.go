package client

import (
	"context"
	"net/http"
	"strings"
)

// CompanyRequest makes a company. Name and Limit are required.
type CompanyRequest struct {
	Name           string          `json:"name"`
	LegalName      string          `json:"legal_name,omitempty"`
	TaxIDLast4     string          `json:"tax_id_last4,omitempty"`
	Email          string          `json:"email,omitempty"`
	Phone          string          `json:"phone,omitempty"`
	BillingAddress *CompanyAddress `json:"billing_address,omitempty"`
	Tier           string          `json:"tier,omitempty"` // A B C
	Limit          Amount          `json:"limit,omitempty"`
	Merchants      []string        `json:"merchants,omitempty"` // that may use it
}

// CompanyChange changes a company's details, tier or line. What is nil stays.
type CompanyChange struct {
	Name           *string         `json:"name,omitempty"`
	LegalName      *string         `json:"legal_name,omitempty"`
	TaxIDLast4     *string         `json:"tax_id_last4,omitempty"`
	Email          *string         `json:"email,omitempty"`
	Phone          *string         `json:"phone,omitempty"`
	BillingAddress *CompanyAddress `json:"billing_address,omitempty"`
	Tier           *string         `json:"tier,omitempty"`
	Limit          Amount          `json:"limit,omitempty"`   // "": it stays
	Reasons        []string        `json:"reasons,omitempty"` // of a worse tier, or a lower line
}

// CreateCompany makes a company with its credit line.
func (c *Client) CreateCompany(ctx context.Context, r CompanyRequest, options ...Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodPost, "/v1/operator/companies", r, options)
}

// UpdateCompany changes a company's details, tier or line.
func (c *Client) UpdateCompany(ctx context.Context, id string, change CompanyChange, options ...Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodPatch, at("v1", "operator", "companies", id), change, options)
}

// LinkCompany lets a merchant use a company.
func (c *Client) LinkCompany(ctx context.Context, id, merchant string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "link", map[string]string{"merchant_id": merchant}, options)
}

// UnlinkCompany lets a merchant no longer use a company. Orders that it has made
// stay its own.
func (c *Client) UnlinkCompany(ctx context.Context, id, merchant string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "unlink", map[string]string{"merchant_id": merchant}, options)
}

// SetCreditLine sets what a company may owe. A lower line needs one to four reasons, codes
// or words, that its notice gives.
func (c *Client) SetCreditLine(ctx context.Context, id string, limit Amount, reasons []string, options ...Option) (*Company, error) {
	body := struct {
		Limit   Amount   `json:"limit"`
		Reasons []string `json:"reasons,omitempty"`
	}{limit, reasons}
	return c.companyAct(ctx, id, "line", body, options)
}

// reason says why a company gets another status. What is "" is left out.
type reason struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// HoldCompany stops new orders of a company. The code is for programs and required,
// the message for people.
func (c *Client) HoldCompany(ctx context.Context, id string, why StatusReason, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "hold", reason(why), options)
}

// ReleaseCompany lets a held or suspended company buy again.
func (c *Client) ReleaseCompany(ctx context.Context, id string, options ...Option) (*Company, error) {
	return c.companyAct(ctx, id, "release", struct{}{}, options)
}

// CloseCompany closes a company for good. The notice of it gives one to four reasons, codes
// or words; without them the code of why is the reason.
func (c *Client) CloseCompany(ctx context.Context, id string, why StatusReason, reasons []string, options ...Option) (*Company, error) {
	body := struct {
		reason
		Reasons []string `json:"reasons,omitempty"`
	}{reason(why), reasons}
	return c.companyAct(ctx, id, "close", body, options)
}

func (c *Client) companyAct(ctx context.Context, id, act string, body any, options []Option) (*Company, error) {
	return send[Company](ctx, c, http.MethodPost, at(append([]string{"v1", "operator", "companies", id}, strings.Split(act, "/")...)...), body, options)
}

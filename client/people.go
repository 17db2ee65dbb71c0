package client

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"time"
)

// Person is somebody who acts for a company, or is invited to. Name and e-mail are there of a
// list alone.
type Person struct {
	Raw
	ID         string     `json:"id"`
	CompanyID  int64      `json:"company_id"`
	Role       string     `json:"role"`  // OWNER BUYER VIEWER, "" for nothing any more
	Limit      Amount     `json:"limit"` // of a BUYER
	Invited    bool       `json:"invited"`
	VerifiedAt *time.Time `json:"verified_at"`
	Email      string     `json:"email"`
	FirstName  string     `json:"first_name"`
	LastName   string     `json:"last_name"`
}

// PersonRequest gives somebody a role at a company.
type PersonRequest struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name,omitempty"` // of who is invited
	LastName  string `json:"last_name,omitempty"`
	Role      string `json:"role"`
	Limit     Amount `json:"limit,omitempty"` // of a BUYER alone
}

// CompanyAgreement says whether the master agreement of a company is signed.
type CompanyAgreement struct {
	Status     string `json:"status"` // UNSIGNED SIGNED NOT_ASKED
	DocumentID string `json:"document_id"`
	OnPaper    bool   `json:"on_paper"`
	SignedOn   string `json:"signed_on"` // of one on paper
}

// MasterAgreement is the master agreement of a company, as it was signed.
type MasterAgreement struct {
	Raw
	CompanyID  int64           `json:"company_id"`
	Document   Document        `json:"document"`
	OnPaper    bool            `json:"on_paper"`
	SignedOn   string          `json:"signed_on"`
	RecordedAt time.Time       `json:"recorded_at"`
	Signer     *AgreementSigns `json:"signer"` // nil of one that was signed in a checkout
}

// AgreementSigns is who has signed a master agreement.
type AgreementSigns struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// PaperSignature is the master agreement of a company, signed on paper.
type PaperSignature struct {
	SignerName  string
	SignerTitle string
	SignedOn    string // business date, today at the latest
	Document    []byte // PDF, PNG or JPEG up to 10 MiB
}

func peopleAt(company string, more ...string) string {
	return at(append([]string{"v1", "operator", "companies", company, "people"}, more...)...)
}

func agreementAt(company string) string {
	return at("v1", "operator", "companies", company, "agreement")
}

// ListPeople returns all people of a company. That they were read is recorded.
func (c *Client) ListPeople(ctx context.Context, company string, options ...Option) (*Page[Person], error) {
	return list[Person](ctx, c, peopleAt(company), query{}, options)
}

// SetPerson invites somebody to act for a company, or changes the role of whoever does. It
// asks for a reason: see Because.
func (c *Client) SetPerson(ctx context.Context, company string, r PersonRequest, options ...Option) (*Person, error) {
	return send[Person](ctx, c, http.MethodPost, peopleAt(company), r, options)
}

// RemovePerson ends a person's role at a company, or takes an invitation back. It asks for a
// reason: see Because.
func (c *Client) RemovePerson(ctx context.Context, company, person string, options ...Option) (*Person, error) {
	return send[Person](ctx, c, http.MethodPost, peopleAt(company, person, "remove"), struct{}{}, options)
}

// MasterAgreement returns the master agreement that a company has signed, and who has. That it
// was read is recorded.
func (c *Client) MasterAgreement(ctx context.Context, company string, options ...Option) (*MasterAgreement, error) {
	return send[MasterAgreement](ctx, c, http.MethodGet, agreementAt(company), nil, options)
}

// MasterAgreementFile writes what a company has signed.
func (c *Client) MasterAgreementFile(ctx context.Context, company string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, agreementAt(company), "application/octet-stream", w, options...)
	return err
}

// RecordPaperSignature records that a company has signed its master agreement on paper. It asks
// for a reason: see Because.
func (c *Client) RecordPaperSignature(ctx context.Context, company string, s PaperSignature, options ...Option) (*Company, error) {
	body := struct {
		Name     string `json:"signer_name"`
		Title    string `json:"signer_title"`
		On       string `json:"signed_on"`
		Document string `json:"document"`
	}{s.SignerName, s.SignerTitle, s.SignedOn, base64.StdEncoding.EncodeToString(s.Document)}
	return send[Company](ctx, c, http.MethodPost, agreementAt(company), body, options)
}

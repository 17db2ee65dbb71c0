package client

import (
	"context"
	"io"
	"net/http"
	"time"
)

func reviewedAt(id string, more ...string) string {
	return at(append([]string{"v1", "operator", "applications", id}, more...)...)
}

// ListReviewedApplications returns one page of all applications as the lender sees them,
// newest first, without people.
func (c *Client) ListReviewedApplications(ctx context.Context, f ApplicationFilter, p Paging, options ...Option) (*Page[Application], error) {
	q := f.query()
	q.paging(p)
	return list[Application](ctx, c, "/v1/operator/applications", q, options)
}

// ReviewedApplication returns one application with its people, as the lender sees it. That
// they were read is recorded.
func (c *Client) ReviewedApplication(ctx context.Context, id string, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodGet, reviewedAt(id), nil, options)
}

// Approval approves an application. A limit below the one that was asked for needs Reasons.
type Approval struct {
	Limit   Amount   `json:"limit"`
	Tier    string   `json:"tier"` // A B C
	Reasons []string `json:"reasons,omitempty"`
}

// ApproveApplication approves an application. It asks for a reason: see Because.
func (c *Client) ApproveApplication(ctx context.Context, id string, a Approval, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "approve"), a, options)
}

// DeclineApplication declines an application with up to four reason codes for its notice,
// and a note for the record.
func (c *Client) DeclineApplication(ctx context.Context, id, note string, reasons []string, options ...Option) (*Application, error) {
	body := struct {
		Reasons []string `json:"reasons"`
		Note    string   `json:"note,omitempty"`
	}{reasons, note}
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "decline"), body, options)
}

// RequestInformation asks an applicant for something by a date, "": in two weeks.
func (c *Client) RequestInformation(ctx context.Context, id string, r ApplicationInformation, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "request"), r, options)
}

// AssignApplication says who looks at an application, "" for nobody.
func (c *Client) AssignApplication(ctx context.Context, id, to string, options ...Option) (*Application, error) {
	body := struct {
		To string `json:"to,omitempty"`
	}{to}
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "assign"), body, options)
}

// NoticeLetter is a notice as the applicant, or an owner, gets it.
type NoticeLetter struct {
	ApplicationID string         `json:"application_id"`
	Kind          string         `json:"kind"`
	DueOn         string         `json:"due_on"`
	SentAt        *time.Time     `json:"sent_at"`
	Name          string         `json:"name"`
	Email         string         `json:"email"`
	Address       CompanyAddress `json:"address"`
	Subject       string         `json:"subject"`
	Text          string         `json:"text"`
}

// ApplicationNotice returns the notice that an application owes, as the applicant gets it.
func (c *Client) ApplicationNotice(ctx context.Context, id string, options ...Option) (*NoticeLetter, error) {
	return send[NoticeLetter](ctx, c, http.MethodGet, reviewedAt(id, "notice"), nil, options)
}

// OwnerNotice returns the notice to the owner whose credit report was used and who has not
// applied.
func (c *Client) OwnerNotice(ctx context.Context, id string, options ...Option) (*NoticeLetter, error) {
	return send[NoticeLetter](ctx, c, http.MethodGet, reviewedAt(id, "notice")+ownersNotice, nil, options)
}

// ownersNotice asks for the notice of the owner in the place of the applicant's.
const ownersNotice = "?owner=true"

// SendOwnerNotice records that the notice to an owner was posted.
func (c *Client) SendOwnerNotice(ctx context.Context, id, channel, evidence string, options ...Option) (*Application, error) {
	body := struct {
		Channel  string `json:"channel"`
		Evidence string `json:"evidence"`
		Owner    bool   `json:"owner"`
	}{channel, evidence, true}
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "notice"), body, options)
}

// SendApplicationNotice records that an application's notice was sent by another way than
// mail.
func (c *Client) SendApplicationNotice(ctx context.Context, id, channel, evidence string, options ...Option) (*Application, error) {
	body := struct {
		Channel  string `json:"channel"`
		Evidence string `json:"evidence"`
	}{channel, evidence}
	return send[Application](ctx, c, http.MethodPost, reviewedAt(id, "notice"), body, options)
}

// ApplicationDocument writes a file of an application.
func (c *Client) ApplicationDocument(ctx context.Context, id, document string, w io.Writer, options ...Option) error {
	_, err := c.Download(ctx, reviewedAt(id, "documents", document), "application/octet-stream", w, options...)
	return err
}

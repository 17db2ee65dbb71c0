package client

import (
	"context"
	"net/http"
)

// SubmitApplication submits a business's application: an *ApplicationRequest, or the same as
// JSON.
func (c *Client) SubmitApplication(ctx context.Context, request any, options ...Option) (*Application, error) {
	return send[Application](ctx, c, http.MethodPost, "/v1/applications", request, options)
}

// Prequalify asks for an estimate of a business's line: an *EstimateRequest, or the same as JSON.
// If the answer is no, the applicant is mailed a notice, and asking again on the same day is
// refused.
func (c *Client) Prequalify(ctx context.Context, request any, options ...Option) (*Estimate, error) {
	return send[Estimate](ctx, c, http.MethodPost, "/v1/prequalifications", request, options)
}

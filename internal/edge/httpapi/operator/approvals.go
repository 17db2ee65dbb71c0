package operator

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/staff"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

type approvalID struct {
	ID string `path:"id" prefix:"apv_" doc:"The approval's identifier." example:"apv_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

type approvalFilter struct {
	Status string         `query:"status" enum:"WAITING,APPROVED,DECLINED,WITHDRAWN,EXPIRED" doc:"With this status." example:"WAITING"`
	Object string         `query:"object" pattern:"^[a-z_]+/[A-Za-z0-9_-]+$" doc:"About this object: its type and its identifier." example:"order/ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	From   *calendar.Date `query:"from" doc:"Requested on or after this business date." example:"2026-01-01"`
	To     *calendar.Date `query:"to" doc:"Requested on or before this business date." example:"2026-01-31"`
	rest.Page
}

// Check implements rest.Checker.
func (f *approvalFilter) Check(report func(name, code, detail string)) {
	serve.CheckRange(f.From, f.To, report)
}

// Approvals returns the operations on what waits for a second person.
func (s API) Approvals() []rest.Operation {
	const path = "/v1/operator/approvals"
	const whoever = "Also takes the scope of the act, such as `money:manage` for a refund."
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeApprovals, Response: resource.Approval{}, ETag: true}.With([]rest.Operation{
		{
			ID: "listApprovals", Method: "GET", Path: path, Summary: "List requests for approval", Doc: "Newest first.",
			Response: resource.List[resource.Approval]{}, Endpoint: rest.Handle(s.listApprovals),
		},
		{ID: "getApproval", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a request for approval", Endpoint: rest.Handle(s.getApproval)},
		{
			ID: "approve", Method: "POST", Path: path + "/{id}/approve", Summary: "Approve a request",
			Doc: "Must be another client, or a staff member, than requested it. " + whoever + " The act is decided anew and done in the same commit; 412 if what it is about has changed since it was requested. " +
				"Any problem of the act itself is answered as such, and the request keeps waiting.",
			DryRun: resource.BooksDryRun[resource.Approval]{}, Problems: approvalProblems(), Endpoint: rest.Handle(s.approve),
		},
		{
			ID: "endApproval", Method: "POST", Path: path + "/{id}/end", Summary: "End a request for approval",
			Doc:      "The client that requested it withdraws it; any other declines it. " + whoever,
			Problems: []string{"invalid_transition"}, Endpoint: rest.Handle(s.endApproval),
		},
	})
}

// approvalProblems are those of every act that may wait.
func approvalProblems() (out []string) {
	for _, r := range credit.Reasons() {
		if r.Stage >= credit.StagePrecondition || r == credit.CompanyNotLinked {
			out = append(out, r.Code)
		}
	}
	return out
}

func (s API) listApprovals(c *rest.Call, f *approvalFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		q := s.RecordFilter(c, f.Status, f.From, f.To)
		q.Of = f.Object
		found, err := store.ListRecords(v, credit.NounApproval, q, serve.PageOf(f.Page))
		at := func(r credit.Record) rest.Position {
			return rest.Position{CreatedAt: r.Head().CreatedAt, ID: r.Head().ID}
		}
		return serve.Listed(c, f.Page, found, at, func(r credit.Record) resource.Approval { return resource.NewApproval(r.(*credit.Approval), "") }), err
	})
}

func (s API) getApproval(c *rest.Call, p *approvalID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := findApproval(v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(resource.NewApproval(x, ""), serve.VersionTag(x.Version))
	})
}

func findApproval(v store.View, id string) (*credit.Approval, error) {
	x, err := buyer.Load[*credit.Approval](v, id)
	if err == nil && x == nil {
		err = rest.NotFound()
	}
	return x, err
}

// decidable reads an approval that the token may decide.
func (s API) decidable(c *rest.Call, id string) (x *credit.Approval, err error) {
	_, err = s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err = findApproval(v, id)
		return rest.Answer{}, err
	})
	if err != nil {
		return nil, err
	}
	scope := access.ScopeOf(x.Permission)
	if scope == "" || !access.OperatorMay(c.Principal.Scopes, scope) {
		return nil, rest.NewProblem(rest.CodeScope, fmt.Sprintf("Deciding on %s takes the scope %s.", x.Permission, scope))
	}
	return x, nil
}

func (s API) approve(c *rest.Call, p *approvalID, _ *serve.BecauseBody) (rest.Answer, error) {
	x, err := s.decidable(c, p.ID)
	if err != nil {
		return rest.Answer{}, err
	}
	cmd, err := journal.Approve(x)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, approvalAnswer)
}

// approvalAnswer answers with the approval, whatever the act itself answers with.
func approvalAnswer(ch credit.Changes) serve.Success {
	for _, r := range ch.Records {
		if x, ok := r.(*credit.Approval); ok {
			w := resource.NewApproval(x, "")
			return serve.Success{Body: &w, Status: 200, Etag: serve.VersionTag(x.Version)}
		}
	}
	panic("a decision without its approval")
}

func (s API) endApproval(c *rest.Call, p *approvalID, _ *serve.BecauseBody) (rest.Answer, error) {
	if _, err := s.decidable(c, p.ID); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, staff.EndApproval{Approval: p.ID}, approvalAnswer)
}

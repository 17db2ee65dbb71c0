package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// predict answers a dry run: the command is decided in its place among all others, on the
// state that a real one would find, and none of it is kept (P13).
func (s *Service) predict(c *rest.Call, cmd credit.Command, encode func(credit.Changes) Success) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), decisionTimeout)
	defer cancel()
	actor := Actor(c)
	actor.Key = ""
	result, err := s.Submit.Submit(ctx, engine.Request{
		Command: cmd, Actor: actor, Address: c.From(), Seed: s.Seed(), DryRun: true,
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r == nil {
				return engine.Response{Status: 200} // it is written outside of the writer, which others wait for
			}
			return respond(c, ch, r, encode, "")
		},
	})
	if errors.Is(err, engine.ErrOutcomeUnknown) {
		return rest.Answer{}, rest.Unavailable(rest.CodeOverloaded, time.Second) // nothing was meant to change
	}
	if err != nil {
		return rest.Answer{}, Failure(err)
	}
	if result.Rejection != nil {
		return rest.Answer{Status: result.Status, Raw: result.Body, ContentType: result.ContentType, AsOfSeq: result.Q, Refusal: result.Rejection.Code}, nil
	}
	body, err := s.preview(result, encode(result.Changes).Body)
	return rest.Answer{Status: 200, Raw: body, ContentType: rest.MediaJSON, AsOfSeq: result.Q}, err
}

// preview writes what a command would do.
func (s *Service) preview(r engine.Result, shown any) ([]byte, error) {
	switch w := shown.(type) {
	case *resource.Order:
		o := r.Changes.Result.(*credit.Order)
		return previewOf(s, r, *w, o.Company, o.Key)
	case *resource.Payment:
		p := r.Changes.Result.(*credit.Payment)
		return previewOf(s, r, *w, p.Company, p.Order)
	case *resource.Remittance:
		return resource.EncodeDryRun(resource.BooksDryRun[resource.Remittance]{Result: *w, Entries: w.Entries}, r.Changes, r.At)
	case *resource.Receipt:
		return resource.EncodeDryRun(resource.BooksDryRun[resource.Receipt]{Result: *w, Entries: Posted(r.Changes)}, r.Changes, r.At)
	case *resource.Approval:
		return resource.EncodeDryRun(resource.BooksDryRun[resource.Approval]{Result: *w, Entries: Posted(r.Changes)}, r.Changes, r.At)
	case *resource.Entry:
		return resource.EncodeDryRun(resource.BooksDryRun[resource.Entry]{Result: *w, Entries: []resource.Entry{*w}}, r.Changes, r.At)
	}
	return nil, fmt.Errorf("dry run of a command that returns %T", shown)
}

func previewOf[T any](s *Service, r engine.Result, w T, company int64, order string) ([]byte, error) {
	before := r.State.Companies[company]
	r.State.Apply(r.Changes)
	after := r.State.Companies[company]
	if before == nil || after == nil {
		return nil, fmt.Errorf("dry run of a command that does not load company %d", company)
	}
	d := resource.NewDryRun(w, scheduleOf(r.State, order, s.Zone.Date(r.At)), r.Changes, before, after)
	return resource.EncodeDryRun(d, r.Changes, r.At)
}

// scheduleOf is the schedule of an order in a state, as read on a day: nil if the command
// names no order, or if no offered term is chosen.
func scheduleOf(state *credit.State, key string, day calendar.Date) *resource.Schedule {
	o := state.Orders[key]
	if o == nil {
		return nil
	}
	var w resource.Schedule
	switch l := state.Loans[key]; {
	case l != nil:
		w = resource.NewSchedule(o, l.Standing(explain.Held(state.Credits[o.Company]), day), day)
	case o.Status == credit.OrderCanceled:
		w = resource.NewCanceledSchedule(o)
	default:
		estimate, r := onboarding.Estimate(state, o, day)
		if r != nil {
			return nil
		}
		w = resource.NewEstimate(o, estimate, day)
	}
	return &w
}

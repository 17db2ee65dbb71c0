package serve

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// Encode encodes a value as JSON: money with two decimals, everything else as package rest
// does.
func Encode(v any) ([]byte, error) {
	if b, ok := resource.EncodeResource(v); ok {
		return b, nil
	}
	return rest.Encode(v)
}

// Tagged answers with a value and an entity tag computed from its bytes.
func Tagged(body any) (rest.Answer, error) {
	raw, err := Encode(body)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.TaggedJSON(raw), nil
}

// ListOf answers with one page. more reports that there are items after the last one; at
// returns the position of an item.
func ListOf[T any](c *rest.Call, items []T, more bool, at func(T) rest.Position) rest.Answer {
	cursor, a := "", rest.Answer{}
	if more && len(items) > 0 {
		cursor, a.Link = c.Next(at(items[len(items)-1]))
	}
	page := resource.NewList(items, cursor)
	a.Body = &page
	return a
}

// CompanyFor is a company as a caller sees it.
func CompanyFor(p rest.Principal, x *credit.Company, late resource.Lateness) resource.Company {
	w := resource.NewCompany(x, late, p.Operator)
	if !p.Operator {
		w.For(x, p.Tenant)
	}
	return w
}

// CompanyAnswer answers with a company, as the operator or a merchant sees it. late is not
// in the record.
func CompanyAnswer(late resource.Lateness, p rest.Principal) func(credit.Changes) Success {
	return func(ch credit.Changes) Success {
		x := ch.Result.(*credit.Company)
		w := CompanyFor(p, x, late)
		tagged, err := Tagged(&w)
		if err != nil {
			panic(err) // a resource that cannot be encoded is a bug; the engine isolates it
		}
		ok := Success{Body: &w, Etag: tagged.ETag}
		if ch.Created {
			ok.Location = "/v2/companies/" + strconv.FormatInt(x.ID, 10)
		}
		return ok
	}
}

// Cut takes one page, plus one record, of a list that is short enough to read completely:
// merchants of a deployment, versions of a program.
func Cut[R any](p rest.Page, all []R, at func(R) rest.Position) []R {
	order := func(a, b rest.Position) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) }
	rest := slices.SortedFunc(slices.Values(all), func(a, b R) int { return order(at(a), at(b)) })
	if p.After != nil {
		rest = slices.DeleteFunc(rest, func(r R) bool { return order(at(r), *p.After) <= 0 })
	}
	return rest[:min(len(rest), p.Limit+1)]
}

// Posted returns the entries of a decision. The header names their commit.
func Posted(ch credit.Changes) []resource.Entry {
	out := make([]resource.Entry, len(ch.Entries))
	for i := range ch.Entries {
		out[i] = resource.NewEntry(&ch.Entries[i], 0)
	}
	return out
}

// Answer answers with one resource in the fast encoding.
func Answer[W any](w W, etag string) (rest.Answer, error) {
	raw, err := resource.Encode(&w)
	return rest.Answer{Raw: raw, ContentType: rest.MediaJSON, ETag: etag}, err
}

// PaymentAnswer answers with a payment.
func PaymentAnswer(ch credit.Changes) Success {
	p := ch.Result.(*credit.Payment)
	w := resource.NewPayment(p)
	ok := Success{Body: &w, Etag: VersionTag(p.Version)}
	if ch.Created {
		ok.Location = "/payment/" + p.ID
	}
	return ok
}

// RawBody is an already encoded body of an answer.
type RawBody []byte

// Success is the answer to an accepted command.
type Success struct {
	Body     any // a pointer to a resource of package resource, or a RawBody; nil: 204
	Status   int // of a success; 0: 201 if something was created, else 200
	Location string
	Etag     string
	Secret   bool // the body shows a secret: it is stored sealed
}

// respond writes the answer of a decision.
func respond(c *rest.Call, ch credit.Changes, r *credit.Rejection, encode func(credit.Changes) Success, secret string) engine.Response {
	if r != nil {
		p := &rest.Problem{Code: r.Code, Detail: r.Detail, Members: r.Members}
		_, body := c.Problem(p)
		return engine.Response{Status: r.Status, Body: body, ContentType: rest.MediaProblem}
	}
	if a, waits := ch.Result.(*credit.Approval); waits && ch.Created {
		encode = func(credit.Changes) Success { return waiting(a, secret) }
	}
	ok := encode(ch)
	if ok.Body == nil {
		return engine.Response{Status: http.StatusNoContent}
	}
	body, written := ok.Body.(RawBody)
	if !written {
		var err error
		if body, err = resource.Encode(ok.Body); err != nil {
			panic(err) // a resource that cannot be encoded is a bug; the engine isolates it
		}
	}
	status := ok.Status
	switch {
	case status != 0:
	case ch.Created:
		status = http.StatusCreated
	case c.Operation.Again == "" && !c.DryRun:
		status = c.Operation.Success
	default:
		status = http.StatusOK
	}
	return engine.Response{Status: status, Body: body, ContentType: rest.MediaJSON, Location: ok.Location, ETag: ok.Etag, Secret: ok.Secret}
}

// waiting answers that an act waits for a second person, with the secret that works once it is
// approved; "": none.
func waiting(a *credit.Approval, secret string) Success {
	w := resource.NewApproval(a, secret)
	return Success{Body: &w, Status: http.StatusAccepted, Location: "/v1/operator/approvals/" + a.ID, Secret: secret != ""}
}

// Failure turns an error of the engine into a problem.
func Failure(err error) error {
	switch {
	case errors.Is(err, engine.ErrKeyReused):
		return rest.NewProblem("idempotency_key_reused", "Another request was made with this Idempotency-Key.")
	case errors.Is(err, engine.ErrKeyInUse):
		p := rest.NewProblem("idempotency_key_in_use", "The first request with this Idempotency-Key is still running.")
		p.RetryAfter = time.Second
		return p
	case errors.Is(err, engine.ErrOutcomeUnknown):
		return rest.Unavailable("outcome_unknown", time.Second)
	case errors.Is(err, engine.ErrReadOnly):
		return rest.Unavailable("read_only", 5*time.Second)
	case errors.Is(err, engine.ErrOverloaded), errors.Is(err, engine.ErrClosed), errors.Is(err, engine.ErrExpired),
		errors.Is(err, engine.ErrNotCommitted):
		return rest.Unavailable(rest.CodeOverloaded, time.Second)
	}
	return err
}

// IfMatch returns the entity tags of which one must match.
func IfMatch(c rest.Condition) []string {
	if !c.Given() {
		return nil
	}
	if c.Any {
		return []string{"*"}
	}
	tags := []string{} // a header with only weak tags matches nothing
	for _, t := range c.Tags {
		if !t.Weak {
			tags = append(tags, t.Opaque)
		}
	}
	return tags
}

// VersionTag is the entity tag of a version.
func VersionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// OrderAnswer answers with an order.
func OrderAnswer(ch credit.Changes) Success {
	o := ch.Result.(*credit.Order)
	w := resource.NewOrder(o)
	ok := Success{Body: &w, Etag: VersionTag(o.Version)}
	if ch.Created {
		ok.Location = "/v1/order/" + o.Key
	}
	return ok
}

// PageOf asks for one record more than the page holds, to detect whether there are more.
func PageOf(p rest.Page) store.Page {
	q := store.Page{Limit: p.Limit + 1}
	if p.After != nil {
		q.AfterAt, q.AfterID = p.After.CreatedAt, p.After.ID
	}
	return q
}

// Listed answers with one page of records, each shown as a resource.
func Listed[R, W any](c *rest.Call, p rest.Page, records []R, at func(R) rest.Position, show func(R) W) rest.Answer {
	more := len(records) > p.Limit
	if more {
		records = records[:p.Limit]
	}
	positions := make([]rest.Position, len(records))
	items := make([]W, len(records))
	for i, r := range records {
		positions[i], items[i] = at(r), show(r)
	}
	last := rest.Position{}
	if len(positions) > 0 {
		last = positions[len(positions)-1]
	}
	a := ListOf(c, items, more, func(W) rest.Position { return last })
	for _, p := range positions {
		a.Listed = append(a.Listed, p.ID)
	}
	return a
}

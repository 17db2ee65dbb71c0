package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// Store is what the API needs of a store.Backend.
type Store interface {
	store.Viewer
	store.Banking
	store.Reconciliation
}

// Service is the API's nouns: it turns requests into commands and reads into
// resources. It decides nothing and writes nothing itself.
type Service struct {
	Submit engine.Submitter
	Store  Store
	Zone   calendar.Zone
	Now    func() time.Time // the business clock
	Seed   func() [16]byte  // at random, one a command

	OAuth *auth.Server
	// Seal makes signing secrets and accounts unreadable; about names the place that they
	// belong to. Open opens what Seal has sealed.
	Seal func(plain []byte, about string) []byte
	Open func(sealed []byte, about string) ([]byte, error)
	// Fingerprint is the blind index of an account: equal for the same one, under a key
	// that the database does not hold.
	Fingerprint func(routing, number string) string
	// CheckURL says what speaks against sending events to an address, "" if nothing.
	CheckURL func(address string) string
	// SilentBank says that the bank acknowledges no files, so that none is an alarm.
	SilentBank bool
	// Reads has reads of personal data recorded, soon; nil: they are not.
	Reads func(engine.Request)
	// Sandbox says that clients may hold the scope sandbox.
	Sandbox bool
	// Controls move a sandbox's clock and bank; nil in live mode, which has none of
	// their operations.
	Controls Controls
	// SuspendLater plans that a sandbox suspends a company when its clock passes an
	// instant; nil: it never does.
	SuspendLater func(ctx context.Context, company int64, at time.Time) error
	// Desk is the buyer's side: checkouts and applications; nil: there are none of their
	// operations.
	Desk *buyer.Desk
	// Receivers are a sandbox's own receivers of webhooks; nil: it has none.
	Receivers Receivers
}

// Table is every operation of the API, in the order of the contract.
func (s *Service) Table() []rest.Operation {
	var table []rest.Operation
	for _, noun := range [][]rest.Operation{
		s.orders(), s.orderActs(), s.orderReads(), s.desked(s.orderPapers(), s.checkouts(), s.promotions(), s.applications(), s.cases()), s.payments(), s.companies(), s.companyLists(), s.paymentMethods(), s.autopay(), s.statements(),
		s.invoices(), s.payouts(), s.reconciliations(),
		s.events(), s.webhooks(), s.deliveries(), s.requests(), s.oauth(),
		s.operator(), s.operatorMerchants(), s.operatorCompanies(), s.desked(s.operatorPeople(), s.operatorAgreements(), s.operatorApplications(), s.operatorCases()), s.operatorClients(), s.operatorMoney(), s.operatorRefunds(), s.operatorReceipts(), s.operatorBooks(), s.operatorLender(), s.operatorAudit(), s.bankLines(), s.bankMatches(), s.bankNotices(),
	} {
		table = append(table, noun...)
	}
	if s.Controls != nil {
		table = slices.Concat(table, s.sandbox(), s.mailbox(), s.sandboxBuyers())
	}
	if s.Receivers != nil {
		table = append(table, s.receivers()...)
	}
	return s.recorded(table)
}

// desked are operations of the buyer's side, none without a desk.
func (s *Service) desked(nouns ...[]rest.Operation) []rest.Operation {
	if s.Desk == nil {
		return nil
	}
	return slices.Concat(nouns...)
}

// today is the business date of a read.
func (s *Service) today() calendar.Date { return s.Zone.Date(s.Now()) }

// rawBody is the body of an answer that is written already.
type rawBody []byte

// success says how a command that was accepted is answered.
type success struct {
	body     any // a pointer to a resource of package resource, or a rawBody; nil: 204
	status   int // of a success; 0: 201 if something was made, else 200
	location string
	etag     string
	secret   bool // the body shows a secret: it is stored sealed
}

// decisionTimeout is how long a caller waits for its command's commit before it is
// told that the outcome is not known yet (EN5). It leaves time to write that answer
// before the connection's own time ends.
const decisionTimeout = rest.AnswerTimeout - 10*time.Second

// readTimeout is how long the database may take for a read: one that has gone silent
// must not hold every request.
const readTimeout = 10 * time.Second

// do submits a command and answers with what encode makes of its changes, or
// with the problem of its rejection. Both are written inside the transaction
// that stores them. A dry run is only predicted.
func (s *Service) do(c *rest.Call, cmd credit.Command, encode func(credit.Changes) success) (rest.Answer, error) {
	if c.DryRun {
		return s.predict(c, cmd, encode)
	}
	// The command goes on without its caller, and its answer is kept for the repeat.
	ctx, cancel := context.WithTimeout(c.Context(), decisionTimeout)
	defer cancel()
	result, err := s.Submit.Submit(ctx, engine.Request{
		Command: cmd, Actor: actor(c), Address: c.From(), Reason: reasonOf(c), Seed: s.Seed(), RequestHash: c.Fingerprint(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response { return respond(c, ch, r, encode) },
	})
	if err != nil {
		return rest.Answer{}, failure(err)
	}
	refusal := ""
	if result.Rejection != nil {
		refusal = result.Rejection.Code
	}
	return rest.Answer{
		Status: result.Status, Raw: result.Body, ContentType: result.ContentType, ETag: result.ETag,
		Location: result.Location, CommitSeq: result.Q, Replayed: result.Replayed, Refusal: refusal,
	}, nil
}

// actor is the caller as the domain sees it.
func actor(c *rest.Call) credit.Actor {
	return credit.Actor{
		Client: c.Principal.ClientID, Merchant: c.Principal.Tenant, Operator: c.Principal.Operator,
		RequestID: c.RequestID, Key: c.IdempotencyKey,
	}
}

// respond writes the answer of a decision.
func respond(c *rest.Call, ch credit.Changes, r *credit.Rejection, encode func(credit.Changes) success) engine.Response {
	if r != nil {
		p := &rest.Problem{Code: r.Code, Detail: r.Detail, Members: r.Members}
		_, body := c.Problem(p)
		return engine.Response{Status: r.Status, Body: body, ContentType: rest.MediaProblem}
	}
	ok := encode(ch)
	if ok.body == nil {
		return engine.Response{Status: http.StatusNoContent}
	}
	body, written := ok.body.(rawBody)
	if !written {
		var err error
		if body, err = resource.Encode(ok.body); err != nil {
			panic(err) // a resource that cannot be written is a bug; the engine isolates it
		}
	}
	status := ok.status
	switch {
	case status != 0:
	case ch.Created:
		status = http.StatusCreated
	case c.Operation.Again == "" && !c.DryRun:
		status = c.Operation.Success
	default:
		status = http.StatusOK
	}
	return engine.Response{Status: status, Body: body, ContentType: rest.MediaJSON, Location: ok.location, ETag: ok.etag, Secret: ok.secret}
}

// failure turns what the engine says of the world into a problem.
func failure(err error) error {
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

// read runs fn on one snapshot and answers with its commit sequence.
func (s *Service) read(c *rest.Call, fn func(store.View) (rest.Answer, error)) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), readTimeout)
	defer cancel()
	var a rest.Answer
	err := s.Store.View(ctx, func(v store.View) error {
		var err error
		a, err = fn(v)
		a.AsOfSeq = v.Seq()
		return err
	})
	return a, err
}

// ifMatch gives a command the entity tags of which one must match.
func ifMatch(c rest.Condition) []string {
	if !c.Given() {
		return nil
	}
	if c.Any {
		return []string{"*"}
	}
	tags := []string{} // a header with weak tags only matches nothing
	for _, t := range c.Tags {
		if !t.Weak {
			tags = append(tags, t.Opaque)
		}
	}
	return tags
}

func versionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// orderAnswer answers with an order.
func orderAnswer(ch credit.Changes) success {
	o := ch.Result.(*credit.Order)
	w := resource.NewOrder(o)
	ok := success{body: &w, etag: versionTag(o.Version)}
	if ch.Created {
		ok.location = "/v1/order/" + o.Key
	}
	return ok
}

// findOrder reads an order that the caller may see, without its loan.
func findOrder(c *rest.Call, v store.View, key string) (*credit.Order, error) {
	return orderAt(c, v, key, moment{q: store.Latest})
}

// loadOrder reads an order that the caller may see, with its loan.
func loadOrder(c *rest.Call, v store.View, key string) (*credit.State, *credit.Order, error) {
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Orders: []string{key}}); err != nil {
		return nil, nil, err
	}
	o := s.Orders[key]
	return s, o, mayRead(c, o)
}

// mayRead answers that there is no such order if it is nil or another merchant's.
func mayRead(c *rest.Call, o *credit.Order) error {
	if o == nil || !c.Principal.Operator && o.Merchant != c.Principal.Tenant {
		return rest.NotFound()
	}
	return nil
}

// pageOf asks for one record more than the page holds, to know if there are more.
func pageOf(p rest.Page) store.Page {
	q := store.Page{Limit: p.Limit + 1}
	if p.After != nil {
		q.AfterAt, q.AfterID = p.After.CreatedAt, p.After.ID
	}
	return q
}

// listed answers one page of records, each shown as a resource.
func listed[R, W any](c *rest.Call, p rest.Page, records []R, at func(R) rest.Position, show func(R) W) rest.Answer {
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
	a := listOf(c, items, more, func(W) rest.Position { return last })
	for _, p := range positions {
		a.Listed = append(a.Listed, p.ID)
	}
	return a
}

// decides makes an endpoint of what turns a request into a command. It answers with what the
// command has made or changed.
func decides[P, B any](s *Service, answer func(credit.Changes) success, command func(*rest.Call, *P, *B) credit.Command) rest.Endpoint {
	return rest.Handle(func(c *rest.Call, p *P, b *B) (rest.Answer, error) { return s.do(c, command(c, p, b), answer) })
}

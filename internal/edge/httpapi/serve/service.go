package serve

import (
	"context"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// Store is the part of store.Backend that the API needs.
type Store interface {
	store.Viewer
	store.Banking
	store.Reconciliation
}

// Service implements the API's operations: it turns requests into commands and reads into
// resources. It decides nothing and writes nothing itself.
type Service struct {
	Submit engine.Submitter
	Store  Store
	Zone   calendar.Zone
	Now    func() time.Time // the business clock
	Seed   func() [16]byte  // random, one per command

	OAuth *auth.Server
	// Seal encrypts signing secrets and accounts; about names the place that they belong
	// to. Open decrypts what Seal has sealed.
	Seal func(plain []byte, about string) []byte
	Open func(sealed []byte, about string) ([]byte, error)
	// Fingerprint is the blind index of an account: equal for equal accounts, under a key
	// that is not in the database.
	Fingerprint func(routing, number string) string
	// CheckURL returns why events must not be sent to a URL, "" if they may.
	CheckURL func(address string) string
	// SilentBank means that the bank acknowledges no files, so that a missing answer is not
	// an alarm.
	SilentBank bool
	// Reads records reads of personal data, in the background; nil: they are not recorded.
	Reads func(engine.Request)
	// Sandbox means that clients may hold the scope sandbox.
	Sandbox bool
	// Controls move a sandbox's clock and bank; nil in live mode, which has none of their
	// operations.
	Controls Controls
	// SuspendLater schedules the suspension of a company in a sandbox when its clock passes
	// an instant; nil: never.
	SuspendLater func(ctx context.Context, company int64, at time.Time) error
	// Desk is the buyer's side: checkouts and applications; nil: their operations do not
	// exist.
	Desk *buyer.Desk
	// Receivers are a sandbox's own webhook receivers; nil: it has none.
	Receivers Receivers
}

// Today is the business date of a read.
func (s *Service) Today() calendar.Date { return s.Zone.Date(s.Now()) }

// decisionTimeout is how long a caller waits for its command's commit before it is told
// that the outcome is not known yet (EN5). It leaves time to write that answer before the
// connection's own timeout.
const decisionTimeout = rest.AnswerTimeout - 10*time.Second

// ReadTimeout is how long the database may take for a read: a silent one must not hold
// every request.
const ReadTimeout = 10 * time.Second

// Do submits a command and answers with what encode makes of its changes, or with the
// problem of its rejection. Both are written inside the transaction that stores them. A dry
// run is only predicted.
func (s *Service) Do(c *rest.Call, cmd credit.Command, encode func(credit.Changes) Success) (rest.Answer, error) {
	return s.DoSecret(c, cmd, "", encode)
}

// DoSecret is Do for a command that makes a secret work. If it must wait for a second person, the
// answer to the request shows the secret: there is no other time to show it.
func (s *Service) DoSecret(c *rest.Call, cmd credit.Command, secret string, encode func(credit.Changes) Success) (rest.Answer, error) {
	if c.DryRun {
		return s.predict(c, cmd, encode)
	}
	// The command continues without its caller, and its answer is stored for a repeat.
	ctx, cancel := context.WithTimeout(c.Context(), decisionTimeout)
	defer cancel()
	result, err := s.Submit.Submit(ctx, engine.Request{
		Command: cmd, Actor: Actor(c), Address: c.From(), Reason: reasonOf(c), Seed: s.Seed(), RequestHash: c.Fingerprint(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response { return respond(c, ch, r, encode, secret) },
	})
	if err != nil {
		return rest.Answer{}, Failure(err)
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

// Actor is the caller as the domain sees it.
func Actor(c *rest.Call) credit.Actor {
	return credit.Actor{
		Client: c.Principal.ClientID, Merchant: c.Principal.Tenant, Operator: c.Principal.Operator,
		RequestID: c.RequestID, Key: c.IdempotencyKey,
	}
}

// Read runs fn on one snapshot and answers with its commit sequence.
func (s *Service) Read(c *rest.Call, fn func(store.View) (rest.Answer, error)) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), ReadTimeout)
	defer cancel()
	var a rest.Answer
	err := store.Glance(ctx, s.Store, func(v store.View) error {
		var err error
		a, err = fn(v)
		a.AsOfSeq = v.Seq()
		return err
	})
	return a, err
}

// Decides makes an endpoint from a function that turns a request into a command. It answers
// with what the command has created or changed.
func Decides[P, B any](s *Service, answer func(credit.Changes) Success, command func(*rest.Call, *P, *B) credit.Command) rest.Endpoint {
	return rest.Handle(func(c *rest.Call, p *P, b *B) (rest.Answer, error) { return s.Do(c, command(c, p, b), answer) })
}

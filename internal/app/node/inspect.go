package node

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tenor/docs"
	"tenor/internal/app/release"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	sandboxes "tenor/internal/edge/sandbox"
	"tenor/internal/edge/webhook"
	"tenor/internal/pages/sandboxui"
)

// receivers exposes a sandbox's own webhook receivers to the API. Neither package knows the
// other.
type receivers struct {
	*sandboxes.Receivers
	node   *Node
	base   string // the public address
	sender *webhook.Sender
}

// newReceivers returns the receivers of a sandbox.
func newReceivers(n *Node, base string, sender *webhook.Sender, wall func() time.Time) receivers {
	owners := func(ctx context.Context, name string) ([]sandboxes.Owner, error) {
		return n.receiverOwners(ctx, name, wall())
	}
	return receivers{sandboxes.NewReceivers(owners, wall), n, base, sender}
}

// receiverOwners lists the endpoints that send to a receiver, oldest first, with the secrets that
// sign for them at a wall-clock time.
func (n *Node) receiverOwners(ctx context.Context, name string, now time.Time) ([]sandboxes.Owner, error) {
	var list []sandboxes.Owner
	err := n.eachEndpoint(ctx, "", func(e *credit.Endpoint) error {
		anywhere := e.Kind == credit.EndpointCheckout
		if !anywhere && receiverOf(e.URL) != name {
			return nil
		}
		o := sandboxes.Owner{Merchant: e.Merchant, Endpoint: e.ID, Any: anywhere}
		for _, s := range e.Secrets {
			if !s.Until.IsZero() && !now.Before(s.Until) {
				continue
			}
			plain, err := n.Ring.Open(s.Sealed, credit.SigningSecretOf(e.ID))
			if err != nil {
				return err
			}
			secret := string(plain)
			if !strings.HasPrefix(secret, webhook.SecretPrefix) {
				secret = webhook.SecretPrefix + base64.StdEncoding.EncodeToString(plain)
			}
			o.Secrets = append(o.Secrets, secret)
		}
		list = append([]sandboxes.Owner{o}, list...) // they come newest first
		return nil
	})
	return list, err
}

// maxEndpoints is more than a merchant may have. A sandbox may have more, so lists are read in
// pages of this size.
const maxEndpoints = 500

// eachEndpoint calls fn for each endpoint of a merchant, or of all merchants for "", newest
// first.
func (n *Node) eachEndpoint(ctx context.Context, merchant string, fn func(*credit.Endpoint) error) error {
	return n.DB.View(ctx, func(v store.View) error {
		for page := (store.Page{Limit: maxEndpoints}); ; {
			list, err := store.ListEndpoints(v, merchant, page)
			if err != nil {
				return err
			}
			for _, e := range list {
				if err := fn(e); err != nil {
					return err
				}
			}
			if len(list) < page.Limit {
				return nil
			}
			last := list[len(list)-1]
			page.AfterAt, page.AfterID = last.CreatedAt, last.ID
		}
	})
}

// receiverOf returns the name of the receiver that an address points to, or "". It ignores the
// port: a sandbox may restart on another one.
func receiverOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.RawQuery != "" {
		return ""
	}
	switch u.Hostname() {
	case "localhost", "127.0.0.1", "::1":
	default:
		return ""
	}
	name, found := strings.CutPrefix(u.Path, sandboxes.ReceivePath)
	if !found {
		return ""
	}
	return name
}

// List is serve.Receivers.
func (r receivers) List(ctx context.Context, merchant string) ([]resource.SandboxReceiver, error) {
	ids, names, err := r.endpoints(ctx, merchant)
	list := []resource.SandboxReceiver{}
	for _, x := range r.Receivers.List(merchant, names) {
		list = append(list, r.shown(x, ids))
	}
	return list, err
}

// endpoints returns the receivers that a merchant's endpoints send to: the endpoint IDs by
// receiver name, and the names.
func (r receivers) endpoints(ctx context.Context, merchant string) (ids map[string][]string, names []string, err error) {
	ids = map[string][]string{}
	err = r.node.eachEndpoint(ctx, merchant, func(e *credit.Endpoint) error {
		if name := receiverOf(e.URL); name != "" {
			ids[name], names = append(ids[name], e.ID), append(names, name)
		}
		return nil
	})
	return ids, names, err
}

func (r receivers) shown(x sandboxes.Receiver, ids map[string][]string) resource.SandboxReceiver {
	w := resource.SandboxReceiver{
		Name: x.Name, URL: r.base + sandboxes.ReceivePath + x.Name, Behavior: string(x.Manner.Behavior), WebhookIDs: ids[x.Name], Kept: x.Kept,
	}
	if w.WebhookIDs == nil {
		w.WebhookIDs = []string{}
	}
	if x.Manner.Behavior == sandboxes.Busy {
		w.RetryAfter = &x.Manner.RetryAfter
	}
	if x.Manner.Times > 0 {
		w.Times = &x.Manner.Times
	}
	return w
}

// Tell is serve.Receivers.
func (r receivers) Tell(ctx context.Context, merchant string, o serve.ReceiverOrder) (resource.SandboxReceiver, error) {
	ids, _, err := r.endpoints(ctx, merchant)
	if err != nil {
		return resource.SandboxReceiver{}, err
	}
	m := sandboxes.Manner{Behavior: sandboxes.Behavior(o.Behavior), RetryAfter: o.RetryAfter, Times: o.Times}
	x, err := r.Receivers.Tell(ctx, merchant, o.Name, m)
	return r.shown(x, ids), refusedBy(err)
}

// Deliveries is serve.Receivers.
func (r receivers) Deliveries(ctx context.Context, merchant, name string) ([]resource.ReceivedWebhook, error) {
	list := []resource.ReceivedWebhook{}
	for _, d := range r.Receivers.Deliveries(merchant, name) {
		w, err := r.checked(ctx, d, "")
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// Delivery is serve.Receivers.
func (r receivers) Delivery(ctx context.Context, merchant, name, id, secret string) (resource.ReceivedWebhook, error) {
	d, err := r.Receivers.Delivery(merchant, name, id)
	if err != nil {
		return resource.ReceivedWebhook{}, refusedBy(err)
	}
	return r.checked(ctx, d, secret)
}

// Send is serve.Receivers.
func (r receivers) Send(ctx context.Context, merchant, name string, m serve.ReceiverMessage) (resource.ReceivedWebhook, error) {
	d, err := r.Receivers.Send(ctx, merchant, name, sandboxes.Message{ID: m.ID, Timestamp: m.Timestamp, Signature: m.Signature, Body: []byte(m.Body)})
	if err != nil {
		return resource.ReceivedWebhook{}, refusedBy(err)
	}
	return r.checked(ctx, d, "")
}

// SendNow is serve.Receivers.
func (r receivers) SendNow(ctx context.Context, delivery string) (bool, error) {
	return r.sender.SendNow(ctx, delivery)
}

// checked returns a delivery with its signature check.
func (r receivers) checked(ctx context.Context, d *sandboxes.Received, secret string) (resource.ReceivedWebhook, error) {
	c, err := r.Check(ctx, d, secret)
	if err != nil {
		return resource.ReceivedWebhook{}, err
	}
	w := resource.ReceivedWebhook{
		ID: d.ID, Receiver: d.Receiver, ReceivedAt: d.At, Behavior: string(d.Answer), Headers: []resource.HeaderField{},
		Body: strings.ToValidUTF8(string(d.Body), "\uFFFD"), Size: len(d.Body), Check: resource.WebhookCheck{Verdict: string(c.Verdict)},
	}
	if id, once := d.Get(webhook.HeaderID); once {
		w.EventID = valid(id)
	}
	var event struct{ Type string }
	if json.Unmarshal(d.Body, &event) == nil {
		w.EventType = valid(event.Type)
	}
	for _, f := range d.Header {
		w.Headers = append(w.Headers, resource.HeaderField{Name: strings.ToLower(f.Name), Value: strings.ToValidUTF8(f.Value, "\uFFFD")})
	}
	for _, s := range c.Steps {
		w.Check.Steps = append(w.Check.Steps, resource.WebhookCheckStep{Name: s.Name, OK: s.OK, Text: s.Text, Value: valid(s.Value)})
	}
	return w, nil
}

// valid returns a text as an optional member.
func valid(text string) *string { return resource.Text(strings.ToValidUTF8(text, "\uFFFD")) }

// refusedBy translates errors of the receivers into those that the API knows.
func refusedBy(err error) error {
	switch {
	case errors.Is(err, sandboxes.ErrReceiverUnknown):
		return serve.ErrReceiverUnknown
	case errors.Is(err, sandboxes.ErrReceivers):
		return serve.ErrReceivers
	}
	return err
}

// enterTime is how long a token created for a link lives: longer than its session.
const enterTime = time.Hour

// newScreens returns the pages of a sandbox. api answers their calls.
func newScreens(n *Node, api http.Handler, base string, wall func() time.Time) (*sandboxui.Screens, error) {
	began := n.Now()
	return sandboxui.New(sandboxui.Config{
		API: rest.Aside(api), Run: api, BaseURL: base, Version: release.Version, Docs: docs.Files, Zone: n.Zone.Location(), Now: wall, Door: n.Door,
		Clock: func(ctx context.Context) (sandboxui.Clock, error) {
			c, err := n.Controls.Clock(ctx)
			if err != nil {
				return sandboxui.Clock{}, err
			}
			shown := sandboxui.Clock{Now: c.Now, Began: began, Frozen: c.Frozen, Advancing: c.Status == "advancing"}
			if c.Progress != nil {
				shown.DaysDone, shown.DaysTotal = c.Progress.DaysDone, c.Progress.DaysTotal
			}
			if c.NextEvent != nil {
				shown.NextAt, shown.Next = c.NextEvent.At, c.NextEvent.Type+" "+c.NextEvent.Object
			}
			return shown, nil
		},
		Token: func(ctx context.Context) (string, error) {
			demo, found, err := store.Setting(ctx, n.DB, SettingDemo)
			if err == nil && !found {
				err = errors.New("the sandbox has no demo merchant")
			}
			if err != nil {
				return "", err
			}
			token, _, _, err := Issue(ctx, n.Issuer(wall), TokenWish{Merchant: string(demo), TTL: enterTime})
			return token, err
		},
	})
}

// withScreens serves a sandbox's receivers and pages below /sandbox, and leaves the rest to next.
func withScreens(pages, receivers, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, sandboxes.ReceivePath):
			receivers.ServeHTTP(w, r)
		case path == "/sandbox" || strings.HasPrefix(path, "/sandbox/"):
			pages.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Suspend carries out a company's planned suspension, as a person would. A company that is no
// longer approved stays as it is.
func (n *Node) Suspend(ctx context.Context, p sandboxes.Plan) error {
	_, err := n.Submit(ctx, "sandbox", n.Seed(), lending.UpdateCompany{
		Company: p.Company, Status: credit.CompanySuspended, From: []credit.CompanyStatus{credit.CompanyApproved},
		StatusCode: "account_review", StatusMessage: "The account was reviewed.",
	})
	var refused *credit.Rejection
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// SuspendLater plans a company's suspension.
func (n *Node) SuspendLater(ctx context.Context, company int64, at time.Time) error {
	return n.Plans.Add(ctx, sandboxes.Plan{At: at, Company: company})
}

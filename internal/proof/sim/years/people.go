package years

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// cast are all who send requests: buyers, shops, the lender's staff. They send to any node, retry
// with the same key when no answer comes, and their old packets arrive again.
type cast struct {
	y         *Years
	draw      *onrails.RailRun // most of what they do
	merchants []string
	waiting   []*asker
	lost      map[store.KeyID]bool // had an answer that a restore has lost
	older     store.KeyID          // had an answer before the backup, and retries after its restore
	calls     []sim.Request
	final     map[store.KeyID]sim.Answer
	barred    map[store.KeyID]bool // were told that the endpoint no longer exists, or that they no longer own the company: existence is checked before a stored answer
	accepted  map[string]int
	accounts  int
}

// asker is somebody who wants an answer to a request.
type asker struct {
	request sim.Request
	kind    string
	sent    int
	first   *node
}

func newCast(y *Years) *cast {
	w := &sim.World{DB: y.Faulty.Backend, Clock: y.Clock, Zone: y.zone}
	return &cast{
		y: y, draw: &onrails.RailRun{World: w, Source: y.Source, Accepted: map[string]int{}}, final: map[store.KeyID]sim.Answer{}, barred: map[store.KeyID]bool{}, lost: map[store.KeyID]bool{}, accepted: map[string]int{},
	}
}

// act lets people act between two wakes of the scheduler.
func (p *cast) act() error {
	y := p.y
	list := p.waiting
	p.waiting = nil
	wishes := 0
	seldom, most := 5, 3
	if y.busy {
		seldom, most = 4, 4
	}
	if y.Source.Intn(seldom) == 0 {
		wishes = 1 + y.Source.Intn(most)
		if err := p.see(); err != nil {
			return err
		}
	}
	if wishes > 0 && y.Mix.Statement > 0 && sim.Chance(y.Source, 3) {
		if err := y.unmatch(); err != nil {
			return err
		}
	}
	for i := range wishes {
		kind := sim.Pick(y.Source, p.kinds())
		if i == 0 && sim.Chance(y.Source, 30) {
			kind = sim.Pick(y.Source, hookKinds())
		}
		if q, ok := p.request(kind); ok {
			q.Actor.Key = fmt.Sprint("call ", len(p.calls))
			p.calls = append(p.calls, q)
			list = append(list, &asker{request: q, kind: kind})
		}
	}
	if len(p.calls) > 0 && y.struck(y.Mix.Echo, "old packet") {
		if q := p.calls[y.Source.Intn(len(p.calls))]; p.final[sim.KeyOf(q)].Status != 0 {
			list = append(list, &asker{request: q, sent: 1})
		}
	}
	return p.send(list)
}

// send sends each request to a node, all of a node's in one batch if it takes them.
func (p *cast) send(list []*asker) error {
	y := p.y
	tickets := make([]*engine.Ticket, len(list))
	to := make([]*node, len(list))
	for i, a := range list {
		n := sim.Pick(y.Source, y.nodes)
		if to[i] = n; n.dead || y.struck(y.Mix.RequestLost, "request lost") {
			continue
		}
		y.seeds++
		q, err := sim.NewRequest(a.request, y.seeds)
		if err != nil {
			return err
		}
		a.sent++
		if t, err := n.engine.Enqueue(context.Background(), q); err == nil {
			tickets[i] = t
		}
	}
	for _, n := range y.nodes {
		for range 20 {
			if n.dead || n.engine.Stats().QueueDepth == 0 {
				break
			}
			n.step()
		}
	}
	for i, a := range list {
		if err := p.hear(a, tickets[i], to[i]); err != nil {
			return err
		}
	}
	return nil
}

// hear takes an answer, if it comes: it must be the one given before.
func (p *cast) hear(a *asker, t *engine.Ticket, n *node) error {
	answer := sim.Answer{Err: errLost}
	if t != nil && !n.dead {
		answer = sim.AnswerOf(t)
	}
	y, k := p.y, sim.KeyOf(a.request)
	if a.first == nil && t != nil {
		a.first = n
	}
	switch {
	case errors.Is(answer.Err, engine.ErrInternal), errors.Is(answer.Err, engine.ErrKeyReused):
		return fmt.Errorf("%s: %w", sim.Describe(a.request), answer.Err)
	case answer.Err == nil && y.struck(y.Mix.AnswerLost, "answer lost"), answer.Err != nil:
		p.waiting = append(p.waiting, a)
		return nil
	}
	if answer.Q == 0 && (answer.Code == "company_not_linked" || answer.Code == "owner_required" || (sim.EndpointOf(a.request.Command) != "" || speaks(a.request.Command)) && answer.Code == "not_found") {
		p.barred[k] = true // a caller who may no longer see the object, or no longer owns the company, does not get the stored answer
	}
	first, known := p.final[k]
	if known && answer.Q != 0 && !answer.Same(first) {
		return fmt.Errorf("%s: answered %d %s at %d, before %d %s at %d", sim.Describe(a.request), answer.Status, answer.Body, answer.Q, first.Status, first.Body, first.Q)
	}
	y.reach(known, sim.OldPacket)
	y.reach(known && k == p.older, sim.RestoredThenOlderKey)
	y.reach(!known && !answer.Replayed && p.lost[k], sim.LostKeyUsedAgain)
	y.reach(answer.Replayed, sim.SameKeyTwice)
	y.reach(answer.Replayed && n != a.first, sim.SameKeyTwoNodes)
	if known || answer.Q == 0 {
		return nil
	}
	p.final[k] = answer
	if answer.Code == "" {
		p.accepted[a.kind]++
	}
	return nil
}

// must sends a request that cannot be refused, with no faults.
func (p *cast) must(c credit.Command) (string, error) {
	p.y.seeds++
	q, err := sim.NewRequest(sim.Request{Actor: sim.Operator(), Command: c}, p.y.seeds)
	if err != nil {
		return "", err
	}
	r, err := p.y.nodes[0].submit(q)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Name(), err)
	}
	a := sim.NewAnswer(r)
	if a.Code != "" || a.Err != nil {
		return "", fmt.Errorf("%s: refused with %s: %s %w", c.Name(), a.Code, a.Body, a.Err)
	}
	return a.ID, nil
}

// account is an account at the bank, sealed for its place as the clockwork opens it.
func (p *cast) account(place, holder, number string) *credit.BankAccount {
	b := credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}
	if p.y.Source.Intn(4) == 0 {
		b.HolderType = "CONSUMER"
	}
	details := credit.AccountDetails{Routing: fake.Routing, Number: number, Holder: holder}
	sealed, _ := payments.SealedAccount(place, details, b, fingerprint, sim.Sealed) // it fails only where JSON has no words for a text
	return sealed
}

// number generates an account number: most are ordinary, some are returned in their own way
// (package fake).
func (p *cast) number() string {
	p.accounts++
	if !p.y.healed && sim.Chance(p.y.Source, 12) {
		return sim.Pick(p.y.Source, []string{"300000001", "300000009", "200000010", "200000005", "400000001", "400000005", "100000003"})
	}
	return fmt.Sprintf("5%08d", p.accounts)
}

// equip gives each company an account or a card, and turns on autopay for it.
func (p *cast) equip() error {
	books, err := sim.ReadBooks(p.y.Faulty.Backend)
	if err != nil {
		return err
	}
	p.draw.Books = books
	for _, id := range p.draw.Companies() {
		if on := true; sim.Chance(p.y.Source, 50) {
			if _, err := p.must(payments.SetAutopay{Company: id, Credit: &on}); err != nil {
				return err
			}
		}
		for _, add := range []payments.AddPaymentMethod{p.bank(id), p.card(id)} {
			method, err := p.must(add)
			if err != nil {
				return err
			}
			if on := true; add.Type == credit.ACH || sim.Chance(p.y.Source, 15) {
				if _, err := p.must(payments.SetAutopay{Company: id, Enabled: &on, Method: &method}); err != nil {
					return err
				}
			}
		}
	}
	p.draw.Books, err = sim.ReadBooks(p.y.Faulty.Backend)
	return err
}

func (p *cast) bank(company int64) payments.AddPaymentMethod {
	number := p.number()
	id := payments.MethodID(seedOf("account", p.accounts), p.y.Clock.Now())
	return payments.AddPaymentMethod{
		ID: id, Company: company, Type: credit.ACH, Bank: p.account(payments.MethodAccount(id), fmt.Sprint("Buyer ", company), number),
		Authorization: credit.Authorization{Channel: sim.Pick(p.y.Source, []string{"WEB", "WRITTEN"}), AcceptedAt: p.y.Clock.Now().Add(-2 * time.Hour), Reference: "terms 1"},
	}
}

func (p *cast) card(company int64) payments.AddPaymentMethod {
	return payments.AddPaymentMethod{
		Company: company, Type: credit.Card,
		Card:          &credit.CardAccount{Token: p.y.tokenOf(), Mandate: "man", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2060, Debit: true},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: p.y.Clock.Now().Add(-2 * time.Hour), Reference: "terms 1"},
	}
}

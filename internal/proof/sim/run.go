package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// Run drives a world one command at a time, and compares every answer and every figure with the
// model.
type Run struct {
	World      *World
	Model      *Model
	Books      *Books // after the last step
	Generator  *Generator
	Situations *Situations
	Log        []Logged        // every request, to be sent to another backend
	Accepted   map[string]int  // by kind of Draw
	asked      []askedAnswered // with a key
}

// Logged is a batch sent at an instant, with its answers.
type Logged struct {
	At       time.Time
	Requests []Request
	Answers  []Answer
}

type askedAnswered struct {
	request Request
	answer  Answer
}

// NewRun sets up a world of some companies on a backend.
func NewRun(db store.Backend, s Source, companies int) (*Run, error) {
	location, err := BusinessZone()
	if err != nil {
		return nil, err
	}
	w, err := NewWorld(db, nil)
	if err != nil {
		return nil, err
	}
	r := &Run{World: w, Situations: NewSituations(), Accepted: map[string]int{}}
	r.Model = NewModel(location, seenThrough{r})
	r.Generator = &Generator{Source: s, Model: r.Model, Books: func() *Books { return r.Books }}
	if err := Found(w, r.Model, companies); err != nil {
		return nil, err
	}
	r.Books, err = ReadBooks(db)
	return r, err
}

// seenThrough lets the model see the run's newest books.
type seenThrough struct{ r *Run }

func (s seenThrough) Unpaid(order string) int64            { return s.r.Books.Unpaid(order) }
func (s seenThrough) Version(order string) int             { return s.r.Books.Version(order) }
func (s seenThrough) Freed(payment string) int64           { return int64(s.r.Books.Payments[payment].Freed) }
func (s seenThrough) OnHold(payment string) int64          { return int64(s.r.Books.Payments[payment].OnHold) }
func (s seenThrough) OrderOfInvoice(invoice string) string { return s.r.Books.OrderOfInvoice(invoice) }

// Today returns the clock's business date.
func (r *Run) Today() calendar.Date { return r.Model.day(r.World.Clock.Now()) }

// Step generates a command of a kind and carries it out. It does nothing if nothing exists for it
// to act on.
func (r *Run) Step(kind string) error {
	q, ok := r.Generator.Draw(kind, r.Today())
	if !ok {
		return nil
	}
	code, err := r.Ask(q)
	if err != nil {
		return fmt.Errorf("%s: %w", Describe(q), err)
	}
	if code == "" {
		r.Accepted[kind]++
	}
	return nil
}

// Complete continues until every kind of command has been accepted at least once, generating
// missing kinds more often.
func (r *Run) Complete(limit int) error {
	for n := 0; len(r.never()) > 0; n++ {
		if n == limit {
			return fmt.Errorf("after %d steps never accepted: %q", n, r.never())
		}
		if n%20 == 0 {
			if err := r.heal(); err != nil {
				return err
			}
		}
		for _, kind := range []string{"create", Pick(r.Generator.Source, r.never())} {
			if err := r.Step(kind); err != nil {
				return fmt.Errorf("%w\nhistory:\n%s", err, r.History())
			}
		}
	}
	return nil
}

// heal approves and links every company again, gives it a line, and creates a client and an
// endpoint.
func (r *Run) heal() error {
	for _, id := range r.Model.Companies() {
		limit := money.MustParse("900000.00")
		c := lending.UpdateCompany{Company: id, Status: credit.CompanyApproved, Limit: &limit, Link: r.Model.Merchants()}
		if _, err := r.Ask(Request{Operator(), c}); err != nil {
			return fmt.Errorf("heal: %w", err)
		}
	}
	at := r.Model.midnight(r.Today())
	for _, c := range []credit.Command{
		access.CreateClient{Title: "one more", SecretHash: HashOf("one more"), At: at},
		access.CreateEndpoint{Merchant: r.Model.Merchants()[0], URL: "https://shop.example/", Enabled: true, Sealed: []byte("sealed")},
	} {
		if _, err := r.Ask(Request{Operator(), c}); err != nil {
			return fmt.Errorf("heal: %w", err)
		}
	}
	return nil
}

// Drive takes the given number of steps: mostly commands, sometimes time passes or a request is
// repeated.
func (r *Run) Drive(steps int) error {
	kinds := Weighted()
	for n := range steps {
		var err error
		switch r.Generator.Source.Intn(8) {
		case 0:
			err = r.Advance()
		case 1:
			err = r.Again()
		default:
			err = r.Step(Pick(r.Generator.Source, kinds))
		}
		if err != nil {
			return fmt.Errorf("step %d: %w\nhistory:\n%s", n, err, r.History())
		}
	}
	return nil
}

// Ask predicts, sends and compares: the code, then everything that the books hold.
func (r *Run) Ask(q Request) (code string, err error) {
	codes, err := r.AskAll(q)
	if err != nil {
		return "", err
	}
	return codes[0], nil
}

// AskAll has requests decided in one batch. They must not depend on each other, since each is
// predicted as if it were alone.
func (r *Run) AskAll(requests ...Request) (codes []string, err error) {
	at, before := r.World.Clock.Now(), r.Books
	watch := make([]observer, len(requests))
	for i, q := range requests {
		codes = append(codes, r.Model.Predict(at, q))
		watch[i] = r.observe(q)
	}
	answers := r.ask(requests...)
	if len(r.World.Alarms) > 0 {
		alarm := r.World.Alarms[0]
		return nil, fmt.Errorf("alarm %s: %w\n%s", alarm.What, alarm.Err, Inside(alarm.Stack))
	}
	for i, a := range answers {
		q := requests[i]
		if a.Err != nil || a.Code != codes[i] {
			return nil, fmt.Errorf("%s: answered %q, the model says %q (%w)", Describe(q), a.Code, codes[i], a.Err)
		}
		if a.Code == "" {
			r.Model.Accept(at, q, a.ID)
		}
		if q.Actor.Key != "" && a.Q > 0 {
			r.asked = append(r.asked, askedAnswered{q, a})
		}
	}
	if r.Books, err = ReadBooks(r.World.DB); err != nil {
		return nil, err
	}
	for i := range watch {
		watch[i].after(r, answers[i])
	}
	return codes, errors.Join(r.Books.Check(), r.Model.Compare(r.Books), rises(before, r.Books, requests[0]))
}

// ask sends requests in one batch and logs them.
func (r *Run) ask(requests ...Request) []Answer {
	at := r.World.Clock.Now()
	answers := r.World.Batch(requests...)
	r.Log = append(r.Log, Logged{at, requests, answers})
	return answers
}

// rises: unpaid principal rises only by a capture, a return or a payment refund, where no payment
// ties orders together (F40.3). A backdated payment may raise it too, if money of the order went
// back before: what went back then reopens other items.
func rises(before, after *Books, q Request) error {
	switch q.Command.(type) {
	case payments.ReturnPayment, payments.RefundPayment:
		return nil
	}
	for key, l := range before.Loans {
		if after.Unpaid(key) > before.Unpaid(key) && !after.Companies[before.Orders[key].Company].JointReplay && !before.wentBack(key) {
			return fmt.Errorf("F40.3: unpaid principal of %s rises from %d to %d", l.Key, before.Unpaid(key), after.Unpaid(key))
		}
	}
	return nil
}

// wentBack reports whether money paid on an order was refunded to its payer.
func (b *Books) wentBack(order string) bool {
	for _, p := range b.Payments {
		if p.Order == order && p.Refunded > 0 {
			return true
		}
	}
	return false
}

// Again repeats an earlier request with a key: the same bytes come back and nothing changes. With
// another body it is refused.
func (r *Run) Again() error {
	if len(r.asked) == 0 {
		return nil
	}
	old := Pick(r.Generator.Source, r.asked)
	// A caller who has lost access to an object since then gets no replay (ID5).
	if code := r.Model.Predict(r.World.Clock.Now(), old.request); code == "not_found" || code == "company_not_linked" {
		return nil
	}
	seq := r.Books.Seq
	if a := r.ask(old.request)[0]; !a.Same(old.answer) || !a.Replayed || a.Err != nil {
		return fmt.Errorf("%s again: %+v, first %+v", Describe(old.request), a, old.answer)
	}
	r.Situations.Reached(SameKeyTwice)
	other := Request{old.request.Actor, otherBody(old.request.Command)}
	if a := r.ask(other)[0]; !errors.Is(a.Err, engine.ErrKeyReused) {
		return fmt.Errorf("%s with the key of another: %+v", Describe(other), a)
	}
	r.Situations.Reached(OtherBody)
	books, err := ReadBooks(r.World.DB)
	if err != nil || books.Seq != seq {
		return fmt.Errorf("a replay moved the commit sequence from %d to %d: %w", seq, books.Seq, err)
	}
	return nil
}

// otherBody returns a command on the same object that differs in its bytes.
func otherBody(c credit.Command) credit.Command {
	switch c := c.(type) {
	case lending.CreateOrder:
		c.MerchantStatus += "x"
		return c
	case lending.UpdateOrder:
		c.Reason += "x"
		return c
	case lending.CapturePart:
		c.MerchantOrderID += "x"
		return c
	case lending.RefundOrder:
		c.Reason += "x"
		return c
	case payments.RecordPayment:
		c.Memo += "x"
		return c
	case payments.RefundPayment:
		c.Reason += "x"
		return c
	case payments.ReturnPayment:
		c.Message += "x"
		return c
	case lending.UpdateCompany:
		c.StatusMessage += "x"
		return c
	case merchants.AddProgram:
		c.From += 400
		return c
	case lending.ExtendOrder:
		return lending.ServiceOrder{Order: c.Order}
	case lending.ServiceOrder:
		return lending.ExtendOrder{Order: c.Order}
	case payments.CancelPayment:
		return payments.RefundPayment{Payment: c.Payment}
	}
	return otherAccess(c)
}

// Advance moves the clock. Orders for which money is held are serviced, as the daily run does,
// and sometimes all others too.
func (r *Run) Advance() error {
	r.World.Clock.Set(r.Generator.Later(r.World.Clock.Now()))
	due := r.Books.Held()
	if Chance(r.Generator.Source, 30) {
		due = r.Model.Due()
	}
	if err := r.service(due); err != nil {
		return err
	}
	if q, ok := r.Generator.Ended(r.World.Clock.Now()); ok {
		if _, err := r.Ask(q); err != nil {
			return fmt.Errorf("%s: %w", Describe(q), err)
		}
	}
	return nil
}

func (r *Run) service(orders []string) error {
	if len(orders) == 0 {
		return nil
	}
	var requests []Request
	for _, key := range orders {
		requests = append(requests, Request{Operator(), lending.ServiceOrder{Order: key}})
	}
	if _, err := r.AskAll(requests...); err != nil {
		return fmt.Errorf("service of %d orders: %w", len(orders), err)
	}
	return nil
}

// Inside reduces a stack to the frames in the domain.
func Inside(stack []byte) string {
	var places []string
	for line := range strings.Lines(string(stack)) {
		if i := strings.Index(line, "/internal/"); i >= 0 && strings.Contains(line, ".go:") {
			place, _, _ := strings.Cut(line[i+1:], " ")
			places = append(places, strings.TrimSpace(place))
		}
	}
	return strings.Join(places, "\n")
}

// never lists the kinds of commands that have not been accepted yet, except those that cannot
// succeed: no payment here is ever in transit.
func (r *Run) never() []string {
	return slices.DeleteFunc(Kinds(), func(kind string) bool { return kind == "cancel payment" || r.Accepted[kind] > 0 })
}

// Repeat sends what another run has sent, in its batches and at its instants, and expects the
// same answers.
func (r *Run) Repeat(log []Logged) error {
	for _, l := range log {
		r.World.Clock.Set(l.At)
		answers := r.World.Batch(l.Requests...)
		for i, a := range answers {
			if b := l.Answers[i]; !a.Same(b) || a.Replayed != b.Replayed {
				return fmt.Errorf("%s: answered %d %s at %d, before %d %s at %d (%w)",
					Describe(l.Requests[i]), a.Status, a.Body, a.Q, b.Status, b.Body, b.Q, a.Err)
			}
		}
	}
	return nil
}

// History lists all requests, one per line.
func (r *Run) History() string {
	var b strings.Builder
	for _, l := range r.Log {
		for i, q := range l.Requests {
			fmt.Fprintf(&b, "%s %s: %d %s\n", l.At.Format(time.RFC3339Nano), Describe(q), l.Answers[i].Status, l.Answers[i].Code)
		}
	}
	return b.String()
}

// Describe formats a request for a reader, with the members that matter.
func Describe(r Request) string {
	var members map[string]json.RawMessage
	payload, err := journal.EncodeCommand(r.Command)
	if err == nil {
		err = json.Unmarshal(payload, &members)
	}
	if err != nil {
		return r.Command.Name() + ": " + err.Error()
	}
	var b strings.Builder
	b.WriteString(r.Command.Name())
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch value := string(members[name]); value {
		case "null", `""`, "0", "false":
		default:
			if name != "settings" {
				fmt.Fprintf(&b, " %s=%s", name, value)
			}
		}
	}
	fmt.Fprintf(&b, " by %s %s", r.Actor.Client, r.Actor.Key)
	return strings.TrimSpace(b.String())
}

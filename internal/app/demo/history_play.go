package demo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/app/stage"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	sandboxes "tenor/internal/edge/sandbox"
)

// historyBegins returns when the history begins for a sandbox that begins at a given time: in the
// morning.
func historyBegins(zone calendar.Zone, sandbox time.Time) time.Time {
	return zone.At(zone.Date(sandbox).AddMonths(-HistoryMonths), 9, 0)
}

// seedHistory creates the demo data with their history, up to the time at which the sandbox
// begins, and returns the demo merchant. The playground is at the start of the history. base is
// the sandbox's future address: it has one webhook receiver there, and one where nothing answers.
// tell is called with the days done; it may be nil.
func seedHistory(ctx context.Context, p *stage.Playground, until time.Time, seed int64, wall func() time.Time, base string, tell func(done, total int)) (string, error) {
	merchant, err := seedDemo(ctx, p.Node, seed, wall, func(draw func(string) [16]byte, merchants []string) error {
		h := &historian{Playground: p, ctx: ctx, draw: draw, shops: merchants, begins: p.Node.Zone.Date(p.Clock.Now()), tell: tell}
		last := h.begins.DaysUntil(p.Node.Zone.Date(until))
		if err := h.buyers(base, wall, last); err != nil {
			return err
		}
		h.payers(last)
		return h.play(until, []string{base + sandboxes.ReceivePath + "demo-shop", nowhere})
	})
	if err == nil {
		err = p.Node.DB.PutSetting(ctx, node.SettingPast, []byte(merchant))
	}
	return merchant, err
}

// nowhere is an address on this machine where nothing answers.
const nowhere = "http://localhost:9/webhooks"

// historian plays the demo's history: what happened to its merchants and companies before the day
// on which a sandbox begins.
type historian struct {
	*stage.Playground
	ctx    context.Context
	draw   func(name string) [16]byte
	shops  []string // merchants
	begins calendar.Date
	acts   []dated
	lately []func() error        // to do when the history ends
	tell   func(done, total int) // may be nil
}

// dated is an action on a day of the history, at ten o'clock.
type dated struct {
	day int
	do  func() error
}

// play plays the history up to a given time.
func (h *historian) play(until time.Time, hooks []string) error {
	for _, c := range formerCompanies() {
		if err := h.join(c); err != nil {
			return fmt.Errorf("company %d: %w", c.id, err)
		}
		for n := range c.orders {
			h.on(c.first+n*c.every, func() error { return h.buy(c, n) })
		}
	}
	last := h.begins.DaysUntil(h.Node.Zone.Date(until))
	h.on(last-webhookDays, func() error { return h.listen(hooks) })
	for len(h.acts) > 0 {
		slices.SortStableFunc(h.acts, func(a, b dated) int { return cmp.Compare(a.day, b.day) })
		next := h.acts[0]
		h.acts = h.acts[1:]
		if next.day >= last {
			break
		}
		if err := h.reach(h.Node.Zone.At(h.begins.AddDays(next.day), 10, 0)); err != nil {
			return err
		}
		if err := next.do(); err != nil {
			return fmt.Errorf("day %d: %w", next.day, err)
		}
		if h.tell != nil {
			h.tell(next.day, last)
		}
	}
	for _, c := range formerCompanies() {
		if err := h.end(c); err != nil {
			return fmt.Errorf("company %d: %w", c.id, err)
		}
	}
	if err := h.reach(until); err != nil {
		return err
	}
	return h.lateBuyers()
}

func (h *historian) on(day int, do func() error) { h.acts = append(h.acts, dated{day, do}) }

// reach advances the clock, doing everything due until then.
func (h *historian) reach(at time.Time) error {
	if !at.After(h.Clock.Now()) {
		return nil
	}
	if err := h.Box.AdvanceTo(h.ctx, at, time.Hour); err != nil {
		return err
	}
	return h.ctx.Err()
}

// ask decides a command of a merchant or of the lender ("").
func (h *historian) ask(name, merchant string, c credit.Command) (credit.Changes, error) {
	actor := credit.Actor{Client: "demo", Operator: true}
	if merchant != "" {
		actor = credit.Actor{Client: "demo", Merchant: merchant}
	}
	return h.Node.SubmitAs(h.ctx, actor, h.draw("history "+name), c)
}

// join creates a company with its payment account. It is approved if it ever buys.
func (h *historian) join(c formerCompany) error {
	x := readyCompany{id: c.id, name: c.name, status: c.ends, tier: "B", line: "0.00", code: c.code}
	if c.orders > 0 {
		x.status, x.tier, x.line, x.code = credit.CompanyApproved, "A", "100000.00", ""
	}
	return seedCompany(h.ctx, h.Node, x, int(c.id%1000), c.account, h.shops, h.draw)
}

// end gives a company its final status, unless it has it already.
func (h *historian) end(c formerCompany) error {
	if c.code == "" || c.orders == 0 {
		return nil
	}
	_, err := h.ask(c.name+" ends", "", lending.UpdateCompany{Company: c.id, Status: c.ends, StatusCode: c.code})
	return err
}

// buy creates a company's order, and plans what happens to it.
func (h *historian) buy(c formerCompany, n int) error {
	name := fmt.Sprintf("H-%d-%d", c.id%1000, n+1)
	sum := sha256.Sum256([]byte(name))
	dollars := 300 + (int64(sum[0])<<8|int64(sum[1]))%4200
	merchant := h.shops[int(sum[2])%len(h.shops)]
	f := fates()[c.id][n]
	made, err := h.ask(name, merchant, lending.CreateOrder{
		Company: c.id, Amount: money.Amount(dollars*100 + int64(sum[3])%100), MerchantOrderID: name,
		Installments: cmp.Or(f.of, []int{1, 3, 3, 6, 6, 12}[int(sum[4])%6]), Authorize: f.keep != credit.OrderCreated,
	})
	if err != nil {
		return fmt.Errorf("order %s: %w", name, err)
	}
	key := made.Result.(*credit.Order).Key
	if f.keep != "" {
		return nil
	}
	h.on(h.day()+1, func() error {
		status := credit.OrderCaptured
		if f.cancel {
			status = credit.OrderCanceled
		}
		_, err := h.ask(name+" goes on", merchant, lending.UpdateOrder{Order: key, Status: status})
		return err
	})
	if f.act != nil {
		h.on(h.day()+1+f.after, func() error { return h.care(name, key, f) })
	}
	return nil
}

// care does the lender's or the merchant's part for an order.
func (h *historian) care(name, key string, f fate) error {
	var o *credit.Order
	var payoff money.Amount
	err := h.Node.DB.View(h.ctx, func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Orders: []string{key}}); err != nil {
			return err
		}
		o = s.Orders[key]
		if l := s.Loans[key]; l != nil {
			payoff = l.Standing(nil, h.today()).Payoff(h.today()).Total
		}
		return nil
	})
	if err == nil {
		_, err = h.ask(name+" cared for", "", f.act(o, payoff))
	}
	return err
}

func (h *historian) today() calendar.Date { return h.Node.Zone.Date(h.Clock.Now()) }

func (h *historian) day() int { return h.begins.DaysUntil(h.today()) }

// webhookDays is how long before its end the history has webhook receivers, and therefore
// deliveries.
const webhookDays = 14

// listen creates endpoints of the first merchant.
func (h *historian) listen(urls []string) error {
	for _, url := range urls {
		drawn := h.draw("signing secret of " + url)
		secret := sha256.Sum256(drawn[:]) // as long as one that the API generates
		id := credit.EndpointID(h.draw("endpoint of "+url), h.Clock.Now())
		_, err := h.ask("endpoint "+url, h.shops[0], access.CreateEndpoint{
			ID: id, Merchant: h.shops[0], URL: url, Description: "demo", Enabled: true,
			Sealed: h.Node.Ring.Seal(secret[:], credit.SigningSecretOf(id)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/calendar"
	fakebank "tenor/internal/ports/rails/fake"
)

// The cast. The names are invented.
const (
	StoryMerchant = Merchant
	StoryCompany  = "Alder Kitchens"
	StoryOther    = "Birch Street Bakery"
	storyShop     = "https://harbor.example/" // where its buyers would return to; nobody goes there
)

// story is the worked example of the specification, played through the public API. Each of its
// lines reports an event that arrived as a webhook.
type story struct {
	a     *terminal.App
	c     *Command
	zone  calendar.Zone
	desk  *client.Client // the lender
	shop  *client.Client // the merchant
	node  *node.Node     // of the private copy; nil on another server
	inbox *inbox

	merchant     string
	alder, birch int64
	order        string // PO-7781
	other        string // PO-7782
	line         int
	told         map[string]bool // events already reported
}

// settings of the merchant's program: six installments at 12 %, or one in 30 days.
const storySettings = `{"terms":[
	{"installments":6,"plan":"AMORTIZED","annual_rate":"0.120000","merchant_discount_rate":"0.030000"},
	{"installments":1,"plan":"NET30","merchant_discount_rate":"0.030000"}]}`

// storyReason is the reason given for the lender's actions in the story.
const storyReason = "the demo's story"

// prepare creates a merchant with a bank account, a client and a webhook, and two companies, one
// with autopay.
func (s *story) prepare(ctx context.Context) error {
	s.told = map[string]bool{}
	if err := s.to(ctx, StoryBegins+"T10:00"); err != nil {
		return err
	}
	m, err := s.desk.CreateMerchant(ctx, client.MerchantRequest{Name: s.name(StoryMerchant), Settings: json.RawMessage(storySettings)}, client.Because(storyReason))
	if err != nil {
		return err
	}
	s.merchant = m.ID
	account := client.MerchantAccountRequest{
		RoutingNumber: fakebank.Routing, AccountNumber: merchantAccount, AccountType: "CHECKING", HolderName: StoryMerchant,
	}
	if _, err := s.desk.SetMerchantAccount(ctx, m.ID, account, client.Because(storyReason)); err != nil {
		return err
	}
	k, err := s.desk.CreateClient(ctx, client.APIClientRequest{MerchantID: m.ID, Name: "demo shop"}, client.Because(storyReason))
	if err != nil {
		return err
	}
	if s.shop, err = client.NewWithCredentials(s.desk.Address(), client.Credentials{ID: k.ID, Secret: k.Secret}); err != nil {
		return err
	}
	if err := s.subscribe(ctx); err != nil {
		return err
	}
	if s.alder, err = s.company(ctx, StoryCompany, strings.ToLower(s.merchant)+"@alder.example"); err != nil {
		return err
	}
	if s.birch, err = s.company(ctx, StoryOther, ""); err != nil {
		return err
	}
	return s.payByItself(ctx)
}

// company creates an approved company. The first one has an email address of its own: whoever
// verifies it acts for the company.
func (s *story) company(ctx context.Context, name, email string) (int64, error) {
	x, err := s.desk.CreateCompany(ctx, client.CompanyRequest{Name: name, Email: email, Tier: "A", Limit: "25000.00", Merchants: []string{s.merchant}}, client.Because(storyReason))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(x.ID, 10, 64)
}

// name returns the merchant's name: on another server, one that is not taken.
func (s *story) name(name string) string {
	if s.node != nil {
		return name
	}
	return fmt.Sprintf("%s (demo %s)", name, s.a.Wall().UTC().Format("2006-01-02 15:04:05"))
}

// subscribe sends every event to the story's receiver.
func (s *story) subscribe(ctx context.Context) error {
	w, err := s.shop.CreateWebhook(ctx, client.WebhookRequest{URL: s.inbox.url})
	if err == nil {
		s.inbox.trust(w.Secret)
	}
	return err
}

// payByItself gives the company an account at the sandbox's bank, and autopay.
func (s *story) payByItself(ctx context.Context) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	pm, err := s.desk.AddPaymentMethod(ctx, fmt.Sprint(s.alder), client.PaymentMethodRequest{
		Type: "ACH", RoutingNumber: fakebank.Routing, AccountNumber: fakebank.Account, HolderName: StoryCompany,
		Authorization: client.Authorization{Channel: "WRITTEN", AcceptedAt: now, Reference: "demo"},
	})
	if err != nil {
		return err
	}
	return s.autopay(ctx, client.AutopayChange{Enabled: new(true), PaymentMethodID: pm.ID})
}

func (s *story) autopay(ctx context.Context, wish client.AutopayChange) error {
	_, err := s.desk.SetAutopay(ctx, fmt.Sprint(s.alder), wish)
	return err
}

// buys is a checkout: the shop creates it, the buyer, played by the sandbox, accepts its terms,
// and the shop's server completes it.
func (s *story) buys(ctx context.Context) error {
	x, err := s.shop.CreateCheckout(ctx, client.CheckoutRequest{
		CompanyID: s.alder, Amount: "1200.00", RemoteID: "PO-7781", ReturnURL: storyShop + "thanks?order=%ORDER_KEY%", CancelURL: storyShop + "cart?why=%REASON%",
	})
	if err == nil {
		x, err = s.desk.AcceptSandboxCheckout(ctx, x.ID, client.SandboxBuyer{Installments: 6})
	}
	if err != nil {
		return err
	}
	s.order = x.OrderKey
	shown, err := s.desk.Disclosure(ctx, s.order)
	if err != nil {
		return err
	}
	if err := s.tell(ctx, "checkout.accepted", of(x.ID), func(client.Event) string {
		return fmt.Sprintf("%s  %s in %d: %s · charge %s · APR %s%%", x.RemoteID, plainly(x.Amount), x.Installments, paymentsShown(shown), plainly(shown.FinanceCharge), shown.APR)
	}); err != nil {
		return err
	}
	if _, err := s.shop.CompleteCheckout(ctx, x.ID); err != nil {
		return err
	}
	if _, err := s.shop.UpdateOrder(ctx, s.order, client.OrderChange{MerchantOrderID: x.RemoteID}); err != nil {
		return err
	}
	return s.tellLine(ctx)
}

// begins is the order's capture, and the merchant's proceeds.
func (s *story) begins(ctx context.Context) error {
	if err := s.to(ctx, "2026-01-15T11:00"); err != nil {
		return err
	}
	o, err := s.shop.CaptureOrder(ctx, s.order, "")
	if err != nil {
		return err
	}
	if err := s.tellCapture(ctx, o); err != nil {
		return err
	}
	if err := s.to(ctx, "2026-03-12T12:00"); err != nil {
		return err
	}
	if err := s.tell(ctx, "payout.settled", anything, func(e client.Event) string { return plainly(netOf(e).Net) }); err != nil {
		return err
	}
	return s.tellPayment(ctx)
}

// bounces is a returned debit, and its retry.
func (s *story) bounces(ctx context.Context) error {
	if err := s.desk.FailNextDebit(ctx, client.DebitFailure{ReturnCode: "R01", CompanyID: s.alder}); err != nil {
		return err
	}
	if err := s.to(ctx, "2026-03-18T12:00"); err != nil {
		return err
	}
	if err := s.tellPayment(ctx); err != nil {
		return err
	}
	if err := s.tellReturn(ctx); err != nil {
		return err
	}
	if err := s.to(ctx, "2026-04-01T10:00"); err != nil {
		return err
	}
	return s.tellPayment(ctx)
}

// refunds is a partial refund after the payout, and its clawback.
func (s *story) refunds(ctx context.Context) error {
	const day = "2026-04-01"
	before, err := s.desk.Payoff(ctx, s.order, day)
	if err != nil {
		return err
	}
	o, err := s.shop.RefundOrder(ctx, s.order, client.OrderRefund{Amount: "300.00"})
	if err != nil {
		return err
	}
	after, err := s.desk.Payoff(ctx, s.order, day)
	if err != nil {
		return err
	}
	plan, err := s.desk.Schedule(ctx, s.order)
	if err != nil {
		return err
	}
	if err := s.tell(ctx, "order.refunded", of(s.order), func(client.Event) string {
		return fmt.Sprintf("%s  principal %s -> %s · %s", plainly(o.RefundedAmount), plainly(before.Principal), plainly(after.Principal), lastRows(plan))
	}); err != nil {
		return err
	}
	if err := s.tell(ctx, "clawback.created", anything, func(e client.Event) string {
		var x struct {
			Amount client.Amount
			Refund struct{ Amount client.Amount }
		}
		_ = json.Unmarshal(e.Data.Object, &x) // a missing amount shows in the line
		return fmt.Sprintf("%s  netted from the next payout (discount %s returned)", plainly(x.Amount), plainly(minus(x.Refund.Amount, x.Amount)))
	}); err != nil {
		return err
	}
	return s.second(ctx)
}

// second is the other order, from whose payout the clawback is deducted.
func (s *story) second(ctx context.Context) error {
	if err := s.to(ctx, "2026-04-03T09:00"); err != nil {
		return err
	}
	o, err := s.shop.CreateOrder(ctx, client.OrderRequest{
		CompanyID: s.birch, MerchantOrderID: "PO-7782", Amount: "500.00", Installments: 1, Status: "AUTHORIZED", ExternallyManagedPayments: true,
	})
	if err == nil {
		s.other = o.Key
		o, err = s.shop.CaptureOrder(ctx, o.Key, "")
	}
	if err != nil {
		return err
	}
	if err := s.tell(ctx, "order.captured", of(s.other), func(client.Event) string {
		return fmt.Sprintf("%s  %s in %d, payments managed by the merchant", o.MerchantOrderID, plainly(o.CapturedAmount), o.Installments)
	}); err != nil {
		return err
	}
	// Webhooks are in order for one object, not across two payments: the clock advances to the
	// second payment once the first is reported.
	if err := s.to(ctx, "2026-04-20T10:00"); err != nil {
		return err
	}
	if err := s.tell(ctx, "payout.settled", anything, func(e client.Event) string {
		p := netOf(e)
		return fmt.Sprintf("%s = %s - %s", plainly(p.Net), plainly(minus(p.Gross, p.Discount)), plainly(p.Clawback))
	}); err != nil {
		return err
	}
	if err := s.tellPayment(ctx); err != nil {
		return err
	}
	if err := s.to(ctx, "2026-05-20T10:00"); err != nil {
		return err
	}
	return s.tellPayment(ctx)
}

// ends pays the rest by card.
func (s *story) ends(ctx context.Context) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	pm, err := s.desk.AddPaymentMethod(ctx, fmt.Sprint(s.alder), client.PaymentMethodRequest{
		Type: "CARD", Card: &client.CardToken{Token: fakebank.TokenOK, Mandate: "mandate", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true},
		Authorization: client.Authorization{Channel: "WEB", AcceptedAt: now},
	})
	if err == nil {
		err = s.autopay(ctx, client.AutopayChange{Enabled: new(false)})
	}
	if err == nil {
		err = s.to(ctx, "2026-06-15T10:00")
	}
	if err != nil {
		return err
	}
	plan, err := s.desk.Schedule(ctx, s.order)
	if err != nil {
		return err
	}
	if _, err := s.desk.RecordPayment(ctx, client.PaymentRequest{OrderKey: s.order, Amount: plan.RemainingBalance, Method: "CARD", PaymentMethodID: pm.ID}); err != nil {
		return err
	}
	if err := s.to(ctx, "2026-06-30T10:00"); err != nil {
		return err
	}
	return s.tellPayment(ctx)
}

// now returns the time on the sandbox's clock.
func (s *story) now(ctx context.Context) (time.Time, error) {
	x, err := s.desk.SandboxClock(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return x.Now, nil
}

// to advances the time to a minute in New York.
func (s *story) to(ctx context.Context, minute string) error {
	var at terminal.InstantFlag
	if err := at.UnmarshalText([]byte(minute)); err != nil {
		return err
	}
	x, err := s.desk.SandboxClock(ctx)
	if err != nil {
		return err
	}
	if x.Now.After(time.Time(at)) && strings.HasPrefix(minute, StoryBegins) {
		return &exit.Failure{Code: exit.Conflict, Text: "the clock of " + s.desk.Address() + " is past " + StoryBegins, Hint: "Run it in a new sandbox, or without --server."}
	}
	if x, err = s.desk.AdvanceSandboxClock(ctx, client.ClockAdvance{To: time.Time(at)}); err != nil {
		return err
	}
	for x.Status == "advancing" {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(terminal.PollEvery):
		}
		if x, err = s.desk.SandboxClock(ctx); err != nil {
			return err
		}
	}
	if x.Failed {
		return fmt.Errorf("the clock stopped before %s", minute)
	}
	return nil
}

package demo

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"slices"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/app/stage"
	"tenor/internal/domain/access"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/auth"
	magic "tenor/internal/ports/facts/sandbox"
	fakebank "tenor/internal/ports/rails/fake"
)

// The demo's merchants. All names are invented.
const (
	Merchant       = "Harbor Supply"
	OtherMerchant  = "Northgate Tools"
	formerMerchant = "Quarry Lane Stone" // the history adds one
)

// readyCompany is a sandbox company whose number determines its outcome.
type readyCompany struct {
	id      int64
	name    string
	status  credit.CompanyStatus
	tier    string
	line    string
	code    string // status_reason
	message string
}

// ReadyCompanies returns the companies of every new sandbox. What time or a decision brings, as
// for 1000000003, has not happened yet: they are in their initial state.
func ReadyCompanies() []readyCompany {
	return []readyCompany{
		{1000000001, "Alder Kitchens", credit.CompanyApproved, "A", "25000.00", "", ""},
		{1000000002, "Birch Street Bakery", credit.CompanyApproved, "A", "250.00", "", ""},
		{1000000003, "Cedar & Sons Framing", credit.CompanyPending, "A", "0.00", "in_review", "In review; a decision takes one business day."},
		{1000000004, "Dogwood Diner", credit.CompanyDeclined, "C", "0.00", "insufficient_time_in_business", "Insufficient time in business; insufficient cash flow."},
		{1000000005, "Elm Street Dental", credit.CompanyPending, "B", "0.00", "documents_requested", "Three months of bank statements requested."},
		{1000000006, "Fir Valley Farms", credit.CompanyApproved, "B", "10000.00", "", ""},
		{1000000007, "Ginkgo Imports", credit.CompanyPending, "B", "0.00", "possible_sanctions_match", "Possible sanctions match under review."},
		{1000000008, "Hazel Print Works", credit.CompanyApproved, "C", "5000.00", "", ""},
		{1000000009, "Ironwood Gym", credit.CompanyOnHold, "B", "10000.00", "manual_hold", "Held manually."},
		{1000000010, "Juniper Travel", credit.CompanyClosed, "B", "0.00", "closed_by_request", "Closed at the company's request."},
	}
}

// merchantAccount is the payout account of the demo's merchants: an ordinary account at the
// sandbox's bank.
const merchantAccount = "500100200"

// seedCompany creates a company that buys from the merchants. If it owes or may owe money, it has
// an account at the sandbox's bank with autopay. Its number is appended to names that must be
// unique.
func seedCompany(ctx context.Context, n *node.Node, c readyCompany, number int, account string, shops []string, draw func(name string) [16]byte) error {
	ein, email := fmt.Sprintf("%04d", number), fmt.Sprintf("accounts-%d@example.test", number)
	all := magic.Outcomes()
	if i := slices.IndexFunc(all, func(o magic.Outcome) bool { return o.Ready == c.id }); i >= 0 { // somebody may sign in for it
		ein, email = all[i].EIN[len(all[i].EIN)-4:], fmt.Sprintf("buyer-%02d@sandbox.example", number)
	}
	_, err := n.Submit(ctx, "demo", draw(c.name), lending.CreateCompany{
		ID: c.id, Title: c.name, LegalName: c.name + " LLC", TaxIDLast4: ein, Status: c.status,
		StatusCode: c.code, StatusMessage: c.message, Phone: fmt.Sprintf("+1 212 555 01%02d", number%100),
		Email: email, Tier: c.tier, Limit: money.MustParse(c.line), Merchants: shops,
		BillingAddress: credit.CompanyAddress{Street: fmt.Sprintf("%d Canal St", 9+number), City: "New York", State: "NY", PostalCode: "10013", Country: "US"},
	})
	if err != nil || c.status != credit.CompanyApproved && c.status != credit.CompanyOnHold {
		return err
	}
	seed := draw(c.name + " account")
	id := payments.MethodID(seed, n.Now())
	bank, err := n.Account(payments.MethodAccount(id), credit.AccountDetails{Routing: fakebank.Routing, Number: account, Holder: c.name + " LLC"})
	if err != nil {
		return err
	}
	made, err := n.Submit(ctx, "demo", seed, payments.AddPaymentMethod{
		ID: id, Company: c.id, Type: credit.ACH, Bank: bank,
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: n.Now().Truncate(time.Microsecond), Reference: "demo"},
	})
	if err != nil {
		return err
	}
	on, method := true, made.Result.(*credit.PaymentMethod).ID
	// Merchants pass on the company's authorization, and can withdraw it: one that the company had
	// given the lender directly would not be theirs to change.
	word := &payments.Given{AcceptedAt: n.Now().Truncate(time.Microsecond), Reference: "demo"}
	for i, m := range shops {
		actor := credit.Actor{Client: "demo", Merchant: m}
		if _, err = n.SubmitAs(ctx, actor, draw(fmt.Sprint(c.name, " autopay ", i)), payments.SetAutopay{Company: c.id, Enabled: &on, Method: &method, Authorization: word}); err != nil {
			return err
		}
	}
	return nil
}

// ClientName is the demo merchant's API client.
const ClientName = "Demo shop"

// Secret returns the demo client's secret. It is derived from the sandbox's database, so that
// every start can show it. Nothing in a sandbox is secret.
func Secret(cursors []byte) auth.Secret {
	h := hmac.New(sha256.New, cursors)
	_, _ = io.WriteString(h, "tenor demo client") // never fails
	return auth.Secret(auth.SecretPrefix + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)))
}

// Makers returns what creates a sandbox's demo data.
func Makers() stage.Makers {
	return stage.Makers{
		Demo: func(ctx context.Context, n *node.Node, seed int64, wall func() time.Time) (string, error) {
			return seedDemo(ctx, n, seed, wall, nil)
		},
		Begins: historyBegins, History: seedHistory,
	}
}

// seedDemo creates the merchants and the ready companies through the engine, as an operator
// would, and returns the demo merchant. IDs are derived from the seed and the clock, which must
// not move. past plays the merchants' history from before the companies; it may be nil.
func seedDemo(ctx context.Context, n *node.Node, seed int64, wall func() time.Time, past func(draw func(name string) [16]byte, shops []string) error) (string, error) {
	draw := func(name string) [16]byte {
		sum := sha256.Sum256(fmt.Appendf(nil, "tenor demo %d %s", seed, name))
		return [16]byte(sum[:16])
	}
	names := []string{Merchant, OtherMerchant}
	if past != nil {
		names = append(names, formerMerchant)
	}
	ids, err := seedMerchants(ctx, n, names, draw)
	if err == nil && past != nil {
		err = past(draw, ids)
	}
	if err != nil {
		return "", err
	}
	for i, c := range ReadyCompanies() {
		linked := ids[:1]
		if i == 0 {
			linked = ids[:2] // one company buys from both
		}
		if err := seedCompany(ctx, n, c, i+1, fakebank.Account, linked, draw); err != nil {
			return "", fmt.Errorf("company %d: %w", c.id, err)
		}
	}
	if n.Plans != nil { // "Hazel Print Works" is suspended after thirty days
		if err := n.SuspendLater(ctx, 1000000008, n.Now().Add(30*24*time.Hour)); err != nil {
			return "", fmt.Errorf("plan of company 1000000008: %w", err)
		}
	}
	if _, err := n.Submit(ctx, "demo", draw(ClientName), access.CreateClient{
		Merchant: ids[0], Title: ClientName, Scopes: append(access.MerchantScopes(), access.ScopeSandbox),
		SecretHash: auth.HashSecret(Secret(n.Cursors)), At: wall(),
	}); err != nil {
		return "", err
	}
	return ids[0], n.DB.PutSetting(ctx, node.SettingDemo, []byte(ids[0]))
}

// seedMerchants creates the lender's settings and the merchants, each with an account.
func seedMerchants(ctx context.Context, n *node.Node, names []string, draw func(name string) [16]byte) (ids []string, err error) {
	for _, name := range names {
		made, err := n.Submit(ctx, "demo", draw(name), merchants.CreateMerchant{
			Title: name, Settings: lending.DefaultSettings(), Limits: credit.Limits{Exposure: credit.Unlimited}, // no real money is at risk
		})
		if err != nil {
			return nil, err
		}
		id := made.Result.(*credit.Merchant).ID
		bank, err := n.Account(payments.PaidAccount(id), credit.AccountDetails{Routing: fakebank.Routing, Number: merchantAccount, Holder: name})
		if err != nil {
			return nil, err
		}
		bank.Holder = "" // the merchant itself
		if _, err := n.Submit(ctx, "demo", draw(name+" account"), merchants.SetMerchantAccount{Merchant: id, Bank: bank}); err != nil {
			return nil, fmt.Errorf("account of %s: %w", name, err)
		}
		ids = append(ids, id)
	}
	contact := "help@lender.example, (800) 555-0100"
	if _, err := n.Submit(ctx, "demo", draw("lender"), compliance.SetLender{
		Contact:   &contact,
		Creditor:  &credit.Party{Name: "Tenor Demo Lending", Address: "1 Example Street, New York, NY 10013"},
		Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Equal Credit Opportunity, Washington, DC 20580"},
	}); err != nil {
		return nil, fmt.Errorf("the lender's settings: %w", err)
	}
	return ids, nil
}

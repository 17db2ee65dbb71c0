package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tenor/client"
)

// begin advances the clock to the next day on which the scenario begins.
func (r *run) begin(ctx context.Context) error {
	r.saying = "The clock advances to the first day of the scenario."
	c, err := r.clock(ctx)
	if err != nil {
		return err
	}
	r.year = c.Now.In(r.Zone).Year()
	at, err := r.moment(r.s.Begins)
	if err != nil {
		return err
	}
	if at.Before(c.Now) {
		r.year++
	}
	return r.moveTo(ctx, r.s.Begins, "")
}

// terms are the merchant's: six installments at 12 %, three without a charge, one in 30 days; a
// merchant discount of 3 % on each.
const terms = `[
	{"installments":6,"plan":"AMORTIZED","annual_rate":"0.120000","merchant_discount_rate":"0.030000"},
	{"installments":3,"plan":"ZERO","merchant_discount_rate":"0.030000"},
	{"installments":1,"plan":"NET30","merchant_discount_rate":"0.030000"}]`

// routing is the sandbox's bank, and merchantAccount an ordinary account there.
const (
	routing         = "990000000"
	merchantAccount = "500100200"
	// reason is given for the lender's actions.
	reason = "a scenario"
)

// prepare creates the participants: a merchant with a bank account, a client and a webhook
// receiver, and a company.
func (r *run) prepare(ctx context.Context) error {
	r.saying = "A merchant, its webhook receiver and a company are created."
	m, err := r.make(ctx, "merchant", "POST", "/v1/operator/merchants", map[string]any{
		"name": fmt.Sprintf("Scenario %s %s", r.s.Name, r.Wall().UTC().Format("2006-01-02T15:04:05.000000")), "terms": json.RawMessage(terms), "reason": reason,
	})
	if err != nil {
		return err
	}
	r.result.MerchantID = textOf(m, "id")
	if _, err := r.make(ctx, "", "PUT", "/v1/operator/merchants/"+r.result.MerchantID+"/bank_account", map[string]any{
		"routing_number": routing, "account_number": merchantAccount, "account_type": "CHECKING", "holder_name": "Scenario", "debits": false, "reason": reason,
	}); err != nil {
		return err
	}
	k, err := r.make(ctx, "", "POST", "/v1/operator/clients", map[string]any{"merchant_id": r.result.MerchantID, "name": "scenario", "reason": reason})
	if err != nil {
		return err
	}
	if r.shop, err = r.Shop(textOf(k, "id"), textOf(k, "secret")); err != nil {
		return err
	}
	if err := r.subscribe(ctx); err != nil {
		return err
	}
	return r.buyer(ctx)
}

// make creates something as the lender, and saves the response under a name if it has one.
func (r *run) make(ctx context.Context, name, method, path string, body any) (json.RawMessage, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	x, err := ask[json.RawMessage](ctx, r.script, call{as: asLender, method: method, path: path, body: b})
	if name != "" {
		r.kept[name] = x
	}
	return x, err
}

// subscribe sends every event of the merchant to the scenario's receiver.
func (r *run) subscribe(ctx context.Context) error {
	b, err := json.Marshal(map[string]string{"url": r.hook.url})
	if err != nil {
		return err
	}
	w, err := ask[json.RawMessage](ctx, r.script, call{as: asShop, method: "POST", path: "/v1/webhooks", body: b})
	if err != nil {
		return err
	}
	r.kept["webhook"] = w
	r.hook.trust(textOf(w, "secret"))
	return nil
}

// buyer creates the company with its account. Its email address is unique: whoever verifies it
// acts for the company.
func (r *run) buyer(ctx context.Context) error {
	c, err := r.make(ctx, "company", "POST", "/v1/operator/companies", map[string]any{
		"name": "Scenario " + r.s.Name, "email": strings.ToLower(r.result.MerchantID) + "@buyer.example", "tier": "A", "limit": client.Amount(r.s.Buyer.Limit), "merchants": []string{r.result.MerchantID}, "reason": reason,
	})
	if err != nil {
		return err
	}
	r.result.CompanyID = textOf(c, "id")
	if r.s.Buyer.Account == "" {
		return nil
	}
	company := "/v1/companies/" + r.result.CompanyID
	pm, err := r.make(ctx, "account", "POST", company+"/payment_methods", map[string]any{
		"type": "ACH", "routing_number": routing, "account_number": r.s.Buyer.Account, "holder_name": "Scenario",
		"authorization": map[string]any{"channel": "WRITTEN", "accepted_at": r.now, "reference": r.s.Name},
	})
	if err != nil || !r.s.Buyer.Autopay {
		return err
	}
	_, err = r.make(ctx, "", "PATCH", company+"/autopay", map[string]any{"enabled": true, "payment_method_id": textOf(pm, "id")})
	return err
}

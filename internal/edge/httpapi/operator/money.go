package operator

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type accountBody struct {
	RoutingNumber string           `json:"routing_number" required:"true" pattern:"^[0-9]{9}$" doc:"Routing number: nine digits with a valid check digit." example:"021000021"`
	AccountNumber string           `json:"account_number" required:"true" pattern:"^[0-9]{4,17}$" doc:"Account number. Stored encrypted; only the last four digits are shown." example:"987654321"`
	AccountType   string           `json:"account_type" enum:"CHECKING,SAVINGS" default:"CHECKING" doc:"Account type." example:"CHECKING"`
	HolderName    string           `json:"holder_name" required:"true" minLength:"1" maxLength:"100" doc:"Name of the account holder, in Latin letters." example:"Harbor Supply Inc"`
	Contact       rest.Opt[string] `json:"contact_email" nullable:"true" format:"email" maxLength:"254" doc:"E-mail address notified of changes to the account or this address; null removes it; unchanged if omitted." example:"accounts@harbor.example"`
	Debits        bool             `json:"debits" doc:"Whether the agreement allows debiting clawbacks." example:"true"`
	serve.BecauseBody
}

// Check requires an account that a bank's file can contain.
func (b *accountBody) Check(report func(name, code, detail string)) {
	buyers.CheckAccount(b.RoutingNumber, b.AccountNumber, &b.HolderName, report)
}

type limitsBody struct {
	Exposure  *money.Amount `json:"exposure" minimum:"0.01" doc:"Exposure limit: unpaid principal of its orders plus what it owes. Default: 50,000.00." example:"250000.00"`
	Unlimited bool          `json:"unlimited" doc:"No exposure limit; omit \"exposure\"." example:"false"`
	Due       *money.Amount `json:"due" minimum:"0.01" doc:"Limit on what it owes from collections and clawbacks. Default: the larger of 10,000.00 and twice what was netted or remitted in the last 30 days." example:"25000.00"`
	Reason    string        `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"audited accounts of 2025"`
}

// Check refuses a limit combined with no limit.
func (b *limitsBody) Check(report func(name, code, detail string)) {
	if b.Unlimited && b.Exposure != nil {
		report("exposure", "invalid", "Give either an amount or no limit, not both.")
	}
}

func (b *limitsBody) limits() credit.Limits {
	if b.Unlimited {
		return credit.Limits{Exposure: credit.Unlimited, Due: serve.Deref(b.Due)}
	}
	return credit.Limits{Exposure: serve.Deref(b.Exposure), Due: serve.Deref(b.Due)}
}

type remittanceBody struct {
	Amount    money.Amount `json:"amount" required:"true" minimum:"0.01" doc:"Amount the merchant sent." example:"207.06"`
	Reference *string      `json:"reference" doc:"A reference." example:"wire 2231"`
	serve.BecauseBody
}

type orderHoldBody struct {
	Days   int    `json:"days" required:"true" minimum:"0" maximum:"365" doc:"Length of the hold in days from today; 0 ends the current hold." example:"30"`
	Reason string `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"goods disputed"`
}

type scheduleBody struct {
	Installment int            `json:"installment" minimum:"1" maximum:"36" doc:"First installment to move, with due_date; not due yet." example:"3"`
	DueDate     *calendar.Date `json:"due_date" doc:"New due date, at most 92 days after the current one. Later installments follow monthly." example:"2026-04-30"`
	Reamortize  bool           `json:"reamortize" doc:"true spreads the unpaid principal over the remaining installments in level payments." example:"true"`
	Reason      string         `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"flood at the buyer's"`
}

type feeKey struct {
	serve.OrderKey
	FeeID string `path:"fee_id" prefix:"fee_" doc:"The fee's identifier." example:"fee_01KB0A4E7WCN3R1P9M8K6J4H2G"`
}

// Money returns the back office's operations on merchants' money, on orders in trouble, and
// on what the rails carry.
func (s API) Money() []rest.Operation {
	return slices.Concat(s.payouts(), s.servicing(), s.notices(), s.transfers())
}

func (s API) payouts() []rest.Operation {
	const path = "/v1/operator/merchants/{id}"
	return rest.Group{Tag: "Operator", Writes: access.ScopeMoney, Response: resource.Merchant{}, ETag: true}.With([]rest.Operation{
		{
			ID: "setMerchantAccount", Method: "PUT", Path: path + "/bank_account", Summary: "Set a merchant's payout account",
			Doc: "The first account takes effect immediately. A different account or `contact_email` stays `pending` for the lender's `cooling_off_days` (default: two banking days) and until another client of the lender confirms it, if there is one with `money:manage`; until then, payouts go to the current account. " +
				"Meanwhile an alarm (`account_change`) shows the previous contact, who should be asked. Sending the current account again cancels the pending change. Taking effect also ends a hold caused by a failed payout.",
			Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.setMerchantAccount),
		},
		{
			ID: "confirmMerchantAccount", Method: "POST", Path: path + "/bank_account/confirm", Summary: "Confirm a change of a merchant's payout account",
			Doc:      "By a different client than the one that requested it, if `needs_second` is true. It takes effect on `effective_from`.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: serve.Decides(s.Service, s.merchantAnswer, confirmMerchantAccount),
		},
		{
			ID: "cancelMerchantAccount", Method: "POST", Path: path + "/bank_account/cancel", Summary: "Cancel a change of a merchant's payout account",
			Doc:      "Only before it takes effect. Payouts keep going to the current account.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: serve.Decides(s.Service, s.merchantAnswer, cancelMerchantAccount),
		},
		{
			ID: "setMerchantLimits", Method: "PUT", Path: path + "/limits", Summary: "Set a merchant's exposure limits", Scopes: []string{access.ScopeSettings},
			Doc: "Sets both limits; an omitted one goes to its default. Payouts held for exceeding the limit are made by the next run once within it.", Problems: []string{"precondition_failed"},
			Endpoint: serve.Decides(s.Service, s.merchantAnswer, setMerchantLimits),
		},
		{
			ID: "setMerchantShop", Method: "PUT", Path: path + "/shop", Summary: "Set a merchant's shop and checkout branding", MaxBody: maxShop, Scopes: []string{access.ScopeSettings},
			Doc: "Checkouts return buyers only to these origins; in live mode any other URL is rejected with `url_not_allowed`. Buyers see the logo next to the merchant's name, the color on the primary button, and the support contacts where they need help.", Problems: []string{"precondition_failed"},
			Endpoint: rest.Handle(s.setMerchantShop),
		},
		{
			ID: "holdPayouts", Method: "POST", Path: path + "/payouts/hold", Summary: "Hold a merchant's payouts", Endpoint: serve.Decides(s.Service, s.merchantAnswer, holdPayouts),
		},
		{
			ID: "releasePayouts", Method: "POST", Path: path + "/payouts/release", Summary: "Release a merchant's payouts",
			Doc:      "Ends the hold in `held_reason`. If a failed payout also caused a hold, that hold remains; it ends with a new bank account or a second call.",
			Endpoint: serve.Decides(s.Service, s.merchantAnswer, releasePayouts),
		},
		{
			ID: "remitCollected", Method: "POST", Path: path + "/remittances", Summary: "Record a merchant's remittance",
			Doc:     "Pays what the merchant owes from collections, oldest first. More than that is 422 `validation_failed`.",
			Success: 201, Response: resource.Remittance{}, DryRun: resource.BooksDryRun[resource.Remittance]{}, Endpoint: rest.Handle(s.remitCollected),
		},
		{
			ID: "payClawback", Method: "POST", Path: path + "/clawback_payments", Summary: "Record a merchant's payment of clawbacks",
			Doc:     "Pays the merchant's open clawbacks, oldest first, excluding those covered by a pending debit. More than that is 422 `validation_failed`.",
			Success: 201, Response: resource.Remittance{}, DryRun: resource.BooksDryRun[resource.Remittance]{}, Endpoint: rest.Handle(s.payClawback),
		},
	})
}

func (s API) servicing() []rest.Operation {
	const path = "/v1/operator/orders/{key}"
	return rest.Group{
		Tag: "Operator", Method: "POST", Writes: access.ScopeMoney, Problems: []string{rest.CodePrecondition},
		Response: resource.Order{}, ETag: true, DryRun: resource.DryRun[resource.Order]{},
	}.With([]rest.Operation{
		{
			ID: "holdOrder", Path: path + "/hold", Summary: "Put an order on dispute hold, or end the hold",
			Doc:      "During the hold there is no autopay and no late fee, and its days do not count as past due.",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: serve.Decides(s.Service, serve.OrderAnswer, holdOrder),
		},
		{
			ID: "resumeCollection", Path: path + "/resume", Summary: "Resume automatic collection of an order",
			Doc: "Autopay again collects items whose retries are used up or whose money was refunded: with the next installment, or at the next cutoff if there is none. " +
				"No effect if no items need review. After a stop payment (R08), and from 60 days after a debit not in line with the authorization (R11), the account holder must authorize debits again: 422 `payment_method_required`. " +
				"Within the 60 days, `amount` or `scheduled_date` create the corrected entry, sent on its own under the existing authorization; any remainder still needs review. Without them, the corrected entry is created immediately if the next installment would be too late.",
			BodyOptional: true, Problems: []string{"order_not_captured", "invalid_transition", "payment_method_required", "invalid_effective_date"}, Endpoint: rest.Handle(s.resumeCollection),
		},
		{
			ID: "reverseChargeOff", Path: path + "/charge_off/reverse", Summary: "Reverse an order's charge-off",
			Doc: "For an erroneous charge-off. The order is restored as if it had never been charged off: finance charge accrues, and recoveries become payments of the order; those dated before the charge-off keep their date. " +
				"The books are corrected today. Amounts that came due meanwhile need review (`collection_stopped`), and the company stays suspended until released. No effect if already reversed.",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: serve.Decides(s.Service, serve.OrderAnswer, reverseChargeOff),
		},
		{
			ID: "reviseSchedule", Path: path + "/schedule", Summary: "Reschedule or reamortize an order",
			Doc: "With `installment` and `due_date`, that installment and all later ones move; the extended period accrues a month's charge plus the odd days. " +
				"With `reamortize`, all unpaid principal, including overdue installments, is spread over the remaining installments: lower payments over the same time. " +
				"Finance charge and fees already due stay due. The schedule gets its next `revision`, and `schedule.updated` is emitted. " +
				"While a debit for an affected installment is pending: 409 `invalid_transition` with its `payment_id`. To do both, make two calls.",
			Problems: []string{"order_not_captured", "invalid_transition", "term_not_available"}, Endpoint: rest.Handle(s.reviseSchedule),
		},
		{
			ID: "chargeOffOrder", Path: path + "/charge_off", Summary: "Charge an order off",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: serve.Decides(s.Service, serve.OrderAnswer, chargeOffOrder),
		},
		{
			ID: "waiveFee", Path: path + "/fees/{fee_id}/waive", Summary: "Waive the unpaid part of a fee", Endpoint: serve.Decides(s.Service, serve.OrderAnswer, waiveFee),
		},
	})
}

func (s API) merchantAnswer(ch credit.Changes) serve.Success {
	m := ch.Result.(*credit.Merchant)
	w := s.merchant(m)
	return serve.Success{Body: &w, Etag: serve.VersionTag(m.Version), Secret: len(m.Accounts()) > 0}
}

// merchant is a merchant as the lender sees it.
func (s API) merchant(m *credit.Merchant) resource.Merchant {
	return resource.NewMerchant(m, s.Details(payments.PaidAccount(m.ID)))
}

func (s API) setMerchantAccount(c *rest.Call, p *merchantID, b *accountBody) (rest.Answer, error) {
	details := credit.AccountDetails{Routing: b.RoutingNumber, Number: b.AccountNumber, Holder: b.HolderName}
	bank, err := s.Account(c, payments.PaidAccount(p.ID), details, credit.BankAccount{AccountType: b.AccountType, HolderType: "BUSINESS"})
	if err != nil {
		return rest.Answer{}, err
	}
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		m, err := serve.FindMerchant(v, p.ID)
		if err == nil && m.Name == b.HolderName {
			bank.Holder = "" // there is no other name to compare
		}
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	second, err := s.secondOperator(c)
	if err != nil {
		return rest.Answer{}, err
	}
	settings, err := s.LenderSettings(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, merchants.SetMerchantAccount{
		Merchant: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Bank: bank, Debits: b.Debits, Contact: serve.Given(b.Contact), CoolingOff: settings.CoolingOffDays(), Second: second,
	}, s.merchantAnswer)
}

func setMerchantLimits(c *rest.Call, p *merchantID, b *limitsBody) credit.Command {
	return merchants.SetMerchantLimits{Merchant: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Limits: b.limits(), Reason: b.Reason}
}

func confirmMerchantAccount(c *rest.Call, p *merchantID, _ *serve.BecauseBody) credit.Command {
	return merchants.ConfirmMerchantAccount{Merchant: p.ID, IfMatch: serve.IfMatch(c.IfMatch)}
}

func cancelMerchantAccount(c *rest.Call, p *merchantID, b *serve.BecauseBody) credit.Command {
	return merchants.CancelMerchantAccount{Merchant: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reason: b.Reason}
}

// secondOperator reports whether the lender has a client other than the caller that may
// change where money goes: then it takes two of them to do so (F41.12).
func (s API) secondOperator(c *rest.Call) (second bool, err error) {
	_, err = s.Read(c, func(v store.View) (rest.Answer, error) {
		for p := (store.Page{Limit: clientsRead}); ; {
			found, err := store.ListClients(v, "", p)
			for _, x := range found {
				second = second || x.Merchant == "" && x.ID != c.Principal.ClientID && x.RevokedAt.IsZero() && access.Holds(x.Scopes, access.ScopeMoney)
				p.AfterAt, p.AfterID = x.CreatedAt, x.ID
			}
			if err != nil || second || len(found) < p.Limit {
				return rest.Answer{}, err
			}
		}
	})
	return second, err
}

// clientsRead is how many clients are read at a time.
const clientsRead = 200

func holdPayouts(_ *rest.Call, p *merchantID, b *serve.BecauseBody) credit.Command {
	return merchants.HoldPayouts{Merchant: p.ID, Reason: b.Reason}
}

func releasePayouts(_ *rest.Call, p *merchantID, _ *serve.BecauseBody) credit.Command {
	return merchants.HoldPayouts{Merchant: p.ID}
}

func (s API) remitCollected(c *rest.Call, p *merchantID, b *remittanceBody) (rest.Answer, error) {
	return s.Do(c, merchants.RemitCollected{Merchant: p.ID, Amount: b.Amount, Reference: serve.Deref(b.Reference)}, remitted(p, b))
}

func (s API) payClawback(c *rest.Call, p *merchantID, b *remittanceBody) (rest.Answer, error) {
	return s.Do(c, merchants.PayClawback{Merchant: p.ID, Amount: b.Amount, Reference: serve.Deref(b.Reference)}, remitted(p, b))
}

// remitted answers with what a merchant has sent.
func remitted(p *merchantID, b *remittanceBody) func(credit.Changes) serve.Success {
	return func(ch credit.Changes) serve.Success {
		return serve.Success{Status: 201, Location: "/v1/operator/ledger/entries", Body: &resource.Remittance{
			MerchantID: p.ID, Amount: b.Amount, Currency: string(money.USD), Reference: resource.Text(serve.Deref(b.Reference)), Entries: serve.Posted(ch),
		}}
	}
}

func holdOrder(c *rest.Call, p *serve.OrderKey, b *orderHoldBody) credit.Command {
	return lending.HoldOrder{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Days: b.Days, Reason: b.Reason}
}

type resumeBody struct {
	Amount        rest.Opt[money.Amount] `json:"amount" minimum:"0.01" doc:"Amount of the corrected entry, at most the unpaid part of the returned debit. Default with a scheduled_date: all of it." example:"150.00"`
	ScheduledDate *calendar.Date         `json:"scheduled_date" doc:"Banking day the corrected entry settles. Default with an amount: the earliest possible." example:"2026-03-24"`
}

func (s API) resumeCollection(c *rest.Call, p *serve.OrderKey, b *resumeBody) (rest.Answer, error) {
	cmd := lending.ResumeCollection{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Amount: serve.Given(b.Amount)}
	if b.ScheduledDate != nil {
		cmd.On = *b.ScheduledDate
	}
	return s.Do(c, cmd, serve.OrderAnswer)
}

func (s API) reviseSchedule(c *rest.Call, p *serve.OrderKey, b *scheduleBody) (rest.Answer, error) {
	cmd := lending.ReviseSchedule{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Installment: b.Installment, Due: calendar.None, Reamortize: b.Reamortize, Reason: b.Reason}
	if b.DueDate != nil {
		cmd.Due = *b.DueDate
	}
	return s.Do(c, cmd, serve.OrderAnswer)
}

func chargeOffOrder(c *rest.Call, p *serve.OrderKey, b *serve.BecauseBody) credit.Command {
	return lending.ChargeOffOrder{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Reason: b.Reason}
}

func reverseChargeOff(c *rest.Call, p *serve.OrderKey, b *serve.BecauseBody) credit.Command {
	return lending.ReverseChargeOff{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Reason: b.Reason}
}

func waiveFee(c *rest.Call, p *feeKey, b *serve.BecauseBody) credit.Command {
	return lending.WaiveFee{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Fee: p.FeeID, Reason: b.Reason}
}

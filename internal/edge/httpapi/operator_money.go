package httpapi

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type accountBody struct {
	RoutingNumber string           `json:"routing_number" required:"true" pattern:"^[0-9]{9}$" doc:"Nine digits that name the bank; the last one checks the others." example:"021000021"`
	AccountNumber string           `json:"account_number" required:"true" pattern:"^[0-9]{4,17}$" doc:"The account. It is sealed, and only its last four digits are shown." example:"987654321"`
	AccountType   string           `json:"account_type" enum:"CHECKING,SAVINGS" default:"CHECKING" doc:"Kind of the account." example:"CHECKING"`
	HolderName    string           `json:"holder_name" required:"true" minLength:"1" maxLength:"100" doc:"Name of the holder, in Latin letters." example:"Harbor Supply Inc"`
	Contact       rest.Opt[string] `json:"contact_email" nullable:"true" format:"email" maxLength:"254" doc:"Address to which is written when the account, or this address, is to change; null: none; absent: as it is." example:"accounts@harbor.example"`
	Debits        bool             `json:"debits" doc:"Whether the agreement lets clawbacks be debited." example:"true"`
	becauseBody
}

// Check asks for an account that a bank's file can hold.
func (b *accountBody) Check(report func(name, code, detail string)) {
	checkAccount(b.RoutingNumber, b.AccountNumber, &b.HolderName, report)
}

type limitsBody struct {
	Exposure  *money.Amount `json:"exposure" minimum:"0.01" doc:"Largest unpaid principal of its orders, with what it owes; absent: 50,000.00." example:"250000.00"`
	Unlimited bool          `json:"unlimited" doc:"Whether there is no such limit; \"exposure\" is then left out." example:"false"`
	Due       *money.Amount `json:"due" minimum:"0.01" doc:"Largest amount that it may owe of what it has collected and of clawbacks; absent: the larger of 10,000.00 and twice what was netted or remitted in the last 30 days." example:"25000.00"`
	Reason    string        `json:"reason" required:"true" minLength:"1" doc:"Why, for the record." example:"audited accounts of 2025"`
}

// Check refuses a limit beside none.
func (b *limitsBody) Check(report func(name, code, detail string)) {
	if b.Unlimited && b.Exposure != nil {
		report("exposure", "invalid", "There is no amount where there is no limit.")
	}
}

func (b *limitsBody) limits() credit.Limits {
	if b.Unlimited {
		return credit.Limits{Exposure: credit.Unlimited, Due: deref(b.Due)}
	}
	return credit.Limits{Exposure: deref(b.Exposure), Due: deref(b.Due)}
}

type becauseBody struct {
	Reason string `json:"reason" required:"true" minLength:"1" doc:"Why, for the record." example:"reviewed by the credit desk"`
}

type remittanceBody struct {
	Amount    money.Amount `json:"amount" required:"true" minimum:"0.01" doc:"What the merchant has sent." example:"207.06"`
	Reference *string      `json:"reference" doc:"A reference." example:"wire 2231"`
	becauseBody
}

type orderHoldBody struct {
	Days   int    `json:"days" required:"true" minimum:"0" maximum:"365" doc:"For how many days from today; 0 ends the running hold." example:"30"`
	Reason string `json:"reason" required:"true" minLength:"1" doc:"Why, for the record." example:"goods disputed"`
}

type scheduleBody struct {
	Installment int            `json:"installment" minimum:"1" maximum:"36" doc:"First installment that moves, with due_date: one that is not due yet." example:"3"`
	DueDate     *calendar.Date `json:"due_date" doc:"Its new due date, at most 92 days after the present one. The installments after it follow in months." example:"2026-04-30"`
	Reamortize  bool           `json:"reamortize" doc:"true spreads all unpaid principal over the installments left, by a level payment of its own." example:"true"`
	Reason      string         `json:"reason" required:"true" minLength:"1" doc:"Why, for the record." example:"flood at the buyer's"`
}

type feeKey struct {
	orderKey
	FeeID string `path:"fee_id" prefix:"fee_" doc:"The fee's identifier." example:"fee_01KB0A4E7WCN3R1P9M8K6J4H2G"`
}

// operatorMoney is what the back office does with merchants' money, with orders that
// are in trouble, and with what the rails carry.
func (s *Service) operatorMoney() []rest.Operation {
	return slices.Concat(s.operatorPayouts(), s.operatorServicing(), s.operatorNotices(), s.operatorTransfers())
}

// ofMerchant is an operation of the back office that answers a merchant, unless it says
// otherwise.
func ofMerchant(op rest.Operation) rest.Operation {
	op.Tag = "Operator"
	if op.Scopes == nil {
		op.Scopes = []string{credit.ScopeMoney}
	}
	if op.Response == nil {
		op.Response, op.ETag = resource.Merchant{}, true
	}
	return op
}

func (s *Service) operatorPayouts() []rest.Operation {
	const path = "/v1/operator/merchants/{id}"
	act := ofMerchant
	return []rest.Operation{
		act(rest.Operation{
			ID: "setMerchantAccount", Method: "PUT", Path: path + "/bank_account", Summary: "Set where a merchant is paid",
			Doc: "The first account takes effect at once. Another account, or another `contact_email`, waits as `pending` for the lender's `cooling_off_days` (two banking days unless set), and for the word of another client of the lender if there is one with `money:manage`; until then the merchant is paid to the account that is there. " +
				"It is an alarm (`account_change`) meanwhile, which names the contact before the change: it is to be asked. The account that is there, sent again, ends what waits. When it takes effect it ends a hold that a failed payout has caused.",
			Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.setMerchantAccount),
		}),
		act(rest.Operation{
			ID: "confirmMerchantAccount", Method: "POST", Path: path + "/bank_account/confirm", Summary: "Confirm a change of where a merchant is paid",
			Doc:      "By another client than the one that has asked for it, where `needs_second` says so. It takes effect on its day, `effective_from`.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: decides(s, s.merchantAnswer, confirmMerchantAccount),
		}),
		act(rest.Operation{
			ID: "cancelMerchantAccount", Method: "POST", Path: path + "/bank_account/cancel", Summary: "End a change of where a merchant is paid",
			Doc:      "Before it has taken effect. The merchant is paid to the account that is there.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: decides(s, s.merchantAnswer, cancelMerchantAccount),
		}),
		act(rest.Operation{
			ID: "setMerchantLimits", Method: "PUT", Path: path + "/limits", Summary: "Set what the lender may stand to lose by a merchant", Scopes: []string{credit.ScopeSettings},
			Doc: "Both limits are set, each to its default if it is not said. Payouts that have waited above the limit are made by the next run once they are below it.", Problems: []string{"precondition_failed"},
			Endpoint: decides(s, s.merchantAnswer, setMerchantLimits),
		}),
		act(rest.Operation{
			ID: "setMerchantShop", Method: "PUT", Path: path + "/shop", Summary: "Set where a merchant sells, and how its checkouts look", MaxBody: maxShop, Scopes: []string{credit.ScopeSettings},
			Doc: "Buyers come back from a checkout to one of these origins and to no other: in live mode an address elsewhere is refused with `url_not_allowed`. Buyers see the logo beside the merchant's name, the color on the button that goes on, and the support addresses where they need help.", Problems: []string{"precondition_failed"},
			Endpoint: rest.Handle(s.setMerchantShop),
		}),
		act(rest.Operation{
			ID: "holdPayouts", Method: "POST", Path: path + "/payouts/hold", Summary: "Keep a merchant's payouts back", Endpoint: decides(s, s.merchantAnswer, holdPayouts),
		}),
		act(rest.Operation{
			ID: "releasePayouts", Method: "POST", Path: path + "/payouts/release", Summary: "Let a merchant's payouts go",
			Doc:      "Ends the hold that `held_reason` names. Behind a hold by hand that of a payout which could not be delivered stays: it ends with another bank account, or by another call.",
			Endpoint: decides(s, s.merchantAnswer, releasePayouts),
		}),
		act(rest.Operation{
			ID: "remitCollected", Method: "POST", Path: path + "/remittances", Summary: "Record money that a merchant has sent for what it had collected",
			Doc:     "It pays what the merchant owes of that, oldest first, and no more: 422 `validation_failed`.",
			Success: 201, Response: resource.Remittance{}, DryRun: resource.BooksDryRun[resource.Remittance]{}, Endpoint: rest.Handle(s.remitCollected),
		}),
		act(rest.Operation{
			ID: "payClawback", Method: "POST", Path: path + "/clawback_payments", Summary: "Record money that a merchant has sent for clawbacks",
			Doc:     "It pays what refunds after their payout have left the merchant owing, oldest first, and no more: 422 `validation_failed`. What a debit on its way has taken is left out.",
			Success: 201, Response: resource.Remittance{}, DryRun: resource.BooksDryRun[resource.Remittance]{}, Endpoint: rest.Handle(s.payClawback),
		}),
	}
}

func (s *Service) operatorServicing() []rest.Operation {
	const path = "/v1/operator/orders/{key}"
	return rest.Group{
		Tag: "Operator", Method: "POST", Writes: credit.ScopeMoney, Problems: []string{rest.CodePrecondition},
		Response: resource.Order{}, ETag: true, DryRun: resource.DryRun[resource.Order]{},
	}.With([]rest.Operation{
		{
			ID: "holdOrder", Path: path + "/hold", Summary: "Put an order on dispute hold, or end the hold",
			Doc:      "While it is held nothing is debited by itself, no late fee is charged, and its days do not count as past due.",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: decides(s, orderAnswer, holdOrder),
		},
		{
			ID: "resumeCollection", Path: path + "/resume", Summary: "Let autopay collect again what was left to a person",
			Doc: "Items whose retries are used up, or whose money was given back, are collected by autopay again: with the next installment, or at the next cut-off if none is to come. " +
				"An order of which nothing is left to a person stays as it is. After a stopped payment (R08), and from 60 days after a debit that was not what had been agreed (R11), the holder has to authorize debits anew: 422 `payment_method_required`. " +
				"Within the 60 days `amount` or `scheduled_date` make the corrected entry, which goes by itself and with the authorization that is there; what it leaves stays with a person. Without them it is made at once if the next installment would come too late for it.",
			BodyOptional: true, Problems: []string{"order_not_captured", "invalid_transition", "payment_method_required", "invalid_effective_date"}, Endpoint: rest.Handle(s.resumeCollection),
		},
		{
			ID: "reverseChargeOff", Path: path + "/charge_off/reverse", Summary: "Reverse an order's charge-off",
			Doc: "For a charge-off that was wrong. The order stands as if it had never been charged off: charge has accrued, and what was recovered is payments of the order; those dated before the charge-off count on their own date. " +
				"The books are corrected today. What has come due meanwhile is left to a person (`collection_stopped`), and the company stays suspended until it is released. An order whose charge-off has been reversed stays as it is.",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: decides(s, orderAnswer, reverseChargeOff),
		},
		{
			ID: "reviseSchedule", Path: path + "/schedule", Summary: "Re-schedule or re-amortize an order",
			Doc: "With `installment` and `due_date` that installment and all after it move; the moved period costs a month's charge and that of its odd days. " +
				"With `reamortize` all unpaid principal, that of overdue installments included, is spread over the installments left: lower payments over the same time. " +
				"Charge and fees that are due stay due. The schedule gets its next `revision`, and `schedule.updated` tells of it. " +
				"While a debit of an installment concerned is on its way, the answer is 409 `invalid_transition` with its `payment_id`. To do both, ask twice.",
			Problems: []string{"order_not_captured", "invalid_transition", "term_not_available"}, Endpoint: rest.Handle(s.reviseSchedule),
		},
		{
			ID: "chargeOffOrder", Path: path + "/charge_off", Summary: "Charge an order off",
			Problems: []string{"order_not_captured", "invalid_transition"}, Endpoint: decides(s, orderAnswer, chargeOffOrder),
		},
		{
			ID: "waiveFee", Path: path + "/fees/{fee_id}/waive", Summary: "Waive what is unpaid of a fee", Endpoint: decides(s, orderAnswer, waiveFee),
		},
	})
}

func (s *Service) merchantAnswer(ch credit.Changes) success {
	m := ch.Result.(*credit.Merchant)
	w := s.merchant(m)
	return success{body: &w, etag: versionTag(m.Version), secret: len(m.Accounts()) > 0}
}

// merchant is a merchant as the lender sees it.
func (s *Service) merchant(m *credit.Merchant) resource.Merchant {
	return resource.NewMerchant(s.openedMerchant(m))
}

func (s *Service) setMerchantAccount(c *rest.Call, p *merchantID, b *accountBody) (rest.Answer, error) {
	details := credit.AccountDetails{Routing: b.RoutingNumber, Number: b.AccountNumber, Holder: b.HolderName}
	bank, err := s.account(c, credit.PaidAccount(p.ID), details, credit.BankAccount{AccountType: b.AccountType, HolderType: "BUSINESS"})
	if err != nil {
		return rest.Answer{}, err
	}
	if _, err := s.read(c, func(v store.View) (rest.Answer, error) {
		m, err := findMerchant(v, p.ID)
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
	settings, err := s.lenderSettings(c)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, credit.SetMerchantAccount{
		Merchant: p.ID, IfMatch: ifMatch(c.IfMatch), Bank: bank, Debits: b.Debits, Contact: given(b.Contact), CoolingOff: settings.CoolingOffDays(), Second: second,
	}, s.merchantAnswer)
}

func setMerchantLimits(c *rest.Call, p *merchantID, b *limitsBody) credit.Command {
	return credit.SetMerchantLimits{Merchant: p.ID, IfMatch: ifMatch(c.IfMatch), Limits: b.limits(), Reason: b.Reason}
}

func confirmMerchantAccount(c *rest.Call, p *merchantID, _ *becauseBody) credit.Command {
	return credit.ConfirmMerchantAccount{Merchant: p.ID, IfMatch: ifMatch(c.IfMatch)}
}

func cancelMerchantAccount(c *rest.Call, p *merchantID, b *becauseBody) credit.Command {
	return credit.CancelMerchantAccount{Merchant: p.ID, IfMatch: ifMatch(c.IfMatch), Reason: b.Reason}
}

// lenderSettings are the lender's settings as they stand.
func (s *Service) lenderSettings(c *rest.Call) (settings credit.LenderSettings, err error) {
	_, err = s.read(c, func(v store.View) (rest.Answer, error) {
		x, err := lenderIn(v)
		settings = x.Settings
		return rest.Answer{}, err
	})
	return settings, err
}

// secondOperator reports that the lender has another client than the caller that may
// say where money goes: then two of them decide where a merchant's money goes (F41.12).
func (s *Service) secondOperator(c *rest.Call) (second bool, err error) {
	_, err = s.read(c, func(v store.View) (rest.Answer, error) {
		for p := (store.Page{Limit: clientsRead}); ; {
			found, err := store.ListClients(v, "", p)
			for _, x := range found {
				second = second || x.Merchant == "" && x.ID != c.Principal.ClientID && x.RevokedAt.IsZero() && credit.Holds(x.Scopes, credit.ScopeMoney)
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

func holdPayouts(_ *rest.Call, p *merchantID, b *becauseBody) credit.Command {
	return credit.HoldPayouts{Merchant: p.ID, Reason: b.Reason}
}

func releasePayouts(_ *rest.Call, p *merchantID, _ *becauseBody) credit.Command {
	return credit.HoldPayouts{Merchant: p.ID}
}

func (s *Service) remitCollected(c *rest.Call, p *merchantID, b *remittanceBody) (rest.Answer, error) {
	return s.do(c, credit.RemitCollected{Merchant: p.ID, Amount: b.Amount, Reference: deref(b.Reference)}, remitted(p, b))
}

func (s *Service) payClawback(c *rest.Call, p *merchantID, b *remittanceBody) (rest.Answer, error) {
	return s.do(c, credit.PayClawback{Merchant: p.ID, Amount: b.Amount, Reference: deref(b.Reference)}, remitted(p, b))
}

// remitted answers with what a merchant has sent.
func remitted(p *merchantID, b *remittanceBody) func(credit.Changes) success {
	return func(ch credit.Changes) success {
		return success{status: 201, location: "/v1/operator/ledger/entries", body: &resource.Remittance{
			MerchantID: p.ID, Amount: b.Amount, Currency: string(money.USD), Reference: resource.Text(deref(b.Reference)), Entries: posted(ch),
		}}
	}
}

// posted are the entries of a decision. Which commit wrote them, the header tells.
func posted(ch credit.Changes) []resource.Entry {
	out := make([]resource.Entry, len(ch.Entries))
	for i := range ch.Entries {
		out[i] = resource.NewEntry(&ch.Entries[i], 0)
	}
	return out
}

func holdOrder(c *rest.Call, p *orderKey, b *orderHoldBody) credit.Command {
	return credit.HoldOrder{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Days: b.Days, Reason: b.Reason}
}

type resumeBody struct {
	Amount        rest.Opt[money.Amount] `json:"amount" minimum:"0.01" doc:"Amount of the corrected entry, at most what is unpaid of what came back; absent with a scheduled_date: all of it." example:"150.00"`
	ScheduledDate *calendar.Date         `json:"scheduled_date" doc:"Banking day on which the corrected entry settles; absent with an amount: as soon as it can." example:"2026-03-24"`
}

func (s *Service) resumeCollection(c *rest.Call, p *orderKey, b *resumeBody) (rest.Answer, error) {
	cmd := credit.ResumeCollection{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Amount: given(b.Amount)}
	if b.ScheduledDate != nil {
		cmd.On = *b.ScheduledDate
	}
	return s.do(c, cmd, orderAnswer)
}

func (s *Service) reviseSchedule(c *rest.Call, p *orderKey, b *scheduleBody) (rest.Answer, error) {
	cmd := credit.ReviseSchedule{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Installment: b.Installment, Due: calendar.None, Reamortize: b.Reamortize, Reason: b.Reason}
	if b.DueDate != nil {
		cmd.Due = *b.DueDate
	}
	return s.do(c, cmd, orderAnswer)
}

func chargeOffOrder(c *rest.Call, p *orderKey, b *becauseBody) credit.Command {
	return credit.ChargeOffOrder{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Reason: b.Reason}
}

func reverseChargeOff(c *rest.Call, p *orderKey, b *becauseBody) credit.Command {
	return credit.ReverseChargeOff{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Reason: b.Reason}
}

func waiveFee(c *rest.Call, p *feeKey, b *becauseBody) credit.Command {
	return credit.WaiveFee{Order: p.Key, IfMatch: ifMatch(c.IfMatch), Fee: p.FeeID, Reason: b.Reason}
}

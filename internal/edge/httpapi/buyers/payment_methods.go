package buyers

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/account"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type methodKey struct {
	serve.CompanyKey
	ID string `path:"id" prefix:"pm_" doc:"The payment method's identifier." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
}

type companyMethodsQuery struct {
	serve.CompanyKey
	rest.Page
}

type authorizationBody struct {
	Channel    string    `json:"channel" required:"true" enum:"WEB,WRITTEN" doc:"How the account holder authorized debits." example:"WEB"`
	AcceptedAt time.Time `json:"accepted_at" required:"true" doc:"When; not in the future." example:"2026-01-09T15:00:00Z"`
	Reference  *string   `json:"reference" doc:"Your reference to the record of it." example:"consent-8841"`
}

type cardBody struct {
	Token    string  `json:"token" required:"true" minLength:"1" doc:"The processor's token for the card." example:"tok_visa_debit"`
	Mandate  string  `json:"mandate" required:"true" minLength:"1" doc:"The processor's mandate reference." example:"mnd_8841"`
	Brand    *string `json:"brand" doc:"Brand." example:"visa"`
	Last4    string  `json:"last4" required:"true" pattern:"^[0-9]{4}$" doc:"Last four digits." example:"4242"`
	ExpMonth int     `json:"exp_month" required:"true" minimum:"1" maximum:"12" doc:"Month of expiry." example:"11"`
	ExpYear  int     `json:"exp_year" required:"true" minimum:"2000" maximum:"2999" doc:"Year of expiry." example:"2029"`
	Debit    bool    `json:"debit" doc:"Whether it is a debit card; other cards are not accepted." example:"true"`
}

type paymentMethodBody struct {
	Type          string            `json:"type" required:"true" enum:"ACH,CARD" caseless:"true" doc:"A bank account or a card; lowercase is accepted." example:"ACH"`
	RoutingNumber *string           `json:"routing_number" pattern:"^[0-9]{9}$" doc:"ACH: routing number, nine digits with a valid check digit." example:"021000021"`
	AccountNumber *string           `json:"account_number" pattern:"^[0-9]{4,17}$" doc:"ACH: account number. Stored encrypted with the routing number and the holder's name; only the last four digits are shown." example:"123456789"`
	AccountType   string            `json:"account_type" enum:"CHECKING,SAVINGS" default:"CHECKING" doc:"ACH: account type." example:"CHECKING"`
	HolderType    string            `json:"holder_type" enum:"BUSINESS,CONSUMER" default:"BUSINESS" doc:"ACH: personal or business account; determines how it can be debited." example:"BUSINESS"`
	HolderName    *string           `json:"holder_name" maxLength:"100" doc:"ACH: name of the account holder. Default: the company's. Bank files allow only Latin letters and digits." example:"Alder Kitchens LLC"`
	Card          *cardBody         `json:"card" doc:"CARD: data from the processor."`
	Authorization authorizationBody `json:"authorization" required:"true" doc:"The account holder's authorization of debits."`
	Verify        bool              `json:"verify" doc:"ACH: verify with two micro-deposits; no debits until their amounts are confirmed. Always on for a merchant's token unless prenote is set; an account the lender adds without it counts as verified." example:"false"`
	Prenote       bool              `json:"prenote" doc:"ACH: verify with a prenote, three banking days before the first debit, once the company consents to the account; not with verify." example:"false"`
	Reason        *string           `json:"reason" maxLength:"200" doc:"Why the lender vouches for the account; ignored with a merchant's token." example:"voided check on file"`
}

// Check requires what the type needs, and refuses members of the other type.
func (b *paymentMethodBody) Check(report func(name, code, detail string)) {
	if b.Type == string(credit.Card) {
		if b.Card == nil {
			report("/card", "required", "A card needs its processor's token.")
		}
		for _, x := range []struct {
			name  string
			given bool
		}{
			{"/routing_number", b.RoutingNumber != nil}, {"/account_number", b.AccountNumber != nil}, {"/holder_name", b.HolderName != nil},
			{"/verify", b.Verify}, {"/prenote", b.Prenote},
		} {
			if x.given {
				report(x.name, "not_allowed", "A card has no such member.")
			}
		}
		return
	}
	if b.Verify && b.Prenote {
		report("/prenote", "not_allowed", "Use either micro-deposits or a prenote.")
	}
	if b.Card != nil {
		report("/card", "not_allowed", "A bank account has no card.")
	}
	if b.AccountNumber == nil {
		report("/account_number", "required", "A bank account needs its number.")
	}
	if b.RoutingNumber == nil {
		report("/routing_number", "required", "A bank account needs its routing number.")
		return
	}
	CheckAccount(*b.RoutingNumber, serve.Deref(b.AccountNumber), b.HolderName, report)
}

// CheckAccount requires what a bank's file can contain (F22, F41.11).
func CheckAccount(routing, number string, holder *string, report func(name, code, detail string)) {
	if !account.ValidRouting(routing) {
		report("/routing_number", "wrong_check_digit", "Not a valid routing number: the check digit is wrong, or all digits are zero.")
	}
	if why := account.NumberProblem(number); number != "" && why != "" {
		report("/account_number", "not_allowed", why)
	}
	if holder != nil && !account.Writable(*holder) {
		report("/holder_name", "not_allowed", "Bank files allow only Latin letters and digits; the name has none.")
	}
}

type verifyBody struct {
	Amounts []money.Amount `json:"amounts" required:"true" minItems:"2" maxItems:"2" minimum:"0.01" doc:"Both micro-deposit amounts, in any order." example:"[0.32,0.45]"`
}

// PaymentMethods returns the operations on companies' accounts that can be debited.
func (s API) PaymentMethods() []rest.Operation {
	const path = "/v1/companies/{company_id}/payment_methods"
	return rest.Group{Tag: "Payment methods", Reads: "companies:read", Writes: "companies:write", Problems: []string{"company_not_linked"}, Response: resource.PaymentMethod{}, ETag: true}.With([]rest.Operation{
		{
			ID: "addPaymentMethod", Method: "POST", Path: path, Summary: "Add a payment method to a company",
			Doc: "A bank account (`routing_number`, `account_number`), or a card by its processor's token. " +
				"A bank account is not debited or credited before it is verified: by micro-deposits, by a prenote once the company consents, or by the lender, unless the lender trusts merchants (`verify_accounts`). " +
				"In a sandbox, test accounts are verified. A number that failed verification for the company is rejected (409 `payment_method_unverified`) until the lender adds it.",
			Success: 201, Problems: []string{"payment_method_unverified", "company_not_eligible", "payment_method_locked", "limit_exceeded"}, Endpoint: rest.Handle(s.addPaymentMethod),
		},
		{
			ID: "listPaymentMethods", Method: "GET", Path: path, Summary: "List a company's payment methods",
			Doc:      "Newest first, without removed ones. Every merchant linked to the company sees all of them; for those added by another merchant, only the last four digits.",
			Response: resource.List[resource.PaymentMethod]{}, Endpoint: rest.Handle(s.listPaymentMethods),
		},
		{
			ID: "getPaymentMethod", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a payment method", Endpoint: rest.Handle(s.getPaymentMethod),
		},
		{
			ID: "removePaymentMethod", Method: "DELETE", Path: path + "/{id}", Summary: "Remove a payment method",
			Doc:     "It is never debited again. Autopay that uses it is turned off. Only whoever added it and the lender can remove it; for other merchants it does not exist (404).",
			Success: 204, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.removePaymentMethod),
		},
		{
			ID: "verifyPaymentMethod", Method: "POST", Path: path + "/{id}/verify", Summary: "Verify an account by its micro-deposits",
			Doc:      "Returns the updated payment method: ACTIVE if both amounts are right. The third wrong answer, or one after `expires_on`, disables it.",
			Problems: []string{"payment_method_locked"}, Endpoint: rest.Handle(s.verifyPaymentMethod),
		},
		{
			ID: "vouchForPaymentMethod", Method: "POST", Path: path + "/{id}/vouch", Summary: "Vouch for a company's account, or record the company's consent to it",
			Doc: "An account the lender vouches for needs no micro-deposits. An account added by a merchant counts as the company's own only with the company's consent, recorded here: " +
				"until then, its returns count against the merchant and cause no fee or status change for the company.",
			Scopes:   []string{access.ScopeCompanies},
			Problems: []string{"precondition_failed", "payment_method_locked"}, Endpoint: rest.Handle(s.vouchForMethod),
		},
		{
			ID: "authorizePaymentMethod", Method: "POST", Path: path + "/{id}/authorization", Summary: "Record a new authorization of debits",
			Doc:      "After a stop payment or too many returns, collection resumes only with a new authorization, given later than the previous one.",
			Problems: []string{"precondition_failed", "payment_method_locked"}, Endpoint: rest.Handle(s.authorizePaymentMethod),
		},
	})
}

func (s API) authorizePaymentMethod(c *rest.Call, p *methodKey, b *authorizationBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, payments.AuthorizeMethod{Method: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Authorization: credit.Authorization{
		Channel: b.Channel, AcceptedAt: b.AcceptedAt, Reference: serve.Deref(b.Reference),
	}}, s.methodAnswer(c))
}

// viewer is who sees a call's answer.
func viewer(c *rest.Call) credit.Actor {
	return credit.Actor{Merchant: c.Principal.Tenant, Operator: c.Principal.Operator}
}

// method is a payment method as a caller may see it.
func (s API) method(c *rest.Call, m *credit.PaymentMethod) resource.PaymentMethod {
	return resource.PaymentMethodFor(m, viewer(c), s.Details(payments.MethodAccount(m.ID)))
}

func (s API) methodAnswer(c *rest.Call) func(credit.Changes) serve.Success {
	return func(ch credit.Changes) serve.Success {
		m := ch.Result.(*credit.PaymentMethod)
		w := s.method(c, m)
		ok := serve.Success{Body: &w, Etag: serve.VersionTag(m.Version), Secret: w.Bank != nil && m.OwnedBy(viewer(c))}
		if ch.Created {
			ok.Location = "/v1/companies/" + store.CompanyKey(m.Company) + "/payment_methods/" + m.ID
		}
		return ok
	}
}

type vouchBody struct {
	Reason   string  `json:"reason" required:"true" minLength:"1" maxLength:"200" doc:"Reason, for the record." example:"voided check on file"`
	Verified bool    `json:"verified" default:"true" doc:"Whether the lender vouches for the account; it can then be debited." example:"true"`
	Consent  *string `json:"company_consent" minLength:"1" maxLength:"200" doc:"Reference to the record of the company's own consent to the account; omit to leave it unchanged." example:"call of 20 January"`
}

func (s API) vouchForMethod(c *rest.Call, p *methodKey, b *vouchBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, payments.VouchForMethod{
		Method: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Verified: b.Verified, Consent: serve.Deref(b.Consent), Reason: b.Reason,
	}, s.methodAnswer(c))
}

func (s API) addPaymentMethod(c *rest.Call, p *serve.CompanyKey, b *paymentMethodBody) (rest.Answer, error) {
	settings, err := s.LenderSettings(c)
	if err != nil {
		return rest.Answer{}, err
	}
	cmd := payments.AddPaymentMethod{
		ID: payments.MethodID(s.Seed(), s.Now()), Company: int64(p.CompanyID), Policy: settings.Policy(), Type: credit.Method(b.Type), Verify: b.Verify, Prenote: b.Prenote,
		Authorization: credit.Authorization{Channel: b.Authorization.Channel, AcceptedAt: b.Authorization.AcceptedAt, Reference: serve.Deref(b.Authorization.Reference)},
	}
	if cmd.Reason = serve.Deref(b.Reason); s.Sandbox && b.Type == string(credit.ACH) {
		cmd.InSandbox(*b.AccountNumber)
	}
	if x := b.Card; x != nil {
		c.HideBody(s.Fingerprint("request", string(c.Body)))
		cmd.Card = &credit.CardAccount{
			Token: x.Token, Mandate: x.Mandate, Brand: serve.Deref(x.Brand), Last4: x.Last4, ExpMonth: x.ExpMonth, ExpYear: x.ExpYear, Debit: x.Debit,
		}
	} else {
		holder, err := s.HolderOf(c, *p, b.HolderName)
		if err != nil {
			return rest.Answer{}, err
		}
		details := credit.AccountDetails{Routing: *b.RoutingNumber, Number: *b.AccountNumber, Holder: holder}
		if cmd.Bank, err = s.Account(c, payments.MethodAccount(cmd.ID), details, credit.BankAccount{AccountType: b.AccountType, HolderType: b.HolderType}); err != nil {
			return rest.Answer{}, err
		}
	}
	return s.Do(c, cmd, s.methodAnswer(c))
}

// theirs removes deleted methods.
func theirs(all []*credit.PaymentMethod) []*credit.PaymentMethod {
	var out []*credit.PaymentMethod
	for _, m := range all {
		if m.Status != credit.MethodDisabled || m.DisabledReason != credit.DisabledRemoved {
			out = append(out, m)
		}
	}
	return out
}

func (s API) listPaymentMethods(c *rest.Call, q *companyMethodsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		all, err := store.ListMethods(v, company)
		at := func(m *credit.PaymentMethod) rest.Position { return rest.Position{CreatedAt: m.CreatedAt, ID: m.ID} }
		return serve.Listed(c, q.Page, serve.Cut(q.Page, theirs(all), at), at, func(m *credit.PaymentMethod) resource.PaymentMethod { return s.method(c, m) }), err
	})
}

func (s API) getPaymentMethod(c *rest.Call, p *methodKey, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, p.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		m, err := findMethod(v, company, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(s.method(c, m), serve.VersionTag(m.Version))
	})
}

// findMethod reads a payment method of a company.
func findMethod(v store.View, company int64, id string) (*credit.PaymentMethod, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Methods: []string{id}}); err != nil {
		return nil, err
	}
	m := state.Methods[id]
	if m == nil || m.Company != company || len(theirs([]*credit.PaymentMethod{m})) == 0 {
		return nil, rest.NotFound()
	}
	return m, nil
}

// ofCompany answers 404 or 403 if the path names a company that the caller may not see, or
// another company's account: a command knows only the account.
func (s API) ofCompany(c *rest.Call, p *methodKey) error {
	_, err := s.Within(c, p.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		_, err := findMethod(v, company, p.ID)
		return rest.Answer{}, err
	})
	return err
}

func (s API) removePaymentMethod(c *rest.Call, p *methodKey, _ *rest.None) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, payments.RemovePaymentMethod{Method: p.ID, IfMatch: serve.IfMatch(c.IfMatch)}, func(credit.Changes) serve.Success { return serve.Success{} })
}

func (s API) verifyPaymentMethod(c *rest.Call, p *methodKey, b *verifyBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, payments.VerifyPaymentMethod{Method: p.ID, Amounts: b.Amounts}, s.methodAnswer(c))
}

package httpapi

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/account"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type methodKey struct {
	companyKey
	ID string `path:"id" prefix:"pm_" doc:"The payment method's identifier." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
}

type companyMethodsQuery struct {
	companyKey
	rest.Page
}

type authorizationBody struct {
	Channel    string    `json:"channel" required:"true" enum:"WEB,WRITTEN" doc:"How the holder has authorized debits." example:"WEB"`
	AcceptedAt time.Time `json:"accepted_at" required:"true" doc:"When; not in the future." example:"2026-01-09T15:00:00Z"`
	Reference  *string   `json:"reference" doc:"Your own reference to the record of it." example:"consent-8841"`
}

type cardBody struct {
	Token    string  `json:"token" required:"true" minLength:"1" doc:"The processor's token for the card." example:"tok_visa_debit"`
	Mandate  string  `json:"mandate" required:"true" minLength:"1" doc:"The processor's reference to the mandate." example:"mnd_8841"`
	Brand    *string `json:"brand" doc:"Brand." example:"visa"`
	Last4    string  `json:"last4" required:"true" pattern:"^[0-9]{4}$" doc:"Last four digits." example:"4242"`
	ExpMonth int     `json:"exp_month" required:"true" minimum:"1" maximum:"12" doc:"Month of expiry." example:"11"`
	ExpYear  int     `json:"exp_year" required:"true" minimum:"2000" maximum:"2999" doc:"Year of expiry." example:"2029"`
	Debit    bool    `json:"debit" doc:"Whether it is a debit card; others are not taken." example:"true"`
}

type paymentMethodBody struct {
	Type          string            `json:"type" required:"true" enum:"ACH,CARD" caseless:"true" doc:"A bank account or a card; lower case is taken, too." example:"ACH"`
	RoutingNumber *string           `json:"routing_number" pattern:"^[0-9]{9}$" doc:"ACH: nine digits that name the bank; the last one checks the others." example:"021000021"`
	AccountNumber *string           `json:"account_number" pattern:"^[0-9]{4,17}$" doc:"ACH: the account. It is sealed with its routing number and its holder's name, and only its last four digits are shown." example:"123456789"`
	AccountType   string            `json:"account_type" enum:"CHECKING,SAVINGS" default:"CHECKING" doc:"ACH: kind of the account." example:"CHECKING"`
	HolderType    string            `json:"holder_type" enum:"BUSINESS,CONSUMER" default:"BUSINESS" doc:"ACH: whose account it is. It decides how it may be debited." example:"BUSINESS"`
	HolderName    *string           `json:"holder_name" maxLength:"100" doc:"ACH: name of the holder; absent: the company's. A bank's file holds Latin letters and digits." example:"Alder Kitchens LLC"`
	Card          *cardBody         `json:"card" doc:"CARD: what the processor has given."`
	Authorization authorizationBody `json:"authorization" required:"true" doc:"The holder's consent to debits."`
	Verify        bool              `json:"verify" doc:"ACH: two micro-deposits verify it, and nothing is debited before their amounts are named. With a merchant's token that is so whatever is said here, unless prenote is; an account that the lender adds without it is verified by its word." example:"false"`
	Prenote       bool              `json:"prenote" doc:"ACH: an entry without money verifies it, three banking days before the first debit, once the company has consented to the account; not together with verify." example:"false"`
	Reason        *string           `json:"reason" maxLength:"200" doc:"Why the lender vouches for the account; it says nothing with a merchant's token." example:"voided check on file"`
}

// Check asks for what the type needs, and for nothing of the other type.
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
		report("/prenote", "not_allowed", "An account is proved by micro-deposits or by a prenote.")
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
	checkAccount(*b.RoutingNumber, deref(b.AccountNumber), b.HolderName, report)
}

// checkAccount asks for what a bank's file can hold (F22, F41.11).
func checkAccount(routing, number string, holder *string, report func(name, code, detail string)) {
	if !account.ValidRouting(routing) {
		report("/routing_number", "wrong_check_digit", "The digits are no routing number: the last one does not check the others, or they are all zero.")
	}
	if why := account.NumberProblem(number); number != "" && why != "" {
		report("/account_number", "not_allowed", why)
	}
	if holder != nil && !account.Writable(*holder) {
		report("/holder_name", "not_allowed", "A bank's file can hold Latin letters and digits; the name has none of them.")
	}
}

type verifyBody struct {
	Amounts []money.Amount `json:"amounts" required:"true" minItems:"2" maxItems:"2" minimum:"0.01" doc:"The amounts of both micro-deposits, in any order." example:"[0.32,0.45]"`
}

// paymentMethods are the accounts of companies that can be debited.
func (s *Service) paymentMethods() []rest.Operation {
	const path = "/v1/companies/{company_id}/payment_methods"
	return rest.Group{Tag: "Payment methods", Reads: "companies:read", Writes: "companies:write", Problems: []string{"company_not_linked"}}.With([]rest.Operation{
		{
			ID: "addPaymentMethod", Method: "POST", Path: path, Summary: "Add a payment method to a company",
			Doc: "A bank account (`routing_number`, `account_number`), or a card by its processor's token. " +
				"Nothing is debited from or credited to a bank account before it is verified: by its micro-deposits, by a prenote once the company has consented to it, or by the lender's word, unless the lender takes merchants' word (`verify_accounts`). " +
				"In a sandbox the accounts that stand for an outcome are verified. A number that has failed its check at the company is refused (409 `payment_method_unverified`) until the lender adds it.",
			Success: 201, Response: resource.PaymentMethod{}, ETag: true,
			Problems: []string{"payment_method_unverified", "company_not_eligible", "payment_method_locked", "limit_exceeded"}, Endpoint: rest.Handle(s.addPaymentMethod),
		},
		{
			ID: "listPaymentMethods", Method: "GET", Path: path, Summary: "List a company's payment methods",
			Doc:      "Newest first, without those that were removed. Every merchant that the company is linked to sees them all, of those that another merchant has added the last four digits.",
			Response: resource.List[resource.PaymentMethod]{}, Endpoint: rest.Handle(s.listPaymentMethods),
		},
		{
			ID: "getPaymentMethod", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a payment method",
			Response: resource.PaymentMethod{}, ETag: true, Endpoint: rest.Handle(s.getPaymentMethod),
		},
		{
			ID: "removePaymentMethod", Method: "DELETE", Path: path + "/{id}", Summary: "Remove a payment method",
			Doc:     "Nothing is debited from it any more. Autopay that debits it is switched off. Who has added it may, and the lender; for another merchant it does not exist (404).",
			Success: 204, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.removePaymentMethod),
		},
		{
			ID: "verifyPaymentMethod", Method: "POST", Path: path + "/{id}/verify", Summary: "Name the amounts of an account's micro-deposits",
			Doc:      "The answer is the payment method as it then stands: ACTIVE if both amounts are right. The third wrong answer, or one after `expires_on`, disables it.",
			Response: resource.PaymentMethod{}, ETag: true,
			Problems: []string{"payment_method_locked"}, Endpoint: rest.Handle(s.verifyPaymentMethod),
		},
		{
			ID: "vouchForPaymentMethod", Method: "POST", Path: path + "/{id}/vouch", Summary: "Vouch for a company's account, or record the company's consent to it",
			Doc: "An account that the lender vouches for needs no micro-deposits. What a merchant has added counts as the company's own only with the company's consent, recorded here: " +
				"until then what comes back of it counts against the merchant, and no fee or status of the company follows from it.",
			Scopes: []string{credit.ScopeCompanies}, Response: resource.PaymentMethod{}, ETag: true,
			Problems: []string{"precondition_failed", "payment_method_locked"}, Endpoint: rest.Handle(s.vouchForMethod),
		},
		{
			ID: "authorizePaymentMethod", Method: "POST", Path: path + "/{id}/authorization", Summary: "Record a new authorization of debits",
			Doc:      "After a stopped payment, or one that came back too often, collection goes on only when the holder has authorized it anew, after the authorization before.",
			Response: resource.PaymentMethod{}, ETag: true,
			Problems: []string{"precondition_failed", "payment_method_locked"}, Endpoint: rest.Handle(s.authorizePaymentMethod),
		},
	})
}

func (s *Service) authorizePaymentMethod(c *rest.Call, p *methodKey, b *authorizationBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, credit.AuthorizeMethod{Method: p.ID, IfMatch: ifMatch(c.IfMatch), Authorization: credit.Authorization{
		Channel: b.Channel, AcceptedAt: b.AcceptedAt, Reference: deref(b.Reference),
	}}, s.methodAnswer(c))
}

// viewer is who looks at what a call answers.
func viewer(c *rest.Call) credit.Actor {
	return credit.Actor{Merchant: c.Principal.Tenant, Operator: c.Principal.Operator}
}

// method is a payment method as a caller may see it.
func (s *Service) method(c *rest.Call, m *credit.PaymentMethod) resource.PaymentMethod {
	return resource.PaymentMethodFor(s.openedMethod(m), viewer(c))
}

func (s *Service) methodAnswer(c *rest.Call) func(credit.Changes) success {
	return func(ch credit.Changes) success {
		m := ch.Result.(*credit.PaymentMethod)
		w := s.method(c, m)
		ok := success{body: &w, etag: versionTag(m.Version), secret: w.Bank != nil && m.OwnedBy(viewer(c))}
		if ch.Created {
			ok.location = "/v1/companies/" + store.CompanyKey(m.Company) + "/payment_methods/" + m.ID
		}
		return ok
	}
}

type vouchBody struct {
	Reason   string  `json:"reason" required:"true" minLength:"1" maxLength:"200" doc:"Why, for the record." example:"voided check on file"`
	Verified bool    `json:"verified" default:"true" doc:"Whether the account is vouched for: it may be debited from now on." example:"true"`
	Consent  *string `json:"company_consent" minLength:"1" maxLength:"200" doc:"The record of the company's own consent to the account; absent: nothing is said of it." example:"call of 20 January"`
}

func (s *Service) vouchForMethod(c *rest.Call, p *methodKey, b *vouchBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, credit.VouchForMethod{
		Method: p.ID, IfMatch: ifMatch(c.IfMatch), Verified: b.Verified, Consent: deref(b.Consent), Reason: b.Reason,
	}, s.methodAnswer(c))
}

func (s *Service) addPaymentMethod(c *rest.Call, p *companyKey, b *paymentMethodBody) (rest.Answer, error) {
	settings, err := s.lenderSettings(c)
	if err != nil {
		return rest.Answer{}, err
	}
	cmd := credit.AddPaymentMethod{
		ID: credit.MethodID(s.Seed(), s.Now()), Company: int64(p.CompanyID), Policy: settings.Policy(), Type: credit.Method(b.Type), Verify: b.Verify, Prenote: b.Prenote,
		Authorization: credit.Authorization{Channel: b.Authorization.Channel, AcceptedAt: b.Authorization.AcceptedAt, Reference: deref(b.Authorization.Reference)},
	}
	if cmd.Reason = deref(b.Reason); s.Sandbox && b.Type == string(credit.ACH) {
		cmd.InSandbox(*b.AccountNumber)
	}
	if x := b.Card; x != nil {
		c.HideBody(s.Fingerprint("request", string(c.Body)))
		cmd.Card = &credit.CardAccount{
			Token: x.Token, Mandate: x.Mandate, Brand: deref(x.Brand), Last4: x.Last4, ExpMonth: x.ExpMonth, ExpYear: x.ExpYear, Debit: x.Debit,
		}
	} else {
		holder, err := s.holderOf(c, *p, b.HolderName)
		if err != nil {
			return rest.Answer{}, err
		}
		details := credit.AccountDetails{Routing: *b.RoutingNumber, Number: *b.AccountNumber, Holder: holder}
		if cmd.Bank, err = s.account(c, credit.MethodAccount(cmd.ID), details, credit.BankAccount{AccountType: b.AccountType, HolderType: b.HolderType}); err != nil {
			return rest.Answer{}, err
		}
	}
	return s.do(c, cmd, s.methodAnswer(c))
}

// theirs leaves out what was removed: it is there no more.
func theirs(all []*credit.PaymentMethod) []*credit.PaymentMethod {
	var out []*credit.PaymentMethod
	for _, m := range all {
		if m.Status != credit.MethodDisabled || m.DisabledReason != credit.DisabledRemoved {
			out = append(out, m)
		}
	}
	return out
}

func (s *Service) listPaymentMethods(c *rest.Call, q *companyMethodsQuery, _ *rest.None) (rest.Answer, error) {
	return s.within(c, q.companyKey, func(v store.View, company int64) (rest.Answer, error) {
		all, err := store.ListMethods(v, company)
		at := func(m *credit.PaymentMethod) rest.Position { return rest.Position{CreatedAt: m.CreatedAt, ID: m.ID} }
		return listed(c, q.Page, cut(q.Page, theirs(all), at), at, func(m *credit.PaymentMethod) resource.PaymentMethod { return s.method(c, m) }), err
	})
}

func (s *Service) getPaymentMethod(c *rest.Call, p *methodKey, _ *rest.None) (rest.Answer, error) {
	return s.within(c, p.companyKey, func(v store.View, company int64) (rest.Answer, error) {
		m, err := findMethod(v, company, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return answer(s.method(c, m), versionTag(m.Version))
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

// ofCompany answers 404 or 403 if the path names a company that the caller may not
// see, or an account of another one: a command knows the account alone.
func (s *Service) ofCompany(c *rest.Call, p *methodKey) error {
	_, err := s.within(c, p.companyKey, func(v store.View, company int64) (rest.Answer, error) {
		_, err := findMethod(v, company, p.ID)
		return rest.Answer{}, err
	})
	return err
}

func (s *Service) removePaymentMethod(c *rest.Call, p *methodKey, _ *rest.None) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, credit.RemovePaymentMethod{Method: p.ID, IfMatch: ifMatch(c.IfMatch)}, func(credit.Changes) success { return success{} })
}

func (s *Service) verifyPaymentMethod(c *rest.Call, p *methodKey, b *verifyBody) (rest.Answer, error) {
	if err := s.ofCompany(c, p); err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, credit.VerifyPaymentMethod{Method: p.ID, Amounts: b.Amounts}, s.methodAnswer(c))
}

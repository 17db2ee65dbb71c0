package payments

import (
	"fmt"
	"reflect"
	"slices"

	"tenor/internal/domain/account"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// AddPaymentMethod adds a company's account that can be debited, with the debtor's
// authorization.
type AddPaymentMethod struct {
	ID            string               `json:"id,omitzero"` // from MethodID; "": generated
	Company       int64                `json:"company_id"`
	Type          credit.Method        `json:"type"`
	Bank          *credit.BankAccount  `json:"bank"`
	Card          *credit.CardAccount  `json:"card"`
	Authorization credit.Authorization `json:"authorization"`
	Person        string               `json:"person,omitzero"` // owner adding it in her own session; "": a client does
	Verify        bool                 `json:"verify"`          // by micro-deposits; unless the operator vouches, so is any account that is not Known
	Prenote       bool                 `json:"prenote"`         // a zero-amount entry goes first (F22)
	Known         bool                 `json:"known,omitzero"`  // a sandbox's test account that needs no proof
	Policy        credit.VerifyPolicy  `json:"policy,omitzero"` // the lender's current one; "": always
	Reason        string               `json:"reason,omitzero"` // why the operator vouches for it
	// Micro are the amounts of the micro-deposits, which a sandbox sets; empty: random.
	Micro []money.Amount `json:"micro"`
}

func (AddPaymentMethod) Name() string { return "payment_method.add" }

// Keys requests the company, and the identifier, which must be free.
func (c AddPaymentMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Companies: []int64{c.Company}}
	if c.ID != "" {
		k.Methods = []string{c.ID}
	}
	return joinOwners(s, k, c.Person)
}

func (c AddPaymentMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := credit.AdmitOwner(s, e, c.Person, c.Company); r != nil {
		return r
	}
	return lending.AdmitAccount(s, e, c.Company)
}

func (c AddPaymentMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	c.Bank = c.Bank.HeldBy(s.Companies[c.Company].Name)
	if why := c.check(e); why != "" {
		return credit.Changes{}, credit.ValidationFailed.Because(why)
	}
	if s.Companies[c.Company].Status == credit.CompanyClosed {
		return credit.Changes{}, credit.CompanyNotEligible.Because("The company is CLOSED.")
	}
	if r := c.refuseAccount(s.Companies[c.Company], e); r != nil {
		return credit.Changes{}, r
	}
	if c.ID != "" && (s.Methods[c.ID] != nil || !methodShaped(c.ID)) {
		return credit.Changes{}, credit.ValidationFailed.Because("The payment method identifier is invalid or already in use.")
	}
	d := credit.NewDraft(s, e)
	id := c.ID
	if id == "" {
		id = d.IDs.Next(credit.PrefixMethod)
	}
	m := d.Methods.Add(id, &credit.PaymentMethod{
		ID: id, Company: c.Company, Merchant: e.Actor.Merchant, Type: c.Type, Status: credit.MethodActive, Bank: c.Bank, Card: c.Card,
		Authorization: c.Authorization, FirstSettled: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	})
	c.start(d, m)
	if c.Person != "" {
		accountChanged(d, m.Company, nil, m, c.Person)
	}
	return d.Done(m, true), nil
}

// InSandbox sets what a sandbox's bank knows about an account by its number. A number that
// stands for an outcome needs no proof. Any other is proved by micro-deposits with fixed
// amounts, since a tester has no bank statement to look at.
func (c *AddPaymentMethod) InSandbox(number string) {
	c.Known = len(number) == 9 && number[0] >= '1' && number[0] <= '4' && number[1:7] == "000000"
	c.Micro = []money.Amount{32, 45}
}

// check describes why the account cannot be debited: the first rule broken.
func (c AddPaymentMethod) check(e credit.Env) string {
	switch {
	case c.Authorization.Channel != "WEB" && c.Authorization.Channel != "WRITTEN":
		return "authorization.channel is WEB or WRITTEN."
	case c.Authorization.AcceptedAt.IsZero() || c.Authorization.AcceptedAt.After(e.Now):
		return "authorization.accepted_at is when the debtor has authorized debits; it cannot lie ahead."
	case len(c.Micro) != 0 && len(c.Micro) != 2 || slices.ContainsFunc(c.Micro, func(a money.Amount) bool { return a < 1 || a > 99 }):
		return "There are two micro-deposits, of less than a dollar."
	case c.Type.Can().File && c.Bank != nil && c.Card == nil:
		return c.Bank.Check()
	case c.Type.Can().Answer && c.Card != nil && c.Bank == nil:
		return checkCard(c.Card, e.Today())
	}
	return "A payment method is a bank account (ACH) or a card (CARD)."
}

// checkCard describes why a card cannot be used (F25). Only debit cards are accepted.
func checkCard(c *credit.CardAccount, today calendar.Date) string {
	year, month, _ := today.Civil()
	switch {
	case c.Token == "" || c.Mandate == "":
		return "A card is named by its processor's token, with the reference of the mandate."
	case !digits(c.Last4, 4):
		return "last4 is the card's last four digits."
	case c.ExpMonth < 1 || c.ExpMonth > 12 || c.ExpYear < year || c.ExpYear == year && c.ExpMonth < int(month):
		return "The card has expired, or its expiry is not a month."
	case !c.Debit:
		return "Only debit cards are taken."
	}
	return ""
}

// ValidRouting reports whether a routing number is valid (F22).
func ValidRouting(number string) bool { return account.ValidRouting(number) }

func digits(text string, n int) bool {
	if len(text) != n {
		return false
	}
	for i := range n {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// verifyMethod sends two micro-deposits to a new account, whose holder must name their amounts
// (F22): those given, else random ones. One debit in the same file takes them back. Nothing
// else is debited until they are named.
func verifyMethod(d *credit.Draft, m *credit.PaymentMethod, amounts []money.Amount) {
	h := d.IDs.Block()
	if len(amounts) == 0 {
		amounts = []money.Amount{1 + money.Amount(h[0])%99, 1 + money.Amount(h[1])%99}
	}
	m.Status = credit.MethodUnverified
	proving(d, m)
	m.Verification = &credit.Verification{
		Amounts:   amounts,
		ExpiresOn: d.Env.Today().AddDays(credit.VerificationDays),
	}
	micro := func(amount money.Amount, of string) string {
		return lending.NewTransfer(d, &credit.Transfer{Rail: credit.ACH, Kind: credit.TransferMicro, Company: m.Company, Method: m.ID, Amount: amount, Entry: lending.EntryVerify, Charge: of}, calendar.None).ID
	}
	first := micro(m.Verification.Amounts[0], "")
	micro(m.Verification.Amounts[1], "")
	micro(money.Sum(m.Verification.Amounts...), first)
}

// prenoteDays is how many banking days before the first live entry a prenote is sent (F22).
const prenoteDays = 3

// prenote sends a zero-amount entry to a new account. If the bank does not return it, the
// account may be debited by entries that settle at least three banking days later.
func prenote(d *credit.Draft, m *credit.PaymentMethod) {
	m.Status = credit.MethodUnverified
	proving(d, m)
	lending.NewTransfer(d, &credit.Transfer{Rail: credit.ACH, Kind: credit.TransferPrenote, Company: m.Company, Method: m.ID, Entry: lending.EntryVerify}, calendar.None)
}

// AuthorizeMethod records a new authorization of debits by the holder of a payment method:
// after one was stopped or used up, collection continues only with another (F23). Result is
// the *PaymentMethod.
type AuthorizeMethod struct {
	Method        string               `json:"payment_method"`
	IfMatch       []string             `json:"if_match"`
	Authorization credit.Authorization `json:"authorization"`
}

func (AuthorizeMethod) Name() string { return "payment_method.authorize" }

// Keys requests the method, then for its company.
func (c AuthorizeMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return methodKeys(s, c.Method)
}

func (c AuthorizeMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitMethod(s, e, c.Method)
}

func (c AuthorizeMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old, a := s.Methods[c.Method], c.Authorization
	switch r := credit.MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return credit.Changes{}, r
	case old.Status == credit.MethodDisabled:
		return credit.Changes{}, lockedMethod(old)
	case a.Channel != "WEB" && a.Channel != "WRITTEN" || a.AcceptedAt.After(e.Now) || a.AcceptedAt.Before(old.Authorization.AcceptedAt):
		return credit.Changes{}, credit.ValidationFailed.Because("An authorization must be WEB or WRITTEN, later than the previous one, and not in the future.")
	case a == old.Authorization:
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	m.Authorization = a
	return d.Done(m, false), nil
}

// RemovePaymentMethod ends the use of a payment method.
type RemovePaymentMethod struct {
	Method  string   `json:"payment_method"`
	IfMatch []string `json:"if_match"`
	Person  string   `json:"person,omitzero"` // owner of the company, acting in her own session
}

func (RemovePaymentMethod) Name() string { return "payment_method.remove" }

// Keys requests the method, then for its company.
func (c RemovePaymentMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return joinOwners(s, methodKeys(s, c.Method), c.Person)
}

func methodKeys(s *credit.State, id string) credit.Keys {
	k := credit.Keys{Methods: []string{id}}
	if m := s.Methods[id]; m != nil {
		k.Companies = []int64{m.Company}
	}
	return k
}

func (c RemovePaymentMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitOwnMethod(s, e, c.Method, c.Person)
}

func (c RemovePaymentMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Methods[c.Method]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Status == credit.MethodDisabled && old.DisabledReason == credit.DisabledRemoved {
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	lending.Proved(d, old, old.Status == credit.MethodUnverified) // an account removed before it is proved cannot be tried again
	debited := debitsOf(s.Companies[old.Company], c.Method)
	m := disable(d, c.Method, credit.DisabledRemoved)
	if s.Companies[m.Company].Servicing.Autopay.Method == m.ID {
		a := &d.Companies.Edit(m.Company).Servicing.Autopay
		a.Enabled, a.Method = false, ""
	}
	endMandates(d, m)
	if debited || c.Person != "" {
		accountChanged(d, m.Company, m, nil, c.Person)
	}
	return d.Done(m, false), nil
}

// debitsOf reports whether the company's or a merchant's autopay debits an account.
func debitsOf(c *credit.Company, method string) bool {
	return c.Servicing.Autopay.Method == method || slices.ContainsFunc(c.Servicing.Mandates, func(m credit.Mandate) bool { return m.Method == method })
}

// disable ends the use of a payment method. Transfers waiting to be sent from it are dropped
// when due.
func disable(d *credit.Draft, id, reason string) *credit.PaymentMethod {
	m := d.Methods.Edit(id)
	m.Status, m.DisabledReason, m.Verification = credit.MethodDisabled, reason, nil
	return m
}

// VerifyPaymentMethod compares the amounts that the holder has seen with the micro-deposits
// (F22). The third wrong answer, or one after ten days, disables the method; the caller gets
// the method in its new state.
type VerifyPaymentMethod struct {
	Method  string         `json:"payment_method"`
	Amounts []money.Amount `json:"amounts"`
	Person  string         `json:"person,omitzero"` // owner of the company who saw them
}

func (VerifyPaymentMethod) Name() string { return "payment_method.verify" }

// Keys requests the method, then for its company.
func (c VerifyPaymentMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return methodKeys(s, c.Method).OwnersWord(c.Person)
}

func (c VerifyPaymentMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitOwnMethod(s, e, c.Method, c.Person)
}

func (c VerifyPaymentMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Methods[c.Method]
	switch {
	case old.Usable():
		return credit.Changes{Result: old}, nil
	case old.Status == credit.MethodDisabled || old.Verification == nil:
		return credit.Changes{}, lockedMethod(old)
	}
	d := credit.NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	v := *old.Verification
	m.Verification = &v
	v.Tries++
	switch {
	case sameAmounts(v.Amounts, c.Amounts) && e.Today() <= v.ExpiresOn:
		lending.Vouch(d, m, lending.VerifiedByMicro, "")
	case v.Tries >= credit.VerificationTries || e.Today() > v.ExpiresOn:
		lending.Proved(d, m, true)
		disable(d, m.ID, credit.DisabledUnproven)
	}
	return d.Done(m, false), nil
}

// sameAmounts compares amounts in any order.
func sameAmounts(a, b []money.Amount) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func lockedMethod(m *credit.PaymentMethod) *credit.Rejection {
	return credit.PaymentMethodLocked.With(fmt.Sprintf("The payment method is %s.", m.Status), map[string]any{"payment_method_status": string(m.Status)})
}

// CorrectPaymentMethod applies a notification of change from the bank (F22). Nil or "" members
// stay as they are. It is idempotent, and ignores an answer to an entry older than the one
// whose answer last corrected the account.
type CorrectPaymentMethod struct {
	Method      string   `json:"payment_method"`
	IfMatch     []string `json:"if_match,omitzero"` // versions in quotes: the correction is sealed together with the other details as read; nil: any
	Transfer    string   `json:"transfer"`          // the entry that was answered
	Code        string   `json:"code"`
	Routing     string   `json:"routing_number,omitzero"` // as in a BankAccount, like the holder's name
	Last4       string   `json:"last4"`
	Sealed      []byte   `json:"sealed"`
	Fingerprint string   `json:"fingerprint"`
	BareHash    string   `json:"bare_hash,omitzero"`
	AccountType string   `json:"account_type"`
	HolderName  string   `json:"holder_name,omitzero"`
	Holder      string   `json:"holder,omitzero"`
}

func (CorrectPaymentMethod) Name() string { return "payment_method.correct" }

// Keys requests the method, then for its company.
func (c CorrectPaymentMethod) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := methodKeys(s, c.Method)
	if c.Transfer != "" {
		k.Transfers = []string{c.Transfer}
	}
	return k
}

// Admit allows only the operator to correct an account, at the bank's request.
func (c CorrectPaymentMethod) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such payment method.")
	}
	return lending.AdmitMethod(s, e, c.Method)
}

func (c CorrectPaymentMethod) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Methods[c.Method]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Bank == nil {
		return credit.Changes{}, credit.ValidationFailed.Because("The payment method is not a bank account.")
	}
	answered := e.Today()
	if t := s.Transfers[c.Transfer]; t != nil {
		answered = t.SendOn
	}
	if answered < old.Bank.CorrectedBy {
		return credit.Changes{Result: old}, nil
	}
	next := c.apply(*old.Bank)
	if why := next.Check(); why != "" {
		return credit.Changes{}, credit.ValidationFailed.Because(why)
	}
	if sameAccount(*old.Bank, next) {
		return credit.Changes{Result: old}, nil
	}
	next.CorrectedBy = answered
	d := credit.NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	m.Bank = &next
	return d.Done(m, false), nil
}

// sameAccount reports whether two records are identical. Sealed details are compared by their
// fingerprints, because resealing changes the bytes.
func sameAccount(b credit.BankAccount, next credit.BankAccount) bool {
	next.Sealed = b.Sealed
	return reflect.DeepEqual(b, next)
}

// apply sets the corrected members of an account.
func (c CorrectPaymentMethod) apply(b credit.BankAccount) credit.BankAccount {
	for _, x := range []struct {
		to    *string
		value string
	}{
		{&b.Routing, c.Routing}, {&b.Last4, c.Last4}, {&b.Fingerprint, c.Fingerprint}, {&b.AccountType, c.AccountType}, {&b.HolderName, c.HolderName}, {&b.Holder, c.Holder},
	} {
		if x.value != "" {
			*x.to = x.value
		}
	}
	if c.Fingerprint != "" {
		b.BareHash = c.BareHash
	}
	if len(c.Sealed) > 0 {
		b.Sealed = slices.Clone(c.Sealed)
	}
	if c.Holder != "" { // the envelope holds everything
		b.Routing, b.HolderName = "", ""
	}
	return b
}

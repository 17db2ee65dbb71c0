package credit

import (
	"fmt"
	"reflect"
	"slices"

	"tenor/internal/domain/account"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// AddPaymentMethod adds an account of a company that can be debited, with the
// debtor's authorization.
type AddPaymentMethod struct {
	ID            string        `json:"id,omitzero"` // of MethodID; "": drawn
	Company       int64         `json:"company_id"`
	Type          Method        `json:"type"`
	Bank          *BankAccount  `json:"bank"`
	Card          *CardAccount  `json:"card"`
	Authorization Authorization `json:"authorization"`
	Person        string        `json:"person,omitzero"` // owner of the company who adds it in a session of her own; "": a client does
	Verify        bool          `json:"verify"`          // by micro-deposits; without a word of the operator's so is any that is not Known
	Prenote       bool          `json:"prenote"`         // an entry without money goes first (F22)
	Known         bool          `json:"known,omitzero"`  // a test account of a sandbox: nothing has to prove it
	Policy        VerifyPolicy  `json:"policy,omitzero"` // the lender's, as it stands; "": always
	Reason        string        `json:"reason,omitzero"` // why the operator vouches for it
	// Micro are the amounts of the micro-deposits, which a sandbox names; empty: they are
	// drawn.
	Micro []money.Amount `json:"micro"`
}

func (AddPaymentMethod) Name() string { return "payment_method.add" }

// Keys asks for the company, and for the identifier that is to be free.
func (c AddPaymentMethod) Keys(s *State, _ Env) Keys {
	k := Keys{Companies: []int64{c.Company}}
	if c.ID != "" {
		k.Methods = []string{c.ID}
	}
	return joinOwners(s, k, c.Person)
}

func (c AddPaymentMethod) Admit(s *State, e Env) *Rejection {
	if r := AdmitOwner(s, e, c.Person, c.Company); r != nil {
		return r
	}
	return admitAccount(s, e, c.Company)
}

func (c AddPaymentMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	c.Bank = c.Bank.HeldBy(s.Companies[c.Company].Name)
	if why := c.check(e); why != "" {
		return Changes{}, ValidationFailed.Because(why)
	}
	if s.Companies[c.Company].Status == CompanyClosed {
		return Changes{}, CompanyNotEligible.Because("The company is CLOSED.")
	}
	if r := c.refuseAccount(s.Companies[c.Company], e); r != nil {
		return Changes{}, r
	}
	if c.ID != "" && (s.Methods[c.ID] != nil || !methodShaped(c.ID)) {
		return Changes{}, ValidationFailed.Because("The payment method's identifier is taken, or is none.")
	}
	d := NewDraft(s, e)
	id := c.ID
	if id == "" {
		id = d.IDs.Next(prefixMethod)
	}
	m := d.Methods.Add(id, &PaymentMethod{
		ID: id, Company: c.Company, Merchant: e.Actor.Merchant, Type: c.Type, Status: MethodActive, Bank: c.Bank, Card: c.Card,
		Authorization: c.Authorization, FirstSettled: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	})
	c.start(d, m)
	if c.Person != "" {
		d.accountChanged(m.Company, nil, m, c.Person)
	}
	return d.Done(m, true), nil
}

// InSandbox says what a sandbox's bank knows of an account by its number: what stands for an
// outcome nobody has to prove, and any other by micro-deposits that are always the same, since
// whoever tries one out has no bank to look at.
func (c *AddPaymentMethod) InSandbox(number string) {
	c.Known = len(number) == 9 && number[0] >= '1' && number[0] <= '4' && number[1:7] == "000000"
	c.Micro = []money.Amount{32, 45}
}

// check reports why the account cannot be debited: the first broken rule.
func (c AddPaymentMethod) check(e Env) string {
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
		return c.Card.check(e.Today())
	}
	return "A payment method is a bank account (ACH) or a card (CARD)."
}

// Check reports why a bank account cannot be used (F22, F41.11). What is sealed was looked
// at by who sealed it.
func (b *BankAccount) Check() string {
	why := account.KindProblem(b.AccountType, b.HolderType)
	if b.Routing != "" || b.HolderName != "" {
		why = account.Problem(b.Routing, b.AccountType, b.HolderType, b.HolderName)
	}
	if why != "" {
		return why
	}
	if len(b.Sealed) == 0 || len(b.Last4) == 0 || len(b.Last4) > 4 || b.Fingerprint == "" {
		return "The account number is missing."
	}
	return ""
}

// HeldBy is an account whose number alone is sealed with its holder's name: if none was
// given, that of whose account it is said to be. A file names a holder, and so does a
// screening (F22, F29).
func (b *BankAccount) HeldBy(owner string) *BankAccount {
	if b == nil || b.Routing == "" || b.HolderName != "" {
		return b
	}
	named := *b
	named.HolderName = owner
	return &named
}

// check reports why a card cannot be used (F25). Only debit cards are taken.
func (c *CardAccount) check(today calendar.Date) string {
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

// ValidRouting reports that a routing number is one (F22).
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

// Micro-deposits (F22).
const (
	VerificationTries = 3
	verificationDays  = 10
)

// verify sends two micro-deposits to a new account, whose holder is to name their
// amounts (F22): those given, else drawn ones. One debit in the same file takes them back.
// Until they are named nothing else is debited.
func (d *Draft) verify(m *PaymentMethod, amounts []money.Amount) {
	h := d.IDs.Block()
	if len(amounts) == 0 {
		amounts = []money.Amount{1 + money.Amount(h[0])%99, 1 + money.Amount(h[1])%99}
	}
	m.Status = MethodUnverified
	d.proving(m)
	m.Verification = &Verification{
		Amounts:   amounts,
		ExpiresOn: d.Env.Today().AddDays(verificationDays),
	}
	micro := func(amount money.Amount, of string) string {
		return d.transfer(&Transfer{Rail: ACH, Kind: TransferMicro, Company: m.Company, Method: m.ID, Amount: amount, Entry: entryVerify, Charge: of}, calendar.None).ID
	}
	first := micro(m.Verification.Amounts[0], "")
	micro(m.Verification.Amounts[1], "")
	micro(money.Sum(m.Verification.Amounts...), first)
}

// prenoteDays is how many banking days a prenote comes before the first live entry (F22).
const prenoteDays = 3

// prenote sends an entry without money to a new account. If the bank does not return it,
// the account is debited so that the first entry settles three banking days after it.
func (d *Draft) prenote(m *PaymentMethod) {
	m.Status = MethodUnverified
	d.proving(m)
	d.transfer(&Transfer{Rail: ACH, Kind: TransferPrenote, Company: m.Company, Method: m.ID, Entry: entryVerify}, calendar.None)
}

// AuthorizeMethod records a new authorization of debits by the holder of a payment
// method: after one was stopped or used up, collection goes on only with another (F23).
// Result is the *PaymentMethod.
type AuthorizeMethod struct {
	Method        string        `json:"payment_method"`
	IfMatch       []string      `json:"if_match"`
	Authorization Authorization `json:"authorization"`
}

func (AuthorizeMethod) Name() string { return "payment_method.authorize" }

// Keys asks for the method, then for its company.
func (c AuthorizeMethod) Keys(s *State, _ Env) Keys { return methodKeys(s, c.Method) }

func (c AuthorizeMethod) Admit(s *State, e Env) *Rejection { return admitMethod(s, e, c.Method) }

func (c AuthorizeMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	old, a := s.Methods[c.Method], c.Authorization
	switch r := MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Status == MethodDisabled:
		return Changes{}, lockedMethod(old)
	case a.Channel != "WEB" && a.Channel != "WRITTEN" || a.AcceptedAt.After(e.Now) || a.AcceptedAt.Before(old.Authorization.AcceptedAt):
		return Changes{}, ValidationFailed.Because("An authorization is given by WEB or WRITTEN, after the one before and not ahead of time.")
	case a == old.Authorization:
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	m.Authorization = a
	return d.Done(m, false), nil
}

// verified notes that a payment method to which a company has consented is verified. After debits that came back the company can be approved again (F26).
func (d *Draft) verified(company int64) {
	if d.Companies.Peek(company).Servicing.NeedsVerified {
		d.Companies.Edit(company).Servicing.NeedsVerified = false
	}
}

// RemovePaymentMethod ends the use of a payment method.
type RemovePaymentMethod struct {
	Method  string   `json:"payment_method"`
	IfMatch []string `json:"if_match"`
	Person  string   `json:"person,omitzero"` // owner of the company who says so in a session of her own
}

func (RemovePaymentMethod) Name() string { return "payment_method.remove" }

// Keys asks for the method, then for its company.
func (c RemovePaymentMethod) Keys(s *State, _ Env) Keys {
	return joinOwners(s, methodKeys(s, c.Method), c.Person)
}

func methodKeys(s *State, id string) Keys {
	k := Keys{Methods: []string{id}}
	if m := s.Methods[id]; m != nil {
		k.Companies = []int64{m.Company}
	}
	return k
}

func (c RemovePaymentMethod) Admit(s *State, e Env) *Rejection {
	return admitOwnMethod(s, e, c.Method, c.Person)
}

func (c RemovePaymentMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Methods[c.Method]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == MethodDisabled && old.DisabledReason == DisabledRemoved {
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	d.proved(old, old.Status == MethodUnverified) // who takes it away before it is proved does not try it again
	debited := s.Companies[old.Company].debits(c.Method)
	m := d.disable(c.Method, DisabledRemoved)
	if s.Companies[m.Company].Servicing.Autopay.Method == m.ID {
		a := &d.Companies.Edit(m.Company).Servicing.Autopay
		a.Enabled, a.Method = false, ""
	}
	d.endMandates(m)
	if debited || c.Person != "" {
		d.accountChanged(m.Company, m, nil, c.Person)
	}
	return d.Done(m, false), nil
}

// debits reports that a company's autopay, or a merchant's for it, debits an account.
func (c *Company) debits(method string) bool {
	return c.Servicing.Autopay.Method == method || slices.ContainsFunc(c.Servicing.Mandates, func(m Mandate) bool { return m.Method == method })
}

// disable ends the use of a payment method. What waits to be sent from it is dropped
// when its time comes.
func (d *Draft) disable(id, reason string) *PaymentMethod {
	m := d.Methods.Edit(id)
	m.Status, m.DisabledReason, m.Verification = MethodDisabled, reason, nil
	return m
}

// VerifyPaymentMethod compares the amounts that the holder has seen with the
// micro-deposits (F22). The third wrong answer, or one after ten days, disables the
// method; the answer to the caller is the method as it then stands.
type VerifyPaymentMethod struct {
	Method  string         `json:"payment_method"`
	Amounts []money.Amount `json:"amounts"`
	Person  string         `json:"person,omitzero"` // owner of the company who has seen them
}

func (VerifyPaymentMethod) Name() string { return "payment_method.verify" }

// Keys asks for the method, then for its company.
func (c VerifyPaymentMethod) Keys(s *State, _ Env) Keys {
	return methodKeys(s, c.Method).OwnersWord(c.Person)
}

func (c VerifyPaymentMethod) Admit(s *State, e Env) *Rejection {
	return admitOwnMethod(s, e, c.Method, c.Person)
}

func (c VerifyPaymentMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Methods[c.Method]
	switch {
	case old.Usable():
		return Changes{Result: old}, nil
	case old.Status == MethodDisabled || old.Verification == nil:
		return Changes{}, lockedMethod(old)
	}
	d := NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	v := *old.Verification
	m.Verification = &v
	v.Tries++
	switch {
	case sameAmounts(v.Amounts, c.Amounts) && e.Today() <= v.ExpiresOn:
		d.vouch(m, VerifiedByMicro, "")
	case v.Tries >= VerificationTries || e.Today() > v.ExpiresOn:
		d.proved(m, true)
		d.disable(m.ID, DisabledUnproven)
	}
	return d.Done(m, false), nil
}

// sameAmounts compares amounts in any order.
func sameAmounts(a, b []money.Amount) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func lockedMethod(m *PaymentMethod) *Rejection {
	return PaymentMethodLocked.With(fmt.Sprintf("The payment method is %s.", m.Status), map[string]any{"payment_method_status": string(m.Status)})
}

// CorrectPaymentMethod applies a notification of change from the bank (F22). Members
// that are nil or "" stay. The same again changes nothing, and neither does one that
// answers an entry older than that whose answer has corrected the account since.
type CorrectPaymentMethod struct {
	Method      string   `json:"payment_method"`
	IfMatch     []string `json:"if_match,omitzero"` // versions in quotes: what is corrected is sealed together with the rest of what was read; nil: any
	Transfer    string   `json:"transfer"`          // whose entry was answered
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

// Keys asks for the method, then for its company.
func (c CorrectPaymentMethod) Keys(s *State, _ Env) Keys {
	k := methodKeys(s, c.Method)
	if c.Transfer != "" {
		k.Transfers = []string{c.Transfer}
	}
	return k
}

// Admit lets nobody but the operator correct an account: only the bank asks for it.
func (c CorrectPaymentMethod) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such payment method.")
	}
	return admitMethod(s, e, c.Method)
}

func (c CorrectPaymentMethod) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Methods[c.Method]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Bank == nil {
		return Changes{}, ValidationFailed.Because("The payment method is not a bank account.")
	}
	answered := e.Today()
	if t := s.Transfers[c.Transfer]; t != nil {
		answered = t.SendOn
	}
	if answered < old.Bank.CorrectedBy {
		return Changes{Result: old}, nil
	}
	next := c.apply(*old.Bank)
	if why := next.Check(); why != "" {
		return Changes{}, ValidationFailed.Because(why)
	}
	if old.Bank.same(next) {
		return Changes{Result: old}, nil
	}
	next.CorrectedBy = answered
	d := NewDraft(s, e)
	m := d.Methods.Edit(c.Method)
	m.Bank = &next
	return d.Done(m, false), nil
}

// same reports that two records are of one account in the same words. What is sealed is
// compared by its fingerprints: sealed again it has other bytes.
func (b BankAccount) same(next BankAccount) bool {
	next.Sealed = b.Sealed
	return reflect.DeepEqual(b, next)
}

// apply puts the corrected members into an account.
func (c CorrectPaymentMethod) apply(b BankAccount) BankAccount {
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
	if c.Holder != "" { // the envelope holds all of it
		b.Routing, b.HolderName = "", ""
	}
	return b
}

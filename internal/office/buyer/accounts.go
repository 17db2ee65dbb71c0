package buyer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/account"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// Account is a bank account as typed by an owner.
type Account struct {
	Routing string `json:"routing"`
	Number  string `json:"number"`
	Type    string `json:"type"` // CHECKING or SAVINGS
	Holder  string `json:"holder"`
}

// Format keeps every verb from printing an account.
func (Account) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[redacted]")) }

// Last4 is the digits by which its owner recognizes it: all that is ever shown of it.
func (a Account) Last4() string { return a.Number[max(0, len(a.Number)-4):] }

// shortest is the minimum length of an account number.
const shortest = 4

// Wrong names the members that a bank's file would reject: routing, number, type, holder.
func (a Account) Wrong() (names []string) {
	digits := func(text string) bool {
		return !slices.ContainsFunc([]byte(text), func(b byte) bool { return b < '0' || b > '9' })
	}
	if !account.ValidRouting(a.Routing) {
		names = append(names, "routing")
	}
	if len(a.Number) < shortest || !digits(a.Number) || account.NumberProblem(a.Number) != "" {
		names = append(names, "number")
	}
	if account.KindProblem(a.Type, holderBusiness) != "" {
		names = append(names, "type")
	}
	if !account.Writable(a.Holder) {
		names = append(names, "holder")
	}
	return names
}

// holderBusiness is the kind of holder of an account from which a business pays: it decides
// how the account may be debited (F22).
const holderBusiness = "BUSINESS"

// AutopayChoices returns the bank accounts on record that autopay may debit for a
// merchant's orders, newest first.
func (d *Desk) AutopayChoices(ctx context.Context, company int64, merchant string) (out []*credit.PaymentMethod, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		all, err := store.ListMethods(v, company)
		for _, m := range all {
			if m.Bank != nil && m.Usable() && m.UsableBy(credit.Actor{Merchant: merchant}) {
				out = append(out, m)
			}
		}
		return err
	})
	return out, err
}

// Debits is an owner's instruction to debit what the company owes for a merchant's orders
// automatically, as authorized.
type Debits struct {
	Company    int64
	Merchant   string
	Person     string
	Method     string  // the account on record; "": the new one
	New        Account // as typed
	AcceptedAt time.Time
	Reference  string // where it was authorized, such as a checkout
}

// StartAutopay carries out the instruction: it adds the account, if it is not on record
// yet, and switches autopay on if the account can be debited. One that must be verified
// first is only added. With an error the account may be nil. Repeating it has no effect. A
// rejection as error says why it is not possible.
func (d *Desk) StartAutopay(ctx context.Context, x Debits, address string) (m *credit.PaymentMethod, err error) {
	method := x.Method
	if method == "" {
		if m, err = d.added(ctx, x, address); err != nil || !m.Usable() {
			return m, err
		}
		method = m.ID
	} else if m, err = d.method(ctx, x.Company, func(m *credit.PaymentMethod) bool { return m.ID == method }); err != nil {
		return nil, err
	}
	on := true
	_, err = d.do(ctx, payments.SetAutopay{
		Company: x.Company, Person: x.Person, Merchant: x.Merchant, Enabled: &on, Method: &method,
		Authorization: &payments.Given{AcceptedAt: x.AcceptedAt, Reference: x.Reference},
	}, address)
	return m, err
}

// added returns the typed account as a record of the company: one that this call, or an
// identical earlier one, has added, or an existing one that can be debited.
func (d *Desk) added(ctx context.Context, x Debits, address string) (*credit.PaymentMethod, error) {
	sum := sha256.Sum256([]byte("account of " + x.Reference))
	id := payments.MethodID([16]byte(sum[:16]), x.AcceptedAt)
	bank, err := payments.SealedAccount(payments.MethodAccount(id), credit.AccountDetails{Routing: x.New.Routing, Number: x.New.Number, Holder: x.New.Holder},
		credit.BankAccount{AccountType: x.New.Type, HolderType: holderBusiness}, d.Hash, d.Seal)
	if err != nil {
		return nil, err
	}
	there := func(m *credit.PaymentMethod) bool {
		same := m.Bank != nil && m.Bank.Fingerprint == bank.Fingerprint && m.Usable() && m.UsableBy(credit.Actor{Merchant: x.Merchant})
		return m.ID == id || same
	}
	if m, err := d.method(ctx, x.Company, there); m != nil || err != nil {
		return m, err
	}
	settings, err := d.Lender(ctx)
	if err != nil {
		return nil, err
	}
	c := payments.AddPaymentMethod{
		ID: id, Company: x.Company, Person: x.Person, Type: credit.ACH, Bank: bank, Policy: settings.Policy(),
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: x.AcceptedAt, Reference: x.Reference},
	}
	if d.Sandbox {
		c.InSandbox(x.New.Number)
	}
	result, err := d.do(ctx, c, address)
	if err == nil {
		return result.(*credit.PaymentMethod), nil
	}
	if m, again := d.method(ctx, x.Company, there); m != nil && again == nil { // the other one of two clicks has added it
		return m, nil
	}
	return nil, err
}

// ProvedAtOnce reports whether an added account can be debited without micro-deposits: the
// lender requires no verification, or a sandbox's bank knows its number.
func (d *Desk) ProvedAtOnce(a Account, policy credit.VerifyPolicy) bool {
	var c payments.AddPaymentMethod
	if d.Sandbox {
		c.InSandbox(a.Number)
	}
	return c.Known || policy == credit.VerifyNever
}

// method returns a company's first wanted account, nil if there is none.
func (d *Desk) method(ctx context.Context, company int64, wanted func(*credit.PaymentMethod) bool) (m *credit.PaymentMethod, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		all, err := store.ListMethods(v, company)
		if i := slices.IndexFunc(all, wanted); i >= 0 {
			m = all[i]
		}
		return err
	})
	return m, err
}

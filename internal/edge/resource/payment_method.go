package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// PaymentMethod is an account of a company that can be debited. Only the last four digits
// of a bank account or card number are ever shown.
type PaymentMethod struct {
	ID             string        `json:"id" doc:"Identifier of the payment method." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	CompanyID      int64         `json:"company_id" doc:"The company whose account it is." example:"4821073356"`
	Type           string        `json:"type" enum:"ACH,CARD" doc:"A bank account or a card." example:"ACH"`
	Status         string        `json:"status" enum:"UNVERIFIED,ACTIVE,DISABLED" doc:"Only an ACTIVE one can be debited or credited. UNVERIFIED: waiting for micro-deposits, a prenote, the company's consent, or the lender's approval." example:"ACTIVE"`
	DisabledReason *string       `json:"disabled_reason" nullable:"true" doc:"Why it is DISABLED: a return code, removed, not_verified, account_unusable (cannot be written in a bank file), or wrong_receiver (it was debited for somebody else)." example:"R02"`
	Bank           *BankAccount  `json:"bank" nullable:"true" doc:"The bank account; null for a card."`
	Card           *CardAccount  `json:"card" nullable:"true" doc:"The card; null for a bank account."`
	Authorization  Authorization `json:"authorization" doc:"The account holder's authorization of debits."`
	Verification   *Verification `json:"verification" nullable:"true" doc:"Pending micro-deposit verification; otherwise null."`
	VerifiedBy     *string       `json:"verified_by" nullable:"true" enum:"micro_deposits,prenote,operator,sandbox,processor,policy" doc:"How the account was verified; null if it was not." example:"micro_deposits"`
	Consented      bool          `json:"company_consented" doc:"Whether the company itself consented: the lender added it or recorded the consent. A merchant's reference alone does not count." example:"false"`
	CreatedAt      time.Time     `json:"created_at" doc:"When it was added." example:"2026-01-12T15:04:05.123456Z"`
	UpdatedAt      time.Time     `json:"updated_at" doc:"When it last changed." example:"2026-01-12T15:04:05.123456Z"`
	Version        int           `json:"version" minimum:"1" doc:"Increases with each change; in quotes, it is the ETag." example:"1"`
}

// BankAccount is the visible part of a bank account.
type BankAccount struct {
	RoutingNumber *string `json:"routing_number" nullable:"true" doc:"Routing number; null for a merchant that did not add the account." example:"021000021"`
	Last4         string  `json:"last4" doc:"Last four digits of the account number." example:"6789"`
	AccountType   string  `json:"account_type" enum:"CHECKING,SAVINGS" doc:"Account type." example:"CHECKING"`
	HolderType    string  `json:"holder_type" enum:"BUSINESS,CONSUMER" doc:"Personal or business account." example:"BUSINESS"`
	HolderName    *string `json:"holder_name" nullable:"true" doc:"Name of the account holder; null for a merchant that did not add the account." example:"Marsh & Daughters LLC"`
}

// CardAccount is the visible part of a card. The processor's token is not shown.
type CardAccount struct {
	Brand    *string `json:"brand" nullable:"true" doc:"Brand." example:"visa"`
	Last4    string  `json:"last4" doc:"Last four digits." example:"4242"`
	ExpMonth int     `json:"exp_month" minimum:"1" maximum:"12" doc:"Month of expiry." example:"11"`
	ExpYear  int     `json:"exp_year" doc:"Year of expiry." example:"2029"`
}

// Authorization is an account holder's consent to debits.
type Authorization struct {
	Channel    string    `json:"channel" enum:"WEB,WRITTEN" doc:"How it was given." example:"WEB"`
	AcceptedAt time.Time `json:"accepted_at" doc:"When it was given." example:"2026-01-12T15:00:00Z"`
	Reference  *string   `json:"reference" nullable:"true" doc:"Reference to its record, from whoever added the account; null for other merchants." example:"consent-8841"`
}

// Verification is what remains of a verification by two micro-deposits.
type Verification struct {
	TriesLeft int           `json:"tries_left" doc:"Attempts left to confirm the amounts." example:"3"`
	ExpiresOn calendar.Date `json:"expires_on" doc:"Deadline." example:"2026-01-22"`
}

// NewPaymentMethod returns the resource of a payment method.
func NewPaymentMethod(m *credit.PaymentMethod, open Details) PaymentMethod {
	w := PaymentMethod{
		ID: m.ID, CompanyID: m.Company, Type: string(m.Type), Status: string(m.Status), DisabledReason: textIn(&m.DisabledReason),
		Bank: newBankAccount(m.Bank, open),
		Authorization: Authorization{
			Channel: m.Authorization.Channel, AcceptedAt: instant(m.Authorization.AcceptedAt), Reference: textIn(&m.Authorization.Reference),
		},
		VerifiedBy: textIn(&m.Standing.Verified), Consented: m.Consented(),
		CreatedAt: instant(m.CreatedAt), UpdatedAt: instant(m.UpdatedAt), Version: m.Version,
	}
	if c := m.Card; c != nil {
		w.Card = &CardAccount{Brand: textIn(&c.Brand), Last4: c.Last4, ExpMonth: c.ExpMonth, ExpYear: c.ExpYear}
	}
	if v := m.Verification; v != nil {
		w.Verification = &Verification{TriesLeft: v.TriesLeft(), ExpiresOn: v.ExpiresOn}
	}
	return w
}

// PaymentMethodFor returns the resource of a payment method as a caller may see it: of what
// another merchant has added the last four digits, and nobody's name or record (F36).
func PaymentMethodFor(m *credit.PaymentMethod, by credit.Actor, open Details) PaymentMethod {
	if m.OwnedBy(by) {
		return NewPaymentMethod(m, open)
	}
	w := NewPaymentMethod(m, nil)
	w.Authorization.Reference, w.Verification = nil, nil
	return w
}

// Details opens what is sealed of an account for those whom it is shown to: empty if it does
// not open. Where there is none, it stays sealed.
type Details func(*credit.BankAccount) credit.AccountDetails

func newBankAccount(b *credit.BankAccount, open Details) *BankAccount {
	if b == nil {
		return nil
	}
	var x credit.AccountDetails
	if open != nil {
		x = open(b)
	}
	return &BankAccount{
		RoutingNumber: textIn(&x.Routing), Last4: b.Last4, AccountType: b.AccountType, HolderType: b.HolderType, HolderName: textIn(&x.Holder),
	}
}

// PayAccount is the account a merchant is paid to, and whether payouts are made.
type PayAccount struct {
	Bank       *BankAccount `json:"bank" nullable:"true" doc:"The bank account; without one, there are no payouts."`
	Debits     bool         `json:"debits" doc:"Whether clawbacks may be debited from it." example:"true"`
	Contact    *string      `json:"contact_email" nullable:"true" doc:"E-mail address notified of changes to the account or this address; null if unknown." example:"accounts@harbor.example"`
	Pending    *Pending     `json:"pending" nullable:"true" doc:"Pending new account or contact; null if none."`
	HeldReason *string      `json:"held_reason" nullable:"true" doc:"Why payouts are on hold; null if they are not." example:"payout_failed"`
}

// Pending is a change of a merchant's payout account that has not taken effect yet.
type Pending struct {
	Bank          BankAccount   `json:"bank" doc:"The bank account."`
	Contact       *string       `json:"contact_email" nullable:"true" doc:"New e-mail address for notifications; null: none." example:"accounts@harbor.example"`
	AskedBy       string        `json:"asked_by" doc:"The lender's client that requested it." example:"cli_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	AskedAt       time.Time     `json:"asked_at" doc:"When." example:"2026-01-12T15:04:05.123456Z"`
	EffectiveFrom calendar.Date `json:"effective_from" doc:"First banking day it can take effect." example:"2026-01-14"`
	NeedsSecond   bool          `json:"needs_second" doc:"Whether another client of the lender must confirm it." example:"true"`
	ConfirmedBy   *string       `json:"confirmed_by" nullable:"true" doc:"The client that confirmed it; null if none." example:"cli_01KB0A4E7WQN3R1P9M8K6J4H2G"`
}

func newPayAccount(a *credit.MerchantAccount, open Details) PayAccount {
	w := PayAccount{Bank: newBankAccount(a.Bank, open), Debits: a.Debits, Contact: textIn(&a.Contact), HeldReason: textIn(&a.HeldReason)}
	if p := a.Pending; p != nil {
		w.Pending = &Pending{Bank: *newBankAccount(p.Bank, open), Contact: textIn(&p.Contact), AskedBy: p.By, AskedAt: instant(p.At), EffectiveFrom: p.From, NeedsSecond: p.Second, ConfirmedBy: textIn(&p.Confirmed)}
	}
	return w
}

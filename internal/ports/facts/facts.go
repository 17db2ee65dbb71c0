// Package facts gets facts about a business that applies for credit from others: a
// business registry, a credit bureau, a bank (F27, F29).
//
//	BusinessRegistry, CreditBureau, BankData   the ports, one for each kind of vendor
//	Ports                                      the ports of a deployment
//	Gather                                     queries all of them concurrently
//
// A port gets only what it needs for its answer. A port that is silent or
// broken is retried once, then its answer is missing. Nobody is refused for a missing
// answer. Adapters are in the subpackages: sandbox, and https for a lender's own vendors.
package facts

import (
	"context"
	"errors"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// Port names a port.
type Port string

// The ports.
const (
	Registry Port = "business_registry"
	Bureau   Port = "credit_bureau"
	Bank     Port = "bank_data"
)

// Ask identifies a question.
type Ask struct {
	Application string
	Try         int // 1, or 2 for the retry
}

// Key is the same each time a port is queried about an application. It lets a vendor recognize a
// retry, so that an owner's file does not get two inquiries for one application.
func (a Ask) Key(p Port) string { return a.Application + "-" + string(p) }

// Fact is an answer with its origin.
type Fact[A any] struct {
	Source  string // the vendor's own name
	RawHash string // SHA-256 of the bytes of the answer, in hexadecimal
	At      time.Time
	Answer  A
}

// BusinessRegistry verifies that a business is who it says it is (KYB).
type BusinessRegistry interface {
	LookUp(ctx context.Context, a Ask, q RegistryQuestion) (Fact[Registration], error)
}

// CreditBureau reports on the vouching owner and on the business. A retry with the same Ask.Key
// must not be another inquiry.
type CreditBureau interface {
	Report(ctx context.Context, a Ask, q BureauQuestion) (Fact[CreditReport], error)
}

// BankData reports on the account of a business.
type BankData interface {
	Account(ctx context.Context, a Ask, q BankQuestion) (Fact[BankAccount], error)
}

// Ports are the adapters of a deployment; nil means not configured.
type Ports struct {
	Registry BusinessRegistry
	Bureau   CreditBureau
	Bank     BankData
	// Sandbox means that some answers are made up.
	Sandbox bool
}

// ErrSandbox means that ports make up their answers where money is real.
var ErrSandbox = errors.New("facts: a sandbox adapter may not decide on real applications")

// Live refuses ports that a live deployment must not use.
func (p Ports) Live() error {
	if p.Sandbox {
		return ErrSandbox
	}
	return nil
}

// Address is the address of a business or a person.
type Address struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
}

// Owner is somebody who owns or controls a business.
type Owner struct {
	FirstName string
	LastName  string
	BirthDate calendar.Date
	Address   Address
	Percent   int // of the business, rounded down
	Control   bool
}

// Question is what a business has said that ports need. None of it is printed or logged, whatever
// the verb.
type Question struct {
	Application string

	LegalName        string
	EIN              string
	EntityType       underwriting.EntityType
	FormedOn         calendar.Date
	StateOfFormation string
	Address          Address
	Phone            string
	Owners           []Owner
}

// RegistryQuestion is what is sent to a registry.
type RegistryQuestion struct {
	LegalName        string                  `json:"legal_name"`
	EIN              string                  `json:"ein"`
	EntityType       underwriting.EntityType `json:"entity_type"`
	FormedOn         calendar.Date           `json:"formed_on"`
	StateOfFormation string                  `json:"state_of_formation"`
	Address          Address                 `json:"address"`
	Phone            string                  `json:"phone"`
}

// BureauQuestion is what is sent to a bureau.
type BureauQuestion struct {
	Business BureauBusiness `json:"business"`
	Owner    BureauOwner    `json:"owner"`
}

// BureauBusiness is the business that a bureau reports on.
type BureauBusiness struct {
	LegalName string  `json:"legal_name"`
	EIN       string  `json:"ein"`
	Address   Address `json:"address"`
}

// BureauOwner is the person that a bureau reports on.
type BureauOwner struct {
	FirstName string        `json:"first_name"`
	LastName  string        `json:"last_name"`
	BirthDate calendar.Date `json:"birth_date"`
	Address   Address       `json:"address"`
}

// BankQuestion is what is sent to a bank data vendor.
type BankQuestion struct {
	LegalName string `json:"legal_name"`
	EIN       string `json:"ein"`
}

func (q Question) registry() RegistryQuestion {
	return RegistryQuestion{q.LegalName, q.EIN, q.EntityType, q.FormedOn, q.StateOfFormation, q.Address, q.Phone}
}

func (q Question) bureau() BureauQuestion {
	o := q.Vouches()
	return BureauQuestion{BureauBusiness{q.LegalName, q.EIN, q.Address}, BureauOwner{o.FirstName, o.LastName, o.BirthDate, o.Address}}
}

func (q Question) bank() BankQuestion { return BankQuestion{q.LegalName, q.EIN} }

// Vouches returns the one owner whose score counts: the largest with at least 25 %, the first one
// if equal, otherwise the control person. One person means one inquiry.
func (q Question) Vouches() (out Owner) {
	for _, o := range q.Owners {
		if o.Percent >= 25 && o.Percent > out.Percent {
			out = o
		}
	}
	for _, o := range q.Owners {
		if out.Percent == 0 && o.Control {
			return o
		}
	}
	return out
}

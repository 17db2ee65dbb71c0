// Package facts asks others what they know of a business that applies for credit: a
// business registry, a credit bureau, a bank (F27, F29).
//
//	BusinessRegistry, CreditBureau, BankData   the ports, one for each kind of vendor
//	Ports                                      those that a deployment has
//	Gather                                     asks all of them at once
//
// A port gets what it needs for its answer and nothing else. A port that is silent or
// broken is asked once more and is missing then; what is missing refuses nobody. Adapters
// are in the packages below: sandbox, and https for a lender's own vendor.
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

// Ask says what a question belongs to.
type Ask struct {
	Application string
	Try         int // 1, or 2 if it is asked once more
}

// Key is the same each time a port is asked about an application: by it a vendor knows a
// repeat, so that no owner has two inquiries in the file for one application.
func (a Ask) Key(p Port) string { return a.Application + "-" + string(p) }

// Fact is an answer with where it comes from.
type Fact[A any] struct {
	Source  string // the vendor, as it names itself
	RawHash string // SHA-256 of the bytes of the answer, in hexadecimal
	At      time.Time
	Answer  A
}

// BusinessRegistry tells whether a business is who it says it is (KYB).
type BusinessRegistry interface {
	LookUp(ctx context.Context, a Ask, q RegistryQuestion) (Fact[Registration], error)
}

// CreditBureau reports on the owner who vouches and on the business. A repeat with the
// same Ask.Key must not be another inquiry.
type CreditBureau interface {
	Report(ctx context.Context, a Ask, q BureauQuestion) (Fact[CreditReport], error)
}

// BankData tells how the account of a business has stood.
type BankData interface {
	Account(ctx context.Context, a Ask, q BankQuestion) (Fact[BankAccount], error)
}

// Ports are the adapters of a deployment. nil is a port that is not configured.
type Ports struct {
	Registry BusinessRegistry
	Bureau   CreditBureau
	Bank     BankData
	// Sandbox says that some answers are made up.
	Sandbox bool
}

// ErrSandbox says that ports make up their answers where money is real.
var ErrSandbox = errors.New("facts: a sandbox adapter may not decide on real applications")

// Live refuses ports that a live deployment may not start with.
func (p Ports) Live() error {
	if p.Sandbox {
		return ErrSandbox
	}
	return nil
}

// Address is where a business or a person is.
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

// Question is what a business has said that ports are asked about. None of it is printed
// or logged, whatever the verb.
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

// RegistryQuestion is what a registry is told.
type RegistryQuestion struct {
	LegalName        string                  `json:"legal_name"`
	EIN              string                  `json:"ein"`
	EntityType       underwriting.EntityType `json:"entity_type"`
	FormedOn         calendar.Date           `json:"formed_on"`
	StateOfFormation string                  `json:"state_of_formation"`
	Address          Address                 `json:"address"`
	Phone            string                  `json:"phone"`
}

// BureauQuestion is what a bureau is told.
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

// BureauOwner is the person whom a bureau reports on.
type BureauOwner struct {
	FirstName string        `json:"first_name"`
	LastName  string        `json:"last_name"`
	BirthDate calendar.Date `json:"birth_date"`
	Address   Address       `json:"address"`
}

// BankQuestion is what a vendor of bank data is told.
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

// Vouches is the one owner whose score counts: the largest from 25 % on, the first of
// equals, or else the control person. One person means one inquiry.
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

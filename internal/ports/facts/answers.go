package facts

import (
	"errors"
	"unicode/utf8"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Registration is a registry's answer. An empty Identity means that it knows nothing about the
// business.
type Registration struct {
	Identity     underwriting.Identity
	Registration underwriting.RegistryMatch
	FormedOn     calendar.Date // None if unknown
	State        string        // of its principal office, "" if unknown
}

// CreditReport is a bureau's answer: what the policy uses, and what a notice must say if it was
// used (F28).
type CreditReport struct {
	Score          underwriting.Score // zero if there is none
	File           underwriting.BusinessFile
	OpenBankruptcy bool

	Bureau      string // of the owner's report
	Contact     string
	ReportedOn  calendar.Date // None if unknown
	LowestScore int           // of the scale
	BestScore   int
	KeyFactors  []string
}

// BankAccount is the answer of a bank data vendor.
type BankAccount struct {
	Found          bool // false: it knows no account of the business
	AverageBalance money.Amount
	ReturnedItems  int // in the last 90 days
}

// answer is an answer that a port may give.
type answer interface {
	// check refuses implausible answers. Its error names the member, but no value.
	check() error
	// found reports for which of the port's sources the answer contains something.
	found() []underwriting.Source
}

const (
	maxText    = 255 // runes of a text that a notice prints
	maxFactors = 10
)

func (r Registration) check() error {
	switch r.Identity {
	case "", underwriting.IdentityProved, underwriting.IdentityUnproved:
	default:
		return errors.New("identity is neither VERIFIED nor UNVERIFIED")
	}
	switch r.Registration {
	case "", underwriting.RegistrationFound, underwriting.RegistrationNone:
	default:
		return errors.New("registration is neither FOUND nor NOT_FOUND")
	}
	if r.State != "" && (len(r.State) != 2 || r.State[0] < 'A' || r.State[0] > 'Z' || r.State[1] < 'A' || r.State[1] > 'Z') {
		return errors.New("state is not two letters")
	}
	return nil
}

func (r Registration) found() []underwriting.Source {
	if r.Identity == "" {
		return nil
	}
	return []underwriting.Source{underwriting.SourceRegistry}
}

func (r CreditReport) check() error {
	if r.Score != (underwriting.Score{}) && !r.Score.Valid() {
		return errors.New("owner_score is not a valid score")
	}
	if r.LowestScore < 0 || r.BestScore < r.LowestScore {
		return errors.New("the score range is not valid")
	}
	if len(r.KeyFactors) > maxFactors {
		return errors.New("too many key_factors")
	}
	for _, text := range append([]string{r.Bureau, r.Contact}, r.KeyFactors...) {
		if utf8.RuneCountInString(text) > maxText {
			return errors.New("a text is too long")
		}
	}
	return nil
}

func (r CreditReport) found() []underwriting.Source {
	out := []underwriting.Source{underwriting.SourceBusinessFile} // that there is none is also an answer
	if r.Score.Valid() {
		out = append(out, underwriting.SourceOwnerScore)
	}
	return out
}

func (b BankAccount) check() error {
	if b.ReturnedItems < 0 {
		return errors.New("returned_items_90d is negative")
	}
	return nil
}

func (b BankAccount) found() []underwriting.Source {
	if !b.Found {
		return nil
	}
	return []underwriting.Source{underwriting.SourceBankData}
}

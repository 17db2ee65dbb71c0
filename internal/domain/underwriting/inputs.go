package underwriting

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Kind is what an application asks for.
type Kind string

// The kinds of an application. A LINE_INCREASE asks for the whole new line and is never a
// duplicate. A PREQUALIFICATION asks only for an estimate.
const (
	New          Kind = "NEW"
	LineIncrease Kind = "LINE_INCREASE"
	Estimate     Kind = "PREQUALIFICATION"
)

// EntityType is the legal form of a business.
type EntityType string

// The legal forms.
const (
	SoleProprietor EntityType = "SOLE_PROPRIETOR"
	Partnership    EntityType = "PARTNERSHIP"
	LLC            EntityType = "LLC"
	Corporation    EntityType = "CORPORATION"
	Nonprofit      EntityType = "NONPROFIT"
)

// Screening is the result of the comparison with sanctions lists (F29).
type Screening string

// The results. POSSIBLE waits for a person; EXACT is confirmed.
const (
	ScreeningClear    Screening = "CLEAR"
	ScreeningPossible Screening = "POSSIBLE"
	ScreeningExact    Screening = "EXACT"
)

// Identity is whether the tax number and the name belong to one business (KYB).
type Identity string

// What a registry reports about the identity.
const (
	IdentityProved   Identity = "VERIFIED"
	IdentityUnproved Identity = "UNVERIFIED"
)

// RegistryMatch is whether the business is in its state's register.
type RegistryMatch string

// What a registry reports about the registration.
const (
	RegistrationFound RegistryMatch = "FOUND"
	RegistrationNone  RegistryMatch = "NOT_FOUND"
)

// Score is an owner's credit score as given: a FICO value, or a place on the scale of 1 to 5.
// The value counts if both are set.
type Score struct {
	FICO  int `json:"fico,omitzero"`
	Scale int `json:"fico_scale,omitzero"`
}

// Valid reports whether there is a score: a value of 300 to 850, or a place on the scale.
func (s Score) Valid() bool {
	if s.FICO != 0 {
		return s.FICO >= 300 && s.FICO <= 850
	}
	return s.Scale >= 1 && s.Scale <= 5
}

// Bank is what is known about the business's account.
type Bank struct {
	AverageBalance money.Amount `json:"average_balance"`
	ReturnedItems  int          `json:"returned_items_90d"`
}

// BusinessFile is what a bureau has on the business.
type BusinessFile struct {
	Present bool `json:"present"` // false: the bureau answered, and has none
	Clean   bool `json:"clean"`
}

// Line is the credit line of a company that asks for a higher one, with the facts of
// F26's review.
type Line struct {
	Limit            money.Amount  `json:"limit"`
	Used             money.Amount  `json:"used"` // outstanding and reserved
	OpenedOn         calendar.Date `json:"opened_on"`
	WorstDPD         int           `json:"worst_days_past_due"`
	PaidInstallments int           `json:"paid_installments"`
	// LowestLimit is the lowest line within IncreaseSpan days: a rise is measured from it.
	LowestLimit money.Amount `json:"lowest_limit"`
}

// Source is where a fact comes from.
type Source string

// The sources. A policy lists those that it needs.
const (
	SourceRegistry     Source = "REGISTRY"
	SourceScreening    Source = "SCREENING"
	SourceOwnerScore   Source = "OWNER_SCORE"
	SourceBankData     Source = "BANK_DATA"
	SourceBusinessFile Source = "BUSINESS_FILE"
)

// sources lists all sources, in the order in which they are reported.
func sources() []Source {
	return []Source{SourceRegistry, SourceScreening, SourceOwnerScore, SourceBankData, SourceBusinessFile}
}

// Absence is why a source has no answer.
type Absence string

// Why a source is missing.
const (
	Silent        Absence = "SILENT"
	Broken        Absence = "BROKEN"
	NotConfigured Absence = "NOT_CONFIGURED"
	NothingFound  Absence = "NOTHING_FOUND" // it answered, and has nothing on this business
)

// Missed is a source without an answer, and why.
type Missed struct {
	Source Source  `json:"source"`
	Why    Absence `json:"why"`
}

// Inputs are exactly the facts that a decision uses (F27). They are stored with it: deciding
// again from them gives the same decision.
type Inputs struct {
	Kind      Kind         `json:"kind"`
	Requested money.Amount `json:"requested_limit"`

	// What the business stated.
	EntityType    EntityType    `json:"entity_type"`
	FormedOn      calendar.Date `json:"formed_on"` // None if not stated
	AnnualRevenue money.Amount  `json:"annual_revenue"`
	State         string        `json:"state"`               // of its address, two letters
	LargestOwner  money.Rate    `json:"largest_owner_share"` // "0.250000" is 25 %
	ControlPerson bool          `json:"control_person"`

	// What a registry reported, empty if nothing. Its date of formation takes precedence.
	Identity         Identity      `json:"identity,omitzero"`
	Registration     RegistryMatch `json:"registration,omitzero"`
	RegistryFormedOn calendar.Date `json:"registry_formed_on"` // None if not reported
	RegistryState    string        `json:"registry_state,omitzero"`

	// What a bureau reported.
	OwnerScore     Score         `json:"owner_score,omitzero"`
	BusinessFile   *BusinessFile `json:"business_file,omitzero"`
	OpenBankruptcy bool          `json:"open_bankruptcy"` // of the business or the owner
	BureauOn       calendar.Date `json:"bureau_on"`       // the day of its answer, None without one

	Bank      *Bank     `json:"bank,omitzero"`
	Screening Screening `json:"screening,omitzero"`
	Duplicate bool      `json:"duplicate"`

	Line   *Line    `json:"line,omitzero"`   // for a LINE_INCREASE
	Missed []Missed `json:"missed,omitzero"` // why sources have no answer; has tells which ones have
}

// has reports whether a source has answered.
func (in Inputs) has(s Source) bool {
	switch s {
	case SourceRegistry:
		return in.Identity != ""
	case SourceScreening:
		return in.Screening != ""
	case SourceOwnerScore:
		return in.OwnerScore.Valid()
	case SourceBankData:
		return in.Bank != nil
	case SourceBusinessFile:
		return in.BusinessFile != nil
	}
	return false
}

func (in Inputs) missing() []Source {
	var out []Source
	for _, s := range sources() {
		if !in.has(s) {
			out = append(out, s)
		}
	}
	return out
}

// whyMissing completes a sentence about a source without an answer.
func (in Inputs) whyMissing(s Source) string {
	for _, m := range in.Missed {
		if m.Source != s {
			continue
		}
		switch m.Why {
		case Silent:
			return "did not answer in time."
		case Broken:
			return "gave no answer that can be used."
		case NotConfigured:
			return "is not connected."
		case NothingFound:
			return "has nothing on this business."
		}
	}
	return "is missing."
}

func sourceWords(s Source) string {
	switch s {
	case SourceRegistry:
		return "The business registry"
	case SourceScreening:
		return "The screening against sanctions lists"
	case SourceOwnerScore:
		return "The owner's credit score"
	case SourceBankData:
		return "The bank data"
	case SourceBusinessFile:
		return "The business credit file"
	}
	return "A source that this version does not know"
}

// Months is how many whole months the business has existed on a day; 0 if unknown.
func (in Inputs) Months(today calendar.Date) int {
	from := in.FormedOn
	if in.RegistryFormedOn != calendar.None {
		from = in.RegistryFormedOn
	}
	if from == calendar.None || from > today {
		return 0
	}
	y, m, _ := from.Civil()
	ty, tm, _ := today.Civil()
	n := (ty-y)*12 + int(tm) - int(m)
	if from.AddMonths(n) > today {
		n--
	}
	return n
}

package underwriting

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Kind is what an application asks for.
type Kind string

// The kinds of an application. A LINE_INCREASE asks for the whole new line and is never
// a duplicate. A PREQUALIFICATION asks for an estimate alone.
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

// Screening is what the comparison with sanctions lists has found (F29).
type Screening string

// What was found. POSSIBLE waits for a person; EXACT is confirmed.
const (
	ScreeningClear    Screening = "CLEAR"
	ScreeningPossible Screening = "POSSIBLE"
	ScreeningExact    Screening = "EXACT"
)

// Identity is whether the tax number and the name are one business (KYB).
type Identity string

// What a registry says of the identity.
const (
	IdentityProved   Identity = "VERIFIED"
	IdentityUnproved Identity = "UNVERIFIED"
)

// RegistryMatch is whether the business stands in its state's register.
type RegistryMatch string

// What a registry says of the registration.
const (
	RegistrationFound RegistryMatch = "FOUND"
	RegistrationNone  RegistryMatch = "NOT_FOUND"
)

// Score is an owner's credit score as it was given: a FICO value, or a place on the
// scale of 1 to 5. The value counts if both are there.
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

// Bank is what is known of the account of the business.
type Bank struct {
	AverageBalance money.Amount `json:"average_balance"`
	ReturnedItems  int          `json:"returned_items_90d"`
}

// BusinessFile is what a bureau holds on the business.
type BusinessFile struct {
	Present bool `json:"present"` // false: the bureau has answered, and has none
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
	// LowestLimit is the lowest line within the days of IncreaseSpan: what a rise is
	// measured by.
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

// sources lists all of them, in the order in which they are told.
func sources() []Source {
	return []Source{SourceRegistry, SourceScreening, SourceOwnerScore, SourceBankData, SourceBusinessFile}
}

// Absence is why a source says nothing.
type Absence string

// Why a source is missing.
const (
	Silent        Absence = "SILENT"
	Broken        Absence = "BROKEN"
	NotConfigured Absence = "NOT_CONFIGURED"
	NothingFound  Absence = "NOTHING_FOUND" // it has answered, and has nothing on this business
)

// Missed is a source that says nothing, and why.
type Missed struct {
	Source Source  `json:"source"`
	Why    Absence `json:"why"`
}

// Inputs are all facts that a decision uses, and nothing else (F27). They are stored
// beside it: deciding again from them decides the same.
type Inputs struct {
	Kind      Kind         `json:"kind"`
	Requested money.Amount `json:"requested_limit"`

	// What the business has said.
	EntityType    EntityType    `json:"entity_type"`
	FormedOn      calendar.Date `json:"formed_on"` // None if it has not
	AnnualRevenue money.Amount  `json:"annual_revenue"`
	State         string        `json:"state"`               // of its address, two letters
	LargestOwner  money.Rate    `json:"largest_owner_share"` // "0.250000" is 25 %
	ControlPerson bool          `json:"control_person"`

	// What a registry has said, empty if nothing. Its date of formation holds over the
	// other.
	Identity         Identity      `json:"identity,omitzero"`
	Registration     RegistryMatch `json:"registration,omitzero"`
	RegistryFormedOn calendar.Date `json:"registry_formed_on"` // None if it has not
	RegistryState    string        `json:"registry_state,omitzero"`

	// What a bureau has said.
	OwnerScore     Score         `json:"owner_score,omitzero"`
	BusinessFile   *BusinessFile `json:"business_file,omitzero"`
	OpenBankruptcy bool          `json:"open_bankruptcy"` // of the business or the owner
	BureauOn       calendar.Date `json:"bureau_on"`       // the day of its answer, None without one

	Bank      *Bank     `json:"bank,omitzero"`
	Screening Screening `json:"screening,omitzero"`
	Duplicate bool      `json:"duplicate"`

	Line   *Line    `json:"line,omitzero"`   // of a LINE_INCREASE
	Missed []Missed `json:"missed,omitzero"` // why sources say nothing; whether they do, the facts tell
}

// has reports whether a source has said something.
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

// whyMissing ends a sentence about a source that says nothing.
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

// months is how many whole months the business has existed on a day; 0 if that is not
// known.
func (in Inputs) months(today calendar.Date) int {
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

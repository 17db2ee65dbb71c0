package credit

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
)

// Case is a dispute or question that a buyer, or a merchant about its own order, raises with
// the lender: about an order, a payment, or just the company. Of is its subject. If a merchant
// opened the case, Merchant is set and only that merchant and the lender see it. Everything
// that people typed is stored in the vault.
//
// A case moves no money and stops no collection. Staff act on it with the usual commands, such
// as holding an order or waiving a fee.
type Case struct {
	RecordHead `json:"-"`
	Kind       CaseKind        `json:"kind"`
	What       CaseMatter      `json:"what,omitzero"`   // what it is about
	Person     string          `json:"person,omitzero"` // who opened it, "" if a merchant did
	Text       string          `json:"text"`            // handle: the subject and the first message
	DueOn      calendar.Date   `json:"due_on"`          // deadline for resolving it
	Notes      []CaseNote      `json:"notes,omitzero"`
	Documents  []string        `json:"documents,omitzero"`
	Resolution *CaseResolution `json:"resolution,omitzero"`
}

// CaseKind is what the lender is asked for.
type CaseKind string

// The kinds of cases.
const (
	CaseDispute  CaseKind = "DISPUTE"
	CaseQuestion CaseKind = "QUESTION"
)

// CaseMatter is the category of the complaint, used to sort cases.
type CaseMatter string

// What a case may be about: goods that did not arrive or are not right, an amount, the finance
// charge, a fee, a debit, or an order or debit that nobody at the company wanted.
const (
	CaseGoods        CaseMatter = "GOODS"
	CaseAmount       CaseMatter = "AMOUNT"
	CaseCharge       CaseMatter = "CHARGE"
	CaseFee          CaseMatter = "FEE"
	CaseDebit        CaseMatter = "DEBIT"
	CaseUnauthorized CaseMatter = "UNAUTHORIZED"
	CaseOther        CaseMatter = "OTHER"
)

// CaseMatters lists all matters.
func CaseMatters() []CaseMatter {
	return []CaseMatter{CaseGoods, CaseAmount, CaseCharge, CaseFee, CaseDebit, CaseUnauthorized, CaseOther}
}

// Statuses of a case: it waits for the lender, or for whoever opened it, until it is RESOLVED.
const (
	CaseOpen     = "OPEN"
	CaseWaiting  = "WAITING"
	CaseResolved = "RESOLVED"
)

// CaseSide is a party that speaks in a case.
type CaseSide string

// The sides.
const (
	SideBuyer    CaseSide = "buyer"
	SideMerchant CaseSide = "merchant"
	SideLender   CaseSide = "lender"
)

// CaseNote is a message that one of the sides added.
type CaseNote struct {
	At   time.Time `json:"at"`
	By   CaseSide  `json:"by"`
	Who  string    `json:"who"`           // person or client
	Text string    `json:"text,omitzero"` // handle, "" once erased
}

// CaseOutcome is how a case ends.
type CaseOutcome string

// A dispute is UPHELD or REJECTED, a question is ANSWERED, and whoever opened either can have
// it WITHDRAWN.
const (
	CaseUpheld    CaseOutcome = "UPHELD"
	CaseRejected  CaseOutcome = "REJECTED"
	CaseAnswered  CaseOutcome = "ANSWERED"
	CaseWithdrawn CaseOutcome = "WITHDRAWN"
)

// CaseResolution is how and when a case was resolved.
type CaseResolution struct {
	At      time.Time   `json:"at"`
	By      CaseSide    `json:"by"`
	Who     string      `json:"who"`
	Outcome CaseOutcome `json:"outcome"`
	Text    string      `json:"text,omitzero"` // handle: why; "" if withdrawn or erased
}

// The bounds of one case.
const (
	MaxCaseDocuments = 10
	MaxCaseNotes     = 50 // per side, so that neither can crowd out the other
)

// Noun implements Record.
func (*Case) Noun() Noun { return NounCase }

// Case returns a loaded case, nil if there is none.
func (s *State) Case(id string) *Case { return recordIn[*Case](s, id) }

// Order is the key of the order that a case is about, "" if none.
func (x *Case) Order() string { return about(x.Of, PrefixOrder) }

// Payment is the payment that a case is about, "" if none.
func (x *Case) Payment() string { return about(x.Of, PrefixPayment) }

func about(of, prefix string) string {
	if strings.HasPrefix(of, prefix) {
		return of
	}
	return ""
}

// Side is the side that opened a case.
func (x *Case) Side() CaseSide {
	if x.Merchant != "" {
		return SideMerchant
	}
	return SideBuyer
}

// Overdue reports whether a case should have been resolved before a day.
func (x *Case) Overdue(today calendar.Date) bool {
	return x.Status != CaseResolved && x.DueOn < today
}

// Secrets implements Record: the handles of what was typed in a case.
func (x *Case) Secrets() []string {
	all := []string{x.Text}
	for _, n := range x.Notes {
		all = append(all, n.Text)
	}
	if x.Resolution != nil {
		all = append(all, x.Resolution.Text)
	}
	return present(all...)
}

// forgotten reports whether retention has erased what was typed.
func (x *Case) forgotten() bool { return x.Status == CaseResolved && x.NextAt.IsZero() }

// Sound describes the first problem with a case; see Record.
func (x *Case) Sound(old Record) string {
	switch {
	case x.Kind != CaseDispute && x.Kind != CaseQuestion, x.What != "" && !slices.Contains(CaseMatters(), x.What):
		return "kind or subject is unknown"
	case x.Company == 0 || x.DueOn <= 0:
		return "company or due date is missing"
	case (x.Person == "") == (x.Merchant == ""):
		return "must have exactly one opener: a person or a merchant"
	case x.Of != "" && x.Order() == "" && x.Payment() == "", x.Merchant != "" && x.Order() == "":
		return "subject is not an order or payment that this opener may choose"
	case (x.Status == CaseResolved) != (x.Resolution != nil), x.Status != CaseResolved && !x.NextAt.IsZero():
		return "status and resolution do not match"
	case len(x.Documents) > MaxCaseDocuments || x.Said(SideLender) > MaxCaseNotes || len(x.Notes) > 2*MaxCaseNotes:
		return "too many documents or notes"
	}
	if why := x.soundTexts(); why != "" {
		return why
	}
	if was, ok := old.(*Case); ok {
		return x.soundAfter(was)
	}
	return ""
}

// soundTexts requires that either every text is present or none is, and that only the parties
// to the case have spoken.
func (x *Case) soundTexts() string {
	gone := x.forgotten()
	if (x.Text == "") != gone {
		return "text is missing, or kept past its retention"
	}
	for _, n := range x.Notes {
		if (n.Text == "") != gone || n.At.IsZero() || n.Who == "" || n.By != SideLender && n.By != x.Side() {
			return "a note is empty, or its author is not a party to the case"
		}
	}
	r := x.Resolution
	switch {
	case r == nil:
	case r.At.IsZero() || r.Who == "" || !OutcomeOf(x.Kind, r.Outcome):
		return "resolution is incomplete, or its outcome does not fit the kind"
	case (r.Outcome == CaseWithdrawn) != (r.By == x.Side()), r.By != SideLender && r.By != x.Side():
		return "withdrawn by the other side, or decided by its opener"
	case (r.Text == "") != (gone || r.Outcome == CaseWithdrawn):
		return "resolution has no text"
	}
	return ""
}

// OutcomeOf reports whether a case of a kind may have an outcome.
func OutcomeOf(k CaseKind, o CaseOutcome) bool {
	switch o {
	case CaseUpheld, CaseRejected:
		return k == CaseDispute
	case CaseAnswered:
		return k == CaseQuestion
	}
	return o == CaseWithdrawn
}

// soundAfter describes a change to a member that is fixed.
func (x *Case) soundAfter(was *Case) string {
	switch {
	case was.Kind != x.Kind || was.What != x.What || was.Of != x.Of || was.Company != x.Company || was.Person != x.Person || was.DueOn != x.DueOn:
		return "kind, subject, company, person or due date has changed"
	case len(x.Notes) < len(was.Notes) || len(x.Documents) < len(was.Documents):
		return "a note or document was removed"
	case was.Status == CaseResolved && (x.Status != CaseResolved || len(x.Notes) != len(was.Notes) || len(x.Documents) != len(was.Documents) || was.Resolution.Outcome != x.Resolution.Outcome):
		return "changed after it was resolved"
	}
	return ""
}

// Said counts a side's notes.
func (x *Case) Said(by CaseSide) (n int) {
	for _, note := range x.Notes {
		if note.By == by {
			n++
		}
	}
	return n
}

// CaseUse is how much of its case limits a company has used. Cases of its people and of each
// merchant are counted separately, so that no merchant can keep a buyer from disputing.
// Questions may take only some of the slots, so that a VIEWER, who may not dispute, cannot do
// so either.
type CaseUse struct {
	Open []OpenPlace `json:"open,omitzero"` // unresolved cases, oldest first
	Days []CaseDay   `json:"days,omitzero"` // counts of the last day on which anything was opened
}

// OpenPlace is the slot of an unresolved case.
type OpenPlace struct {
	ID       string   `json:"id"`
	Kind     CaseKind `json:"kind"`
	Merchant string   `json:"merchant,omitzero"` // "": the company's people
}

// CaseDay counts what the company's people, or a merchant, submitted on a day.
type CaseDay struct {
	On        calendar.Date `json:"on"`
	Merchant  string        `json:"merchant,omitzero"`
	Cases     int           `json:"cases,omitzero"`
	Questions int           `json:"questions,omitzero"` // those of Cases that are questions
	Files     int           `json:"files,omitzero"`
	AskedWith int           `json:"asked_with,omitzero"` // those of Files that came with questions
}

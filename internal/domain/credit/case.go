package credit

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
)

// Case is a dispute or question that a buyer, or a merchant about an order of its own, puts to
// the lender: about an order, a payment, or nothing but the company. Of is what it is about.
// Merchant is set if a merchant has opened it, and then the case is nobody else's but the
// lender's. What people have typed stands in the vault.
//
// A case moves no money and stops no collection: what it leads to, staff do by the commands
// that are there for it, such as holding an order or waiving a fee.
type Case struct {
	RecordHead `json:"-"`
	Kind       CaseKind        `json:"kind"`
	What       CaseMatter      `json:"what,omitzero"`   // of what it is about
	Person     string          `json:"person,omitzero"` // who has opened it, "" if a merchant has
	Text       string          `json:"text"`            // handle: the subject, and what was said first
	DueOn      calendar.Date   `json:"due_on"`          // by when it is to be resolved
	Notes      []CaseNote      `json:"notes,omitzero"`
	Documents  []string        `json:"documents,omitzero"`
	Resolution *CaseResolution `json:"resolution,omitzero"`
}

// CaseKind says what is asked of the lender.
type CaseKind string

// The kinds of cases.
const (
	CaseDispute  CaseKind = "DISPUTE"
	CaseQuestion CaseKind = "QUESTION"
)

// CaseMatter says what is wrong with what a case is about, for whoever sorts them.
type CaseMatter string

// What a case may be about: goods that did not come or are not right, an amount, the finance
// charge, a fee, a debit, or an order or debit that nobody of the company has wanted.
const (
	CaseGoods        CaseMatter = "GOODS"
	CaseAmount       CaseMatter = "AMOUNT"
	CaseCharge       CaseMatter = "CHARGE"
	CaseFee          CaseMatter = "FEE"
	CaseDebit        CaseMatter = "DEBIT"
	CaseUnauthorized CaseMatter = "UNAUTHORIZED"
	CaseOther        CaseMatter = "OTHER"
)

// CaseMatters lists them.
func CaseMatters() []CaseMatter {
	return []CaseMatter{CaseGoods, CaseAmount, CaseCharge, CaseFee, CaseDebit, CaseUnauthorized, CaseOther}
}

// Statuses of a case: it waits for the lender, or for who has opened it, until it is RESOLVED.
const (
	CaseOpen     = "OPEN"
	CaseWaiting  = "WAITING"
	CaseResolved = "RESOLVED"
)

// CaseSide is one of those who speak in a case.
type CaseSide string

// The sides.
const (
	SideBuyer    CaseSide = "buyer"
	SideMerchant CaseSide = "merchant"
	SideLender   CaseSide = "lender"
)

// CaseNote is what one of the sides has added.
type CaseNote struct {
	At   time.Time `json:"at"`
	By   CaseSide  `json:"by"`
	Who  string    `json:"who"`           // person or client
	Text string    `json:"text,omitzero"` // handle, "" once it is erased
}

// CaseOutcome is how a case ends.
type CaseOutcome string

// A dispute is UPHELD or REJECTED, a question ANSWERED, and either WITHDRAWN by whose it is.
const (
	CaseUpheld    CaseOutcome = "UPHELD"
	CaseRejected  CaseOutcome = "REJECTED"
	CaseAnswered  CaseOutcome = "ANSWERED"
	CaseWithdrawn CaseOutcome = "WITHDRAWN"
)

// CaseResolution is the end of a case.
type CaseResolution struct {
	At      time.Time   `json:"at"`
	By      CaseSide    `json:"by"`
	Who     string      `json:"who"`
	Outcome CaseOutcome `json:"outcome"`
	Text    string      `json:"text,omitzero"` // handle: why, "" of one that is withdrawn, and once it is erased
}

// The bounds of one case.
const (
	MaxCaseDocuments = 10
	MaxCaseNotes     = 50 // of each side, so that nobody talks the other out of a word
)

// Noun implements Record.
func (*Case) Noun() Noun { return NounCase }

// Case is a loaded case, nil if there is none.
func (s *State) Case(id string) *Case { return recordIn[*Case](s, id) }

// Order is the key of the order that a case is about, "" if it is about none.
func (x *Case) Order() string { return about(x.Of, PrefixOrder) }

// Payment is the payment that a case is about, "" if it is about none.
func (x *Case) Payment() string { return about(x.Of, PrefixPayment) }

func about(of, prefix string) string {
	if strings.HasPrefix(of, prefix) {
		return of
	}
	return ""
}

// Side is whose a case is, beside the lender's.
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

// secrets are the handles of what was typed in a case.
func (x *Case) secrets() []string {
	all := []string{x.Text}
	for _, n := range x.Notes {
		all = append(all, n.Text)
	}
	if x.Resolution != nil {
		all = append(all, x.Resolution.Text)
	}
	return all
}

// forgotten reports whether time has erased what was typed.
func (x *Case) forgotten() bool { return x.Status == CaseResolved && x.NextAt.IsZero() }

// Sound describes the first problem with a case; see Record.
func (x *Case) Sound(old Record) string {
	switch {
	case x.Kind != CaseDispute && x.Kind != CaseQuestion, x.What != "" && !slices.Contains(CaseMatters(), x.What):
		return "it is of no kind, or about nothing that there is"
	case x.Company == 0 || x.DueOn <= 0:
		return "it is of no company, or due on no day"
	case (x.Person == "") == (x.Merchant == ""):
		return "nobody has opened it, or two have"
	case x.Of != "" && x.Order() == "" && x.Payment() == "", x.Merchant != "" && x.Order() == "":
		return "it is about nothing that it may be about"
	case (x.Status == CaseResolved) != (x.Resolution != nil), x.Status != CaseResolved && !x.NextAt.IsZero():
		return "it is RESOLVED without an end, or the reverse"
	case len(x.Documents) > MaxCaseDocuments || x.Said(SideLender) > MaxCaseNotes || len(x.Notes) > 2*MaxCaseNotes:
		return "it has too many documents or notes"
	}
	if why := x.soundTexts(); why != "" {
		return why
	}
	if was, ok := old.(*Case); ok {
		return x.soundAfter(was)
	}
	return ""
}

// soundTexts requires that all that was said is there, or nothing of it, and that only those have
// spoken who may.
func (x *Case) soundTexts() string {
	gone := x.forgotten()
	if (x.Text == "") != gone {
		return "its text is missing, or is kept for too long"
	}
	for _, n := range x.Notes {
		if (n.Text == "") != gone || n.At.IsZero() || n.Who == "" || n.By != SideLender && n.By != x.Side() {
			return "a note is empty, or by nobody who may speak"
		}
	}
	r := x.Resolution
	switch {
	case r == nil:
	case r.At.IsZero() || r.Who == "" || !OutcomeOf(x.Kind, r.Outcome):
		return "it ends in no way that its kind ends"
	case (r.Outcome == CaseWithdrawn) != (r.By == x.Side()), r.By != SideLender && r.By != x.Side():
		return "it is withdrawn by somebody else, or decided by itself"
	case (r.Text == "") != (gone || r.Outcome == CaseWithdrawn):
		return "it is decided without a word"
	}
	return ""
}

// OutcomeOf reports whether a case of a kind may end so.
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
		return "what was opened changes"
	case len(x.Notes) < len(was.Notes) || len(x.Documents) < len(was.Documents):
		return "what was added is gone"
	case was.Status == CaseResolved && (x.Status != CaseResolved || len(x.Notes) != len(was.Notes) || len(x.Documents) != len(was.Documents) || was.Resolution.Outcome != x.Resolution.Outcome):
		return "it changes after its end"
	}
	return ""
}

// Said counts the notes of a side.
func (x *Case) Said(by CaseSide) (n int) {
	for _, note := range x.Notes {
		if note.By == by {
			n++
		}
	}
	return n
}

// CaseUse is what a company's cases take of its bounds. Those of its people and those of each
// merchant are counted apart, so that no merchant keeps a buyer from disputing; questions have
// a part of the places only, so that no VIEWER, who may not dispute, does either.
type CaseUse struct {
	Open []OpenPlace `json:"open,omitzero"` // cases that are not resolved, oldest first
	Days []CaseDay   `json:"days,omitzero"` // what was opened on the last day on which anything was
}

// OpenPlace is the place of a case that is not resolved.
type OpenPlace struct {
	ID       string   `json:"id"`
	Kind     CaseKind `json:"kind"`
	Merchant string   `json:"merchant,omitzero"` // "": of the company's people
}

// CaseDay counts what has come on a day from the company's people, or from a merchant.
type CaseDay struct {
	On        calendar.Date `json:"on"`
	Merchant  string        `json:"merchant,omitzero"`
	Cases     int           `json:"cases,omitzero"`
	Questions int           `json:"questions,omitzero"` // of them
	Files     int           `json:"files,omitzero"`
	AskedWith int           `json:"asked_with,omitzero"` // of these files, those of questions
}

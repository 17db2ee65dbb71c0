package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Case is a dispute or question addressed to the lender, without the text people typed.
type Case struct {
	ID         string        `json:"id" doc:"Identifier of the case." example:"case_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Kind       string        `json:"kind" enum:"DISPUTE,QUESTION" doc:"What the lender is asked to do." example:"DISPUTE"`
	What       *string       `json:"what" nullable:"true" enum:"GOODS,AMOUNT,CHARGE,FEE,DEBIT,UNAUTHORIZED,OTHER" doc:"What is wrong, if given." example:"AMOUNT"`
	Status     string        `json:"status" enum:"OPEN,WAITING,RESOLVED" doc:"Waiting for the lender, waiting for the person who opened it, or resolved." example:"OPEN"`
	CompanyID  int64         `json:"company_id" doc:"The company it belongs to." example:"4821073356"`
	OrderKey   *string       `json:"order_key" nullable:"true" doc:"The order it is about." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	PaymentID  *string       `json:"payment_id" nullable:"true" doc:"The payment it is about." example:"pay_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	DueOn      calendar.Date `json:"due_on" doc:"Deadline to resolve it." example:"2026-02-14"`
	Notes      int           `json:"note_count" doc:"Number of notes." example:"2"`
	Documents  []string      `json:"document_ids" doc:"Attached files."`
	Outcome    *string       `json:"outcome" nullable:"true" enum:"UPHELD,REJECTED,ANSWERED,WITHDRAWN" doc:"How it ended." example:"UPHELD"`
	ResolvedAt *time.Time    `json:"resolved_at" nullable:"true" doc:"When it ended." example:"2026-01-20T15:00:00Z"`
	CreatedAt  time.Time     `json:"created_at" doc:"When it was opened." example:"2026-01-15T15:00:00Z"`
	UpdatedAt  time.Time     `json:"updated_at" doc:"When it last changed." example:"2026-01-15T15:00:00Z"`
	Version    int           `json:"version" doc:"Increases with each change." example:"1"`
}

// NewCase returns the resource of a case.
func NewCase(x *credit.Case) Case {
	order, payment, what := x.Order(), x.Payment(), string(x.What)
	c := Case{
		ID: x.ID, Kind: string(x.Kind), What: textIn(&what), Status: x.Status, CompanyID: x.Company, OrderKey: textIn(&order), PaymentID: textIn(&payment),
		DueOn: x.DueOn, Notes: len(x.Notes), Documents: append([]string{}, x.Documents...),
		CreatedAt: instant(x.CreatedAt), UpdatedAt: instant(x.UpdatedAt), Version: x.Version,
	}
	if r := x.Resolution; r != nil {
		outcome := string(r.Outcome)
		c.Outcome, c.ResolvedAt = &outcome, instantIn(&r.At)
	}
	return c
}

// CaseWords are the texts typed in a case. Each is null once it has been erased.
type CaseWords struct {
	Subject *string    `json:"subject" nullable:"true" doc:"Subject line; null once erased." example:"Two shelves are missing"`
	Text    *string    `json:"text" nullable:"true" doc:"Text from when it was opened; null once erased." example:"We were charged for six shelves, and four came."`
	Said    []CaseNote `json:"notes" doc:"Notes, oldest first."`
	Answer  *string    `json:"answer" nullable:"true" doc:"Explanation of the outcome; null before that, if withdrawn, and once erased." example:"The merchant has refunded two shelves."`
}

// CaseNote is a note that one of the sides added to a case.
type CaseNote struct {
	At   time.Time `json:"at" doc:"When." example:"2026-01-16T15:00:00Z"`
	By   string    `json:"by" enum:"buyer,merchant,lender" doc:"Which side." example:"lender"`
	Text *string   `json:"text" nullable:"true" doc:"Text; null once erased." example:"Which ones are missing?"`
}

// ReadCase is a case with the texts typed in it.
type ReadCase struct {
	Case
	CaseWords
}

// ReviewedCase is a case as the lender sees it.
type ReviewedCase struct {
	Case
	OpenedBy   string  `json:"opened_by" enum:"buyer,merchant" doc:"Who opened it." example:"buyer"`
	PersonID   *string `json:"person_id" nullable:"true" doc:"The person of the company who opened it." example:"per_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	MerchantID *string `json:"merchant_id" nullable:"true" doc:"The merchant that opened it." example:"mch_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	ResolvedBy *string `json:"resolved_by" nullable:"true" doc:"The client or person that ended it." example:"cli_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

// NewReviewedCase returns the resource of a case as the lender sees it.
func NewReviewedCase(x *credit.Case) ReviewedCase {
	c := ReviewedCase{Case: NewCase(x), OpenedBy: string(x.Side()), PersonID: textIn(&x.Person), MerchantID: textIn(&x.Merchant)}
	if x.Resolution != nil {
		c.ResolvedBy = textIn(&x.Resolution.Who)
	}
	return c
}

// ReadReviewedCase is a case as the lender sees it, with the texts typed in it.
type ReadReviewedCase struct {
	ReviewedCase
	CaseWords
}

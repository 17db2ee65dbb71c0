package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Checkout is a shop's request to finance one order for one buyer.
type Checkout struct {
	ID               string            `json:"id" doc:"Identifier of the checkout." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Status           string            `json:"status" enum:"OPEN,PENDING_REVIEW,ACCEPTED,COMPLETED,CANCELED,DECLINED,EXPIRED" doc:"Status." example:"OPEN"`
	Reason           *string           `json:"reason" nullable:"true" doc:"Reason for the status, as passed to cancel_url." example:"buyer_canceled"`
	OrderKey         string            `json:"order_key" doc:"Key of its order. The order can be read once the buyer accepts." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CompanyID        *int64            `json:"company_id" nullable:"true" doc:"The company, once it accepted or if the merchant named it." example:"4821073356"`
	Amount           money.Amount      `json:"amount" doc:"Amount to finance." example:"1200.00"`
	Currency         string            `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Charges          *Charges          `json:"charges" nullable:"true" doc:"The shop's totals."`
	Installments     *int              `json:"installments" nullable:"true" doc:"Number of installments the buyer accepted." example:"6"`
	RemoteID         *string           `json:"remote_id" nullable:"true" doc:"The shop's cart ID." example:"cart-8812"`
	RemoteCustomerID *string           `json:"remote_customer_id" nullable:"true" doc:"The shop's buyer ID." example:"cust-77"`
	Mode             string            `json:"mode" enum:"redirect,modal,link" doc:"How the buyer opens it." example:"redirect"`
	CheckoutURL      *string           `json:"checkout_url" nullable:"true" doc:"URL to send the buyer to; null in events and for the lender." example:"https://tenor.example/c/x"`
	ExpiresAt        time.Time         `json:"expires_at" doc:"Deadline for the buyer to accept; after that, for the merchant to complete." example:"2026-01-16T15:00:00Z"`
	AcceptedAt       *time.Time        `json:"accepted_at" nullable:"true" doc:"When the buyer accepted the terms." example:"2026-01-15T15:04:00Z"`
	CompletedAt      *time.Time        `json:"completed_at" nullable:"true" doc:"When the merchant completed it." example:"2026-01-15T15:04:03Z"`
	Metadata         map[string]string `json:"metadata" doc:"Metadata from the shop."`
	CreatedAt        time.Time         `json:"created_at" doc:"When it was created." example:"2026-01-15T15:00:00Z"`
	UpdatedAt        time.Time         `json:"updated_at" doc:"When it last changed." example:"2026-01-15T15:00:00Z"`
	Version          int               `json:"version" doc:"Increases with each change." example:"1"`
}

// NewCheckout returns the resource of a checkout. url is "" where it is not shown. linked
// reports whether its company is linked to its merchant: about any other company the merchant
// learns only that it was declined.
func NewCheckout(x *credit.Checkout, url string, linked bool) Checkout {
	c := Checkout{
		ID: x.ID, Status: x.Status, Reason: textIn(&x.Reason), OrderKey: x.Of, Amount: x.Amount, Currency: string(money.USD),
		Charges: newCharges(x.Charges), RemoteID: textIn(&x.RemoteID), RemoteCustomerID: textIn(&x.RemoteCustomerID), Mode: string(x.Mode),
		CheckoutURL: textIn(&url), ExpiresAt: instant(x.ExpiresAt), CompletedAt: instantIn(&x.CompletedAt), Metadata: x.Metadata,
		CreatedAt: instant(x.CreatedAt), UpdatedAt: instant(x.UpdatedAt), Version: x.Version,
	}
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	if company := x.Company; linked && company != 0 {
		c.CompanyID = &company
	} else if x.Named != 0 {
		named := x.Named
		c.CompanyID = &named
	}
	if a := x.Accepted; a != nil {
		c.AcceptedAt, c.Installments = instantIn(&a.At), &a.Installments
	}
	if !linked && (x.Reason == lending.EndInsufficientCredit || x.Reason == lending.EndNotEligible) {
		declined := lending.EndDeclined
		c.Status, c.Reason = credit.CheckoutDeclined, &declined
	}
	return c
}

// eventCheckout is a checkout as its event shows it: with the company once it has accepted,
// which linked it, or if it was linked when the checkout ended.
func eventCheckout(x *credit.Checkout) Checkout {
	return NewCheckout(x, "", x.Accepted != nil || x.Known)
}

// Application is what a merchant sees of an application that came through it: its status
// and outcome.
type Application struct {
	ID             string            `json:"id" doc:"Identifier of the application." example:"app_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Kind           string            `json:"kind" enum:"NEW,LINE_INCREASE,PREQUALIFICATION" doc:"Type of request. A PREQUALIFICATION only gets an estimate and is never approved." example:"NEW"`
	Status         string            `json:"status" enum:"SUBMITTED,IN_REVIEW,INFORMATION_REQUESTED,APPROVED,DECLINED,WITHDRAWN,EXPIRED,ESTIMATED" doc:"Status. A PREQUALIFICATION is ESTIMATED or DECLINED." example:"APPROVED"`
	CompanyID      *int64            `json:"company_id" nullable:"true" doc:"The company, once approved." example:"4821073356"`
	LegalName      string            `json:"legal_name" doc:"The business." example:"Harbor Supply LLC"`
	RequestedLimit money.Amount      `json:"requested_limit" doc:"Requested credit line; 0.00 for a PREQUALIFICATION." example:"10000.00"`
	ApprovedLimit  *money.Amount     `json:"approved_limit" nullable:"true" doc:"Approved credit line." example:"8000.00"`
	Tier           *string           `json:"tier" nullable:"true" enum:"A,B,C" doc:"The company's tier." example:"A"`
	CounterOffer   bool              `json:"counter_offer" doc:"Whether less than requested was approved." example:"false"`
	CheckoutID     *string           `json:"checkout_id" nullable:"true" doc:"The checkout it was submitted in." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Requests       []Wanted          `json:"requests" doc:"Documents requested from the applicant."`
	Reference      *string           `json:"merchant_reference" nullable:"true" doc:"The merchant's reference." example:"lead-4711"`
	Metadata       map[string]string `json:"metadata" doc:"Metadata from the merchant."`
	SubmittedAt    time.Time         `json:"submitted_at" doc:"When it was submitted." example:"2026-01-15T15:00:00Z"`
	DecidedAt      *time.Time        `json:"decided_at" nullable:"true" doc:"When it was decided." example:"2026-01-15T15:00:02Z"`
	UpdatedAt      time.Time         `json:"updated_at" doc:"When it last changed." example:"2026-01-15T15:00:02Z"`
	Version        int               `json:"version" doc:"Increases with each change." example:"2"`
}

// Wanted is something that an applicant has been asked to provide.
type Wanted struct {
	What  string        `json:"what" doc:"What to send." example:"Articles of organization"`
	DueOn calendar.Date `json:"due_on" doc:"By when." example:"2026-01-29"`
}

// NewApplication returns the resource of an application as its merchant sees it: without
// reasons, which reveal the content of a credit report, and without people.
func NewApplication(x *credit.Application) Application {
	a := Application{
		ID: x.ID, Kind: string(x.Kind), Status: x.Status, LegalName: x.Business.LegalName, RequestedLimit: x.Requested, CheckoutID: textIn(&x.Checkout),
		Requests: []Wanted{}, Reference: textIn(&x.Reference), Metadata: x.Metadata, SubmittedAt: instant(x.CreatedAt), UpdatedAt: instant(x.UpdatedAt), Version: x.Version,
	}
	if a.Metadata == nil {
		a.Metadata = map[string]string{}
	}
	if company := x.Company; company != 0 && x.Status == credit.ApplicationApproved {
		a.CompanyID = &company
	}
	for _, r := range x.Requests {
		a.Requests = append(a.Requests, Wanted{What: r.What, DueOn: r.Due})
	}
	if d := x.Decision; d != nil {
		a.DecidedAt, a.CounterOffer = instantIn(&d.At), d.CounterOffer
		if d.Approved {
			limit, tier := d.Limit, d.Tier
			a.ApprovedLimit, a.Tier = &limit, &tier
		}
	}
	return a
}

// ReviewedApplication is an application as the lender sees it.
type ReviewedApplication struct {
	Application
	MerchantID    *string              `json:"merchant_id" nullable:"true" doc:"Channel it came through." example:"mch_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Business      *ApplicationBusiness `json:"business" nullable:"true" doc:"The business, as submitted; null for a PREQUALIFICATION."`
	Duplicate     bool                 `json:"duplicate" doc:"Whether the tax ID belongs to another company or application." example:"false"`
	PolicyVersion *int                 `json:"policy_version" nullable:"true" doc:"Version of the policy that scored it." example:"1"`
	Points        []FactorPoints       `json:"points" doc:"Points of each factor."`
	Sources       []ApplicationSource  `json:"sources" doc:"Inquiries about the business and their results."`
	Total         *int                 `json:"total" nullable:"true" doc:"Sum of the points." example:"70"`
	Why           *string              `json:"why" nullable:"true" doc:"Reasons for the policy's decision." example:"Enough points for tier A."`
	Reasons       []string             `json:"reasons" doc:"Reason codes of the decision."`
	DecidedBy     *string              `json:"decided_by" nullable:"true" doc:"The policy, the sandbox or a client of the lender." example:"policy"`
	Note          *string              `json:"note" nullable:"true" doc:"Explanation by the underwriter." example:"Known customer."`
	Assigned      *string              `json:"assigned" nullable:"true" doc:"Reviewer." example:"dana"`
	DocumentIDs   []string             `json:"document_ids" doc:"Its documents."`
	Notice        *ApplicationNotice   `json:"notice" nullable:"true" doc:"Notice due for the decision."`
	OwnerNotice   *ApplicationNotice   `json:"owner_notice" nullable:"true" doc:"Notice due to an owner whose credit report was used but who did not apply; sent by postal mail."`
}

// FactorPoints are the points of one factor of the scorecard.
type FactorPoints struct {
	Factor string `json:"factor" doc:"The factor." example:"owner_credit_score"`
	Points int    `json:"points" doc:"Points scored." example:"15"`
	Max    int    `json:"max" doc:"Maximum points." example:"25"`
}

// ApplicationSource is the result of querying a source about an application. Its response
// is stored as the inputs of the decision; the hash is that of the response's bytes.
type ApplicationSource struct {
	Port       string     `json:"port" enum:"business_registry,credit_bureau,bank_data" doc:"Inquiry." example:"credit_bureau"`
	Source     *string    `json:"source" nullable:"true" doc:"Provider that answered; null without an answer." example:"Example Bureau"`
	AnsweredAt *time.Time `json:"answered_at" nullable:"true" doc:"When." example:"2026-01-15T15:00:02Z"`
	RawHash    *string    `json:"raw_hash" nullable:"true" doc:"SHA-256 of the response, in hex." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Tries      int        `json:"tries" minimum:"0" doc:"Number of attempts." example:"1"`
	Missing    *string    `json:"missing" nullable:"true" enum:"SILENT,BROKEN,NOT_CONFIGURED,NOTHING_FOUND" doc:"Why there is no response; null if there is one." example:"null"`
}

// ApplicationBusiness is the business that an application describes.
type ApplicationBusiness struct {
	LegalName        string         `json:"legal_name" doc:"Legal name." example:"Harbor Supply LLC"`
	TradingName      *string        `json:"trading_name" nullable:"true" doc:"Trading name." example:"Harbor"`
	EntityType       string         `json:"entity_type" enum:"SOLE_PROPRIETOR,PARTNERSHIP,LLC,CORPORATION,NONPROFIT" doc:"Legal form." example:"LLC"`
	EINLast4         string         `json:"ein_last4" doc:"Last four digits of the EIN." example:"6789"`
	FormedOn         calendar.Date  `json:"formed_on" doc:"When it was formed." example:"2019-05-01"`
	StateOfFormation string         `json:"state_of_formation" doc:"Where it was formed." example:"DE"`
	Address          CompanyAddress `json:"address" doc:"Its address."`
	Phone            string         `json:"phone" doc:"Its phone." example:"+1 206 555 0143"`
	Email            string         `json:"email" doc:"The applicant's e-mail." example:"ap@harbor.example"`
	Website          *string        `json:"website" nullable:"true" doc:"Its website." example:"https://harbor.example"`
	Industry         *string        `json:"industry" nullable:"true" doc:"Its industry." example:"Restaurants"`
	AnnualRevenue    money.Amount   `json:"annual_revenue" doc:"Annual revenue." example:"300000.00"`
}

// ApplicationNotice is the notice that a decision requires (F28).
type ApplicationNotice struct {
	Kind    string        `json:"kind" enum:"DECLINE,COUNTER_OFFER,INCOMPLETE" doc:"What it tells." example:"DECLINE"`
	DueOn   calendar.Date `json:"due_on" doc:"Deadline for sending." example:"2026-02-14"`
	SentAt  *time.Time    `json:"sent_at" nullable:"true" doc:"When it was sent." example:"2026-01-15T15:00:05Z"`
	Channel *string       `json:"channel" nullable:"true" doc:"How it was sent." example:"EMAIL"`
}

func newSource(x *credit.SourceAnswer) ApplicationSource {
	missing := string(x.Missing)
	return ApplicationSource{Port: x.Port, Source: textIn(&x.Source), AnsweredAt: instantIn(&x.At), RawHash: textIn(&x.RawHash), Tries: x.Tries, Missing: textIn(&missing)}
}

// NoticeLetter is a notice as the applicant or an owner receives it (F28).
type NoticeLetter struct {
	ApplicationID string         `json:"application_id" doc:"The application." example:"app_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Kind          string         `json:"kind" enum:"DECLINE,COUNTER_OFFER,INCOMPLETE" doc:"What it tells." example:"DECLINE"`
	DueOn         calendar.Date  `json:"due_on" doc:"Deadline for sending." example:"2026-02-14"`
	SentAt        *time.Time     `json:"sent_at" nullable:"true" doc:"When it was sent." example:"2026-01-15T15:00:05Z"`
	Name          string         `json:"name" doc:"Addressee." example:"Ada Marsh"`
	Email         *string        `json:"email" nullable:"true" doc:"E-mail address; null for an owner's notice, which goes by postal mail." example:"ada@alder.example"`
	Address       CompanyAddress `json:"address" doc:"Address of the business, or home address of the owner."`
	Subject       string         `json:"subject" doc:"Its subject." example:"Our decision on the application of Harbor Supply LLC"`
	Text          string         `json:"text" doc:"What it says." example:"Thank you for your application. We are sorry that we cannot approve it."`
}

// NewNoticeLetter returns the letter of a notice that an application requires.
func NewNoticeLetter(application string, n *credit.NoticeDuty, name, email, subject, text string, at credit.CompanyAddress) NoticeLetter {
	return NoticeLetter{
		ApplicationID: application, Kind: string(n.Kind), DueOn: n.DueOn, SentAt: instantIn(&n.SentAt), Name: name, Email: textIn(&email),
		Address: newCompanyAddress(&at), Subject: subject, Text: text,
	}
}

// NewReviewedApplication returns the resource of an application for the lender.
func NewReviewedApplication(x *credit.Application) ReviewedApplication {
	b := x.Business
	r := ReviewedApplication{
		Application: NewApplication(x), MerchantID: textIn(&x.Merchant), Duplicate: x.Duplicate, Points: []FactorPoints{}, Reasons: []string{},
		Sources: convert(x.Sources, newSource), Assigned: textIn(&x.Assigned), DocumentIDs: append([]string{}, x.Documents...),
	}
	if x.Kind != underwriting.Estimate {
		r.Business = &ApplicationBusiness{
			LegalName: b.LegalName, TradingName: textIn(&b.TradingName), EntityType: string(b.EntityType), EINLast4: b.EINLast4, FormedOn: b.FormedOn,
			StateOfFormation: b.StateOfFormation, Address: newCompanyAddress(&b.Address), Phone: b.Phone, Email: b.Email, Website: textIn(&b.Website),
			Industry: textIn(&b.Industry), AnnualRevenue: b.AnnualRevenue,
		}
	}
	if o := x.Outcome; o != nil {
		version, total, why := o.Policy, o.Total, o.Why
		r.PolicyVersion, r.Total, r.Why = &version, &total, textIn(&why)
		for _, p := range o.Points {
			r.Points = append(r.Points, FactorPoints{Factor: string(p.Factor), Points: p.Points, Max: p.Max})
		}
	}
	if d := x.Decision; d != nil {
		r.Reasons, r.DecidedBy, r.Note = append(r.Reasons, d.Reasons...), textIn(&d.By), textIn(&d.Note)
	}
	r.Notice, r.OwnerNotice = newApplicationNotice(x.Duty), newApplicationNotice(x.OwnerDuty)
	return r
}

func newApplicationNotice(n *credit.NoticeDuty) *ApplicationNotice {
	if n == nil {
		return nil
	}
	return &ApplicationNotice{Kind: string(n.Kind), DueOn: n.DueOn, SentAt: instantIn(&n.SentAt), Channel: textIn(&n.Channel)}
}

// PersonalApplication is an application as the lender sees it, with its people, who are
// null once they have been erased.
type PersonalApplication struct {
	ReviewedApplication
	Applicant *Applicant     `json:"applicant" nullable:"true" doc:"Applicant; null once erased."`
	Owners    []Owner        `json:"owners" nullable:"true" doc:"Owners and control person; null once erased."`
	Estimate  *AskedEstimate `json:"estimate" nullable:"true" doc:"For a PREQUALIFICATION: input and result; null once erased."`
}

// Applicant is the person who applies for a business.
type Applicant struct {
	FirstName string  `json:"first_name" doc:"First name." example:"Ada"`
	LastName  string  `json:"last_name" doc:"Last name." example:"Marsh"`
	Email     string  `json:"email" doc:"E-mail address." example:"ada@alder.example"`
	Title     string  `json:"title" doc:"Title at the business." example:"Owner"`
	Phone     *string `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
}

// Owner is one of the people who own or run a business.
type Owner struct {
	FirstName string         `json:"first_name" doc:"First name." example:"Ada"`
	LastName  string         `json:"last_name" doc:"Last name." example:"Marsh"`
	Title     *string        `json:"title" nullable:"true" doc:"Title at the business." example:"Owner"`
	Email     *string        `json:"email" nullable:"true" doc:"E-mail address." example:"ada@alder.example"`
	Phone     *string        `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	BirthDate calendar.Date  `json:"birth_date" doc:"Date of birth." example:"1980-03-14"`
	Address   CompanyAddress `json:"address" doc:"Home address."`
	Percent   int            `json:"ownership_percent" doc:"Share of the business, in percent." example:"100"`
	Control   bool           `json:"control_person" doc:"Whether this person runs the business." example:"true"`
}

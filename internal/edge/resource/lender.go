package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Lender is what is kept of the lender itself.
type Lender struct {
	ProvisionRates map[string]money.Rate `json:"provision_rates" doc:"Share of the unpaid principal that is provided for at each month end, by bucket of days past due; a bucket that is not named has none." example:"{\"DPD_90_119\":\"0.500000\"}"`
	Creditor       *Party                `json:"creditor" nullable:"true" doc:"The creditor: the name on all papers, and name and address on notices of adverse actions. Null: papers say Tenor."`
	Contact        *string               `json:"contact" nullable:"true" doc:"How to reach the lender, as its papers say it; null: the creditor's address." example:"help@harborcredit.example"`
	Regulator      *Party                `json:"regulator" nullable:"true" doc:"Who administers the law on such notices for this creditor."`
	VerifyAccounts string                `json:"verify_accounts" enum:"always,never" doc:"Which bank accounts of companies are proved before their first debit: always every one, never none, so that a merchant's word is enough. A number that has failed its check stays failed." example:"always"`
	CoolingOffDays int                   `json:"cooling_off_days" doc:"Banking days for which a change of a merchant's bank account waits." example:"2"`
	Retention      Retention             `json:"retention" doc:"For how long what is personal is kept."`
	Allowance      money.Amount          `json:"allowance" doc:"What the allowance for losses holds: minus the balance of account 1900." example:"600.00"`
	ProvidedTo     *calendar.Date        `json:"provided_to" nullable:"true" doc:"Last month end that was provided for." example:"2026-02-28"`
	ClosedTo       *calendar.Date        `json:"closed_to" nullable:"true" doc:"Last day of the last month of the books that is closed." example:"2026-01-31"`
	Version        int                   `json:"version" doc:"Grows with each change; 0 before the first." example:"3"`
}

// Retention is for how long what is personal is kept.
type Retention struct {
	DraftDays              int `json:"draft_days" doc:"Days for which what a buyer has typed and not sent is kept." example:"30"`
	DocumentMonths         int `json:"document_months" doc:"Months for which uploads are kept after the decision." example:"12"`
	ApplicationMonths      int `json:"application_months" doc:"Months for which what an application says of people is kept after the decision." example:"25"`
	PrequalificationMonths int `json:"prequalification_months" doc:"Months for which a prequalification is kept." example:"12"`
	OwnerMonths            int `json:"owner_months" doc:"Months for which what an approved application says of people is kept after its company is closed." example:"60"`
}

// Party is somebody with an address to write to.
type Party struct {
	Name    string `json:"name" doc:"Name." example:"Federal Trade Commission"`
	Address string `json:"address" doc:"Address." example:"Equal Credit Opportunity, Washington, DC 20580"`
}

// NewLender returns the resource of the lender.
func NewLender(x *credit.Lender) Lender {
	w := Lender{
		ProvisionRates: map[string]money.Rate{}, Creditor: newParty(x.Settings.Creditor), Contact: textIn(&x.Settings.Contact), Regulator: newParty(x.Settings.Regulator),
		VerifyAccounts: string(x.Settings.Policy()), CoolingOffDays: x.Settings.CoolingOffDays(), Retention: newRetention(x.Settings.Kept()),
		Allowance: x.Allowance, ProvidedTo: dateIn(&x.ProvidedTo), ClosedTo: dateIn(&x.ClosedTo), Version: x.Version,
	}
	for b, rate := range x.Settings.ProvisionRates {
		w.ProvisionRates[string(b)] = rate
	}
	return w
}

func newRetention(r credit.Retention) Retention {
	return Retention{r.Drafts, r.Documents, r.Applications, r.Prequalifications, r.Owners}
}

func newParty(p credit.Party) *Party {
	if p == (credit.Party{}) {
		return nil
	}
	return &Party{Name: p.Name, Address: p.Address}
}

// Screening is a name that resembles one on a sanctions list.
type Screening struct {
	ID         string         `json:"id" doc:"Identifier of the screening." example:"scr_01KB0A4E7WDN3R1P9M8K6J4H2G"`
	CompanyID  *int64         `json:"company_id" nullable:"true" doc:"The company whose name it is." example:"4821073356"`
	MerchantID *string        `json:"merchant_id" nullable:"true" doc:"The merchant whose name it is." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	List       string         `json:"list" doc:"Version of the list." example:"2026-03-02"`
	Names      []string       `json:"names" doc:"The names that were compared." example:"[\"Drakonov Trading LLC\"]"`
	Matches    []Match        `json:"matches" doc:"Entries that they resemble, best first."`
	Status     string         `json:"status" enum:"OPEN,CLEARED,CONFIRMED" doc:"Whether a person has decided." example:"OPEN"`
	OpenedAt   time.Time      `json:"opened_at" doc:"When it was found." example:"2026-03-20T14:00:00Z"`
	DecidedAt  *time.Time     `json:"decided_at" nullable:"true" doc:"When a person has decided." example:"2026-03-20T15:00:00Z"`
	Reason     *string        `json:"reason" nullable:"true" doc:"What that person has said." example:"another date of birth"`
	ReportBy   *calendar.Date `json:"report_by" nullable:"true" doc:"Day by which a confirmed match is to be reported." example:"2026-04-03"`
	Version    int            `json:"version" doc:"1 when it was found, one more with each change: with every further match too." example:"1"`
}

// Match is an entry of a sanctions list that resembles a name.
type Match struct {
	Entry string `json:"entry" doc:"Its identifier in the list." example:"T-1001"`
	Name  string `json:"name" doc:"The name as the list spells it." example:"Viktor Drakonov"`
	Score int    `json:"score" doc:"Likeness in percent." example:"93"`
}

// NewScreening returns the resource of a screening.
func NewScreening(x *credit.Screening) Screening {
	w := Screening{
		ID: x.ID, MerchantID: textIn(&x.Merchant), List: x.List, Names: append([]string{}, x.Names...), Matches: []Match{}, Status: string(x.Status),
		OpenedAt: instant(x.OpenedAt), DecidedAt: instantIn(&x.DecidedAt), Reason: textIn(&x.Reason), ReportBy: dateIn(&x.ReportBy), Version: x.Version,
	}
	if x.Company != 0 {
		w.CompanyID = &x.Company
	}
	for _, m := range x.Matches {
		w.Matches = append(w.Matches, Match{m.Entry, m.Name, m.Score})
	}
	return w
}

// Alarm is something that waits for a person of the lender.
type Alarm struct {
	Kind    string         `json:"kind" enum:"notice_overdue,screening_open,screening_report,file_unsent,file_unanswered,late_return,card_dispute,return_rate,bank_notice,notice_due,case_overdue,application_review,mail_failed,receipt_unidentified,credit_waiting,refund_owed,account_missing,account_change,account_at_several_companies,reported_payment_withdrawn,payouts_held,payouts_limited,merchant_debits,clawback_unpaid,company_suspended,cards_stopped,autopay_paused,collection_stopped,charge_off_proposed" doc:"What it is about." example:"notice_due"`
	Subject string         `json:"subject" doc:"Identifier of what it is about; of a return rate its name." example:"ntc_01KB0A4E7WBN3R1P9M8K6J4H2G"`
	Since   *calendar.Date `json:"since" nullable:"true" doc:"Since when it waits, if that is known." example:"2026-03-17"`
	Due     *calendar.Date `json:"due" nullable:"true" doc:"By when it is to be done, if a rule says so." example:"2026-04-16"`
	Detail  string         `json:"detail" doc:"What it is, in a sentence." example:"The notice of SUSPENSION to company 4821073356 has to be sent by 2026-04-16."`
	Next    string         `json:"next" doc:"What to do, in a sentence." example:"Send it, and record that it was sent."`
}

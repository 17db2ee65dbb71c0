package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Lender is the lender's own settings.
type Lender struct {
	ProvisionRates     map[string]money.Rate `json:"provision_rates" doc:"Loan loss reserve rate on unpaid principal at each month end, by days past due bucket; an omitted bucket has none." example:"{\"DPD_90_119\":\"0.500000\"}"`
	Creditor           *Party                `json:"creditor" nullable:"true" doc:"The creditor: its name on all documents, its name and address on adverse action notices. Null: documents show Tenor."`
	Contact            *string               `json:"contact" nullable:"true" doc:"Contact details of the lender, shown on documents; null: the creditor's address." example:"help@harborcredit.example"`
	Regulator          *Party                `json:"regulator" nullable:"true" doc:"Agency that supervises adverse action notices of this creditor."`
	VerifyAccounts     string                `json:"verify_accounts" enum:"always,never" doc:"Which company bank accounts are verified before their first debit: always or never. With never, a merchant's word is enough. A number that failed verification stays failed." example:"always"`
	CoolingOffDays     int                   `json:"cooling_off_days" doc:"Banking days before a change of a merchant's bank account takes effect." example:"2"`
	Retention          Retention             `json:"retention" doc:"Retention of personal data."`
	Allowance          money.Amount          `json:"allowance" doc:"Allowance for loan losses: the negative of the balance of account 1900." example:"600.00"`
	ProvisionedThrough *calendar.Date        `json:"provisioned_through" nullable:"true" doc:"Last month end with a posted reserve." example:"2026-02-28"`
	ClosedTo           *calendar.Date        `json:"closed_to" nullable:"true" doc:"Last day of the last closed month." example:"2026-01-31"`
	Version            int                   `json:"version" doc:"Increases with each change; 0 before the first." example:"3"`
}

// Retention is how long personal data is kept.
type Retention struct {
	DraftDays              int `json:"draft_days" doc:"Days unsent drafts are kept." example:"30"`
	DocumentMonths         int `json:"document_months" doc:"Months uploads are kept after the decision." example:"12"`
	ApplicationMonths      int `json:"application_months" doc:"Months personal data of an application is kept after the decision." example:"25"`
	PrequalificationMonths int `json:"prequalification_months" doc:"Months a prequalification is kept." example:"12"`
	OwnerMonths            int `json:"owner_months" doc:"Months personal data of an approved application is kept after its company is closed." example:"60"`
}

// Party is a name with a postal address.
type Party struct {
	Name    string `json:"name" doc:"Name." example:"Federal Trade Commission"`
	Address string `json:"address" doc:"Address." example:"Equal Credit Opportunity, Washington, DC 20580"`
}

// NewLender returns the resource of the lender.
func NewLender(x *credit.Lender) Lender {
	w := Lender{
		ProvisionRates: map[string]money.Rate{}, Creditor: newParty(x.Settings.Creditor), Contact: textIn(&x.Settings.Contact), Regulator: newParty(x.Settings.Regulator),
		VerifyAccounts: string(x.Settings.Policy()), CoolingOffDays: x.Settings.CoolingOffDays(), Retention: newRetention(x.Settings.Kept()),
		Allowance: x.Allowance, ProvisionedThrough: dateIn(&x.ProvisionedThrough), ClosedTo: dateIn(&x.ClosedTo), Version: x.Version,
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
	CompanyID  *int64         `json:"company_id" nullable:"true" doc:"Company screened." example:"4821073356"`
	MerchantID *string        `json:"merchant_id" nullable:"true" doc:"Merchant screened." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	List       string         `json:"list" doc:"Version of the list." example:"2026-03-02"`
	Names      []string       `json:"names" doc:"Names screened." example:"[\"Drakonov Trading LLC\"]"`
	Matches    []Match        `json:"matches" doc:"Possible matches on the list, best first."`
	Status     string         `json:"status" enum:"OPEN,CLEARED,CONFIRMED" doc:"Whether it was decided." example:"OPEN"`
	OpenedAt   time.Time      `json:"opened_at" doc:"When the match was found." example:"2026-03-20T14:00:00Z"`
	DecidedAt  *time.Time     `json:"decided_at" nullable:"true" doc:"When it was decided." example:"2026-03-20T15:00:00Z"`
	Reason     *string        `json:"reason" nullable:"true" doc:"Reason for the decision." example:"another date of birth"`
	ReportBy   *calendar.Date `json:"report_by" nullable:"true" doc:"Deadline to report a confirmed match." example:"2026-04-03"`
	Version    int            `json:"version" doc:"1 when found; increases with each change, including new matches." example:"1"`
}

// Match is an entry of a sanctions list that resembles a name.
type Match struct {
	Entry string `json:"entry" doc:"ID of the list entry." example:"T-1001"`
	Name  string `json:"name" doc:"Name on the list." example:"Viktor Drakonov"`
	Score int    `json:"score" doc:"Match score in percent." example:"93"`
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

// Alarm is something that needs attention from the lender's staff.
type Alarm struct {
	Kind    string         `json:"kind" enum:"notice_overdue,screening_open,screening_report,file_unsent,file_unanswered,late_return,card_dispute,return_rate,bank_notice,notice_due,case_overdue,application_review,mail_failed,receipt_unidentified,credit_waiting,refund_owed,account_missing,account_change,account_at_several_companies,reported_payment_withdrawn,payouts_held,payouts_limited,merchant_debits,clawback_unpaid,company_suspended,cards_stopped,autopay_paused,collection_stopped,charge_off_proposed" doc:"What it is about." example:"notice_due"`
	Subject string         `json:"subject" doc:"ID of the object; for a return rate, its name." example:"ntc_01KB0A4E7WBN3R1P9M8K6J4H2G"`
	Since   *calendar.Date `json:"since" nullable:"true" doc:"Open since, if known." example:"2026-03-17"`
	Due     *calendar.Date `json:"due" nullable:"true" doc:"Deadline, if a rule sets one." example:"2026-04-16"`
	Detail  string         `json:"detail" doc:"Description." example:"The notice of SUSPENSION to company 4821073356 has to be sent by 2026-04-16."`
	Next    string         `json:"next" doc:"What to do." example:"Send it, and record that it was sent."`
}

package operator

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/alarm"
)

type partyBody struct {
	Name    string `json:"name" required:"true" minLength:"1" doc:"Name." example:"Federal Trade Commission"`
	Address string `json:"address" required:"true" minLength:"1" doc:"Address." example:"Equal Credit Opportunity, Washington, DC 20580"`
}

type retentionBody struct {
	DraftDays              *int `json:"draft_days" minimum:"1" maximum:"90" doc:"Days to keep unsent drafts." example:"30"`
	DocumentMonths         *int `json:"document_months" minimum:"12" maximum:"240" doc:"Months to keep uploads after the decision; at most application_months." example:"12"`
	ApplicationMonths      *int `json:"application_months" minimum:"12" maximum:"240" doc:"Months to keep personal data of an application after the decision." example:"25"`
	PrequalificationMonths *int `json:"prequalification_months" minimum:"12" maximum:"240" doc:"Months to keep a prequalification." example:"12"`
	OwnerMonths            *int `json:"owner_months" minimum:"12" maximum:"240" doc:"Months to keep personal data of an approved application after its company is closed." example:"60"`
}

type lenderPatch struct {
	ProvisionRates rest.Opt[map[string]*money.Rate] `json:"provision_rates" nullable:"true" maxProperties:"6" maxKeyLength:"16" doc:"Loan loss reserve rate on unpaid principal, 0 to 1, by bucket: CURRENT, DPD_1_29, DPD_30_59, DPD_60_89, DPD_90_119, DPD_120_PLUS. Merged; null removes a bucket's rate." example:"{\"DPD_90_119\":\"0.500000\"}"`
	Creditor       rest.Opt[partyBody]              `json:"creditor" nullable:"true" doc:"The creditor: its name on all documents, its name and address on adverse action notices."`
	Contact        rest.Opt[string]                 `json:"contact" nullable:"true" minLength:"1" maxLength:"200" doc:"Contact details of the lender, shown on documents: a phone number, an address. Null: the creditor's address." example:"help@harborcredit.example"`
	VerifyAccounts rest.Opt[string]                 `json:"verify_accounts" enum:"always,never" doc:"Which company bank accounts are verified before their first debit." example:"always"`
	CoolingOffDays rest.Opt[int]                    `json:"cooling_off_days" minimum:"1" maximum:"10" doc:"Banking days before a change of a merchant's bank account takes effect." example:"2"`
	Retention      rest.Opt[retentionBody]          `json:"retention" nullable:"true" doc:"Retention of personal data. Omitted members are unchanged; null: the defaults."`
	Regulator      rest.Opt[partyBody]              `json:"regulator" nullable:"true" doc:"Agency that supervises adverse action notices of this creditor."`
	Reason         *string                          `json:"reason" minLength:"1" doc:"Reason, for the record; required with verify_accounts, cooling_off_days or retention." example:"accounts are proved by the bank from now on"`
}

// Check requires a reason if the change affects what keeps money from being misdirected.
func (b *lenderPatch) Check(report func(name, code, detail string)) {
	if b.Reason == nil && (b.VerifyAccounts.Set || b.CoolingOffDays.Set || b.Retention.Set) {
		report("/reason", "required", "Changing account verification, the cooling-off period or data retention requires a reason.")
	}
}

type alarmFilter struct {
	Kind string `query:"kind" enum:"notice_overdue,screening_open,screening_report,file_unsent,file_unanswered,late_return,card_dispute,return_rate,bank_notice,notice_due,case_overdue,application_review,mail_failed,receipt_unidentified,credit_waiting,refund_owed,account_missing,account_change,account_at_several_companies,reported_payment_withdrawn,payouts_held,payouts_limited,merchant_debits,clawback_unpaid,company_suspended,cards_stopped,autopay_paused,collection_stopped,charge_off_proposed" doc:"Alarms of this kind." example:"screening_open"`
}

type screeningFilter struct {
	rest.Page
	CompanyID  *values.CompanyID `query:"company_id" doc:"Screenings for this company." example:"1000000001"`
	MerchantID *string           `query:"merchant_id" prefix:"mch_" doc:"Screenings for this merchant."`
	Status     string            `query:"status" enum:"OPEN,CLEARED,CONFIRMED" doc:"Screenings with this status."`
}

type screeningID struct {
	ID string `path:"id" prefix:"scr_" doc:"The screening's identifier." example:"scr_01KB0A4E7WDN3R1P9M8K6J4H2G"`
}

// Lender returns the operations on the lender's own settings, and on what waits for its
// staff.
func (s API) Lender() []rest.Operation {
	const path = "/v1/operator/"
	decide := func(id, act, summary, doc string, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "POST", Path: path + "screenings/{id}/" + act, Summary: summary, Doc: doc,
			Response: resource.Screening{}, ETag: true, Problems: []string{"invalid_transition", "precondition_failed"}, Endpoint: e,
		}
	}
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeCompanies}.With([]rest.Operation{
		{
			ID: "getLender", Method: "GET", Path: path + "lender", Summary: "Retrieve the lender's settings and the state of its books",
			Response: resource.Lender{}, ETag: true, Endpoint: rest.Handle(s.getLender),
		},
		{
			ID: "updateLender", Method: "PATCH", Path: path + "lender", Summary: "Change the lender's settings",
			Doc:    "A merge patch (RFC 7396). Once reserve rates are set, the loan loss reserve is posted at each month end.",
			Scopes: []string{access.ScopeSettings}, Response: resource.Lender{}, ETag: true, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.updateLender),
		},
		{
			ID: "listAlarms", Method: "GET", Path: path + "alarms", Summary: "List what needs attention",
			Doc: "On one page, computed on request, most urgent first: notices to send, screenings to decide, files the bank has not acknowledged, return rates above " +
				"network limits, card disputes, bank notices to review, merchants that cannot be paid, suspended companies, orders whose collection has stopped. Resolved items disappear.",
			Response: resource.List[resource.Alarm]{}, Endpoint: rest.Handle(s.listAlarms),
		},
		{
			ID: "listScreenings", Method: "GET", Path: path + "screenings", Summary: "List sanctions screenings", Doc: "Newest first.",
			Response: resource.List[resource.Screening]{}, Endpoint: rest.Handle(s.listScreenings),
		},
		{
			ID: "getScreening", Method: "GET", Path: path + "screenings/{id}", Summary: "Retrieve a screening",
			Response: resource.Screening{}, Endpoint: rest.Handle(s.getScreening),
		},
		decide("confirmScreening", "confirm", "Confirm a sanctions match",
			"The company becomes SUSPENDED, and its money, or the merchant's payouts, are blocked.", rest.Handle(s.confirmScreening)),
		decide("clearScreening", "clear", "Clear a sanctions match",
			"Its list entries will not match again, and held transactions continue.", rest.Handle(s.clearScreening)),
		{
			ID: "unfreezeCompany", Method: "POST", Path: path + "companies/{company_id}/unfreeze", Summary: "Unfreeze the money of a closed company",
			Doc:      "After a bank froze its account and the case was investigated. No effect if its money is not frozen.",
			Response: resource.Company{}, ETag: true, Problems: []string{"precondition_failed", "company_not_eligible"}, Endpoint: rest.Handle(s.unfreezeCompany),
		},
		{
			ID: "reportCompany", Method: "POST", Path: path + "companies/{company_id}/reports", Summary: "Report a company's bankruptcy or fraud",
			Doc: "The company's orders are proposed for charge-off 60 days after a bankruptcy notice or 90 days after the discovery of fraud. " +
				"Bankruptcy pauses autopay until the report is withdrawn and cancels queued debits. " +
				"Fraud blocks nothing automatically: put the company on hold. A new date replaces the previous one.",
			Response: resource.Company{}, ETag: true, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.reportCompany),
		},
		{
			ID: "withdrawReport", Method: "POST", Path: path + "companies/{company_id}/reports/withdraw", Summary: "Withdraw a bankruptcy or fraud report",
			Doc:      "Ends the proposed charge-offs and resumes autopay. No effect if there is no such report.",
			Response: resource.Company{}, ETag: true, Problems: []string{"precondition_failed"}, Endpoint: rest.Handle(s.withdrawReport),
		},
	})
}

func (s API) getLender(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := serve.LenderIn(v)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.NewLender(x)
		return rest.Answer{Body: &w, ETag: serve.VersionTag(w.Version)}, nil
	})
}

// dateGiven is a date as a member that may be null.
func dateGiven(d calendar.Date) *calendar.Date {
	if d == serve.None {
		return nil
	}
	return &d
}

func (s API) updateLender(c *rest.Call, _ *rest.None, b *lenderPatch) (rest.Answer, error) {
	cmd := compliance.SetLender{IfMatch: serve.IfMatch(c.IfMatch), Creditor: partyOf(b.Creditor), Contact: serve.Given(b.Contact), Regulator: partyOf(b.Regulator), CoolingOff: serve.Given(b.CoolingOffDays)}
	if b.VerifyAccounts.Set {
		policy := credit.VerifyPolicy(b.VerifyAccounts.Value)
		cmd.VerifyAccounts = &policy
	}
	cmd.Retention = retentionOf(b.Retention)
	if b.ProvisionRates.Null {
		cmd.DropRates = credit.Buckets()
	}
	for _, name := range slices.Sorted(maps.Keys(b.ProvisionRates.Value)) {
		bucket, rate := credit.Bucket(name), b.ProvisionRates.Value[name]
		if rate == nil {
			cmd.DropRates = append(cmd.DropRates, bucket)
			continue
		}
		if cmd.ProvisionRates == nil {
			cmd.ProvisionRates = map[credit.Bucket]money.Rate{}
		}
		cmd.ProvisionRates[bucket] = *rate
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		w := resource.NewLender(ch.Result.(*credit.Lender))
		return serve.Success{Body: &w, Etag: serve.VersionTag(w.Version)}
	})
}

// retentionOf returns the new retention times: all defaults if it is null, nil if it is
// absent.
func retentionOf(o rest.Opt[retentionBody]) *credit.Retention {
	if !o.Set {
		return nil
	}
	r := credit.UsualRetention()
	if x := o.Value; !o.Null {
		r = credit.Retention{
			Drafts: serve.Deref(x.DraftDays), Documents: serve.Deref(x.DocumentMonths), Applications: serve.Deref(x.ApplicationMonths),
			Prequalifications: serve.Deref(x.PrequalificationMonths), Owners: serve.Deref(x.OwnerMonths),
		}
	}
	return &r
}

// partyOf is the new value of a party: none if it is null, nil if it is absent.
func partyOf(o rest.Opt[partyBody]) *credit.Party {
	if !o.Set {
		return nil
	}
	return &credit.Party{Name: o.Value.Name, Address: o.Value.Address}
}

func (s API) listAlarms(c *rest.Call, f *alarmFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		open, err := alarm.List(v, alarm.Setup{Zone: s.Zone, Silent: s.SilentBank}, s.Now())
		data := make([]resource.Alarm, 0, len(open))
		for _, a := range open {
			if f.Kind == "" || f.Kind == string(a.Kind) {
				data = append(data, resource.Alarm{Kind: string(a.Kind), Subject: a.Subject, Since: dateGiven(a.Since), Due: dateGiven(a.Due), Detail: a.Detail, Next: a.Next})
			}
		}
		return rest.Answer{Body: resource.NewList(data, "")}, err
	})
}

func (s API) listScreenings(c *rest.Call, f *screeningFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListScreenings(v, store.ScreeningFilter{
			Company: int64(serve.Deref(f.CompanyID)), Merchant: serve.Deref(f.MerchantID), Status: credit.ScreeningStatus(f.Status),
		}, serve.PageOf(f.Page))
		for i := 0; i < len(found) && err == nil; i++ {
			found[i], err = s.OpenedScreening(v, found[i])
		}
		return serve.Listed(c, f.Page, found, func(x *credit.Screening) rest.Position { return rest.Position{CreatedAt: x.OpenedAt, ID: x.ID} }, resource.NewScreening), err
	})
}

func (s API) getScreening(c *rest.Call, p *screeningID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Screenings: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Screenings[p.ID]
		if x == nil {
			return rest.Answer{}, rest.NotFound()
		}
		x, err := s.OpenedScreening(v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.NewScreening(x)
		return rest.Answer{Body: &w}, nil
	})
}

func (s API) confirmScreening(c *rest.Call, p *screeningID, b *serve.BecauseBody) (rest.Answer, error) {
	return s.decideScreening(c, compliance.DecideScreening{Screening: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Confirmed: true, Reason: b.Reason})
}

func (s API) clearScreening(c *rest.Call, p *screeningID, b *serve.BecauseBody) (rest.Answer, error) {
	return s.decideScreening(c, compliance.DecideScreening{Screening: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reason: b.Reason})
}

// decideScreening carries out a person's decision on a screening. The answer shows the
// account it is about, as a read does, so it is stored sealed.
func (s API) decideScreening(c *rest.Call, cmd compliance.DecideScreening) (rest.Answer, error) {
	var of *credit.Merchant
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		err := v.Load(state, credit.Keys{Screenings: []string{cmd.Screening}})
		if x := state.Screenings[cmd.Screening]; err == nil && x != nil && x.Merchant != "" {
			of, err = serve.FindMerchant(v, x.Merchant)
		}
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		x := ch.Result.(*credit.Screening)
		if of != nil {
			x = s.WithHolder(x, of)
		}
		w := resource.NewScreening(x)
		return serve.Success{Body: &w, Etag: serve.VersionTag(w.Version), Secret: of != nil}
	})
}

func (s API) unfreezeCompany(c *rest.Call, p *serve.CompanyKey, b *serve.BecauseBody) (rest.Answer, error) {
	return s.SubmitCompany(c, p.CompanyID, func(ifMatch []string) credit.Command {
		return compliance.UnfreezeCompany{Company: int64(p.CompanyID), IfMatch: ifMatch, Reason: b.Reason}
	})
}

type reportBody struct {
	Kind   string        `json:"kind" required:"true" enum:"BANKRUPTCY,FRAUD" doc:"What it is." example:"BANKRUPTCY"`
	On     calendar.Date `json:"on" required:"true" doc:"Date of the notice or discovery, not in the future." example:"2026-01-05"`
	Reason string        `json:"reason" required:"true" minLength:"1" doc:"Details, for the record." example:"chapter 7, case 26-10442"`
}

func (s API) reportCompany(c *rest.Call, p *serve.CompanyKey, b *reportBody) (rest.Answer, error) {
	return s.SubmitCompany(c, p.CompanyID, func(ifMatch []string) credit.Command {
		return lending.ReportCompany{Company: int64(p.CompanyID), IfMatch: ifMatch, Kind: credit.ReportKind(b.Kind), On: b.On, Reason: b.Reason}
	})
}

type withdrawBody struct {
	Kind   string `json:"kind" required:"true" enum:"BANKRUPTCY,FRAUD" doc:"Report to withdraw." example:"BANKRUPTCY"`
	Reason string `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"the case was dismissed"`
}

func (s API) withdrawReport(c *rest.Call, p *serve.CompanyKey, b *withdrawBody) (rest.Answer, error) {
	return s.SubmitCompany(c, p.CompanyID, func(ifMatch []string) credit.Command {
		return lending.WithdrawReport{Company: int64(p.CompanyID), IfMatch: ifMatch, Kind: credit.ReportKind(b.Kind), Reason: b.Reason}
	})
}

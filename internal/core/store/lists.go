package store

import (
	"fmt"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// ListInvoices lists invoices, newest first.
func ListInvoices(v View, f InvoiceFilter, p Page) ([]*credit.Invoice, error) {
	q := newest(InvoiceNoun, "issued_at", p)
	q.is("merchant_id", f.Merchant)
	q.is("order_key", f.Order)
	q.company(f.Company)
	q.is("status", string(f.Status))
	return list(v, InvoiceNoun, q)
}

// ListMethods lists a company's payment methods, newest first.
func ListMethods(v View, company int64) ([]*credit.PaymentMethod, error) {
	q := newest(MethodNoun, "created_at", Page{})
	q.Limit = -1
	q.where("company_id", Is, Value{Kind: Integer, Int: company})
	return list(v, MethodNoun, q)
}

// ListTransfers lists transfers, newest first. Nearly all are ACH and settled, so those
// need no index of their own.
func ListTransfers(v View, f TransferFilter, p Page) ([]*credit.Transfer, error) {
	q := newest(TransferNoun, "created_at", p)
	none, zero := textValue(""), Value{Kind: Integer}
	switch {
	case f.Unanswered:
		q.Index = "transfers_unanswered"
		q.Where = append(q.Where, Cond{Expr: Unanswered, Takes: func(row any) bool { return f.Takes(row.(*TransferRow).Transfer) }})
	case f.Payment != "":
		q.Index = "transfers_payment"
		q.holds("payment_id", IsNot, Value{Null: true})
	case f.Merchant != "":
		q.Index = "transfers_merchant"
		q.holds("merchant_id", IsNot, none)
	case f.Company != 0:
		q.Index = "transfers_company"
		q.holds("company_id", IsNot, zero)
	case f.Status != "" && f.Status != credit.TransferSettled:
		q.Index = "transfers_status"
		q.holds("status", IsNot, textValue(string(credit.TransferSettled)))
	case f.Rail == credit.Card:
		q.Index = "transfers_card"
		q.holds("rail", Is, textValue(string(credit.Card)))
	default:
		q.Index = "transfers_created"
	}
	q.company(f.Company)
	q.is("merchant_id", f.Merchant)
	q.is("payment_id", f.Payment)
	q.is("rail", string(f.Rail))
	q.is("status", string(f.Status))
	return list(v, TransferNoun, q)
}

// ListOwedPayments lists payments with money on 2110 (Payment.InTransit), the longest owed
// first, after the last position of the previous page.
func ListOwedPayments(v View, p Page) ([]*credit.Payment, error) {
	q := oldest(PaymentNoun, "owed_since", p)
	q.Index = "payments_owed"
	return list(v, PaymentNoun, q)
}

// oldest lists a noun's records that have the instant, oldest first.
func oldest(n Source, at string, p Page) Query {
	q := newest(n, at, p)
	q.Down = false
	q.holds(at, IsNot, Value{Null: true})
	return q
}

// ListPayouts lists payouts, newest first. A merchant has one a day, and nearly all have
// settled.
func ListPayouts(v View, f PayoutFilter, p Page) ([]*credit.Payout, error) {
	q := newest(PayoutNoun, "created_at", p)
	q.Index = "payouts_created"
	switch {
	case f.Merchant != "":
		q.Index = "payouts_merchant"
	case f.Status != "" && f.Status != credit.PayoutSettled:
		q.Index = "payouts_status"
		q.holds("status", IsNot, textValue(string(credit.PayoutSettled)))
	}
	q.is("merchant_id", f.Merchant)
	q.is("status", string(f.Status))
	return list(v, PayoutNoun, q)
}

// ListPayoutLines lists the lines that a payout includes, or with Waiting those waiting for
// the merchant, by (Due, ID) after the line with id AfterID.
func ListPayoutLines(v View, f LineFilter, p Page) ([]*credit.PayoutLine, error) {
	q := Query{From: PayoutLineNoun, Order: []string{"due_on", "id"}, Limit: max(p.Limit, 0), Index: "payout_lines_waiting"}
	if f.Payout != "" {
		q.Index = "payout_lines_payout"
		q.holds("payout_id", IsNot, Value{Null: true})
		q.is("payout_id", f.Payout)
	} else {
		q.holds("payout_id", Is, Value{Null: true})
		q.where("merchant_id", Is, textValue(f.Waiting))
	}
	q.Behind = p.AfterID
	return list(v, PayoutLineNoun, q)
}

// ListNotices lists adverse actions, newest first by (ActionAt, ID).
func ListNotices(v View, f NoticeFilter, p Page) ([]*credit.Notice, error) {
	q := newest(NoticeNoun, "action_at", p)
	null := Value{Null: true}
	switch {
	case f.Company != 0:
		q.Index = "notices_company"
	case !f.KeptBefore.IsZero():
		q.Index = "notices_kept"
	case f.Unsent:
		q.Index = "notices_waiting"
	case f.Late:
		q.Index = "notices_late"
	default:
		q.Index = "notices_action"
	}
	q.company(f.Company)
	if f.Late {
		q.holds("late", Is, Value{Kind: Bool, Int: 1})
	}
	if f.Unsent {
		q.holds("sent_at", Is, null)
		if f.DueFrom != calendar.None {
			q.where("due_on", AtLeast, dayValue(f.DueFrom))
		}
		if f.DueTo != calendar.None {
			q.where("due_on", AtMost, dayValue(f.DueTo))
		}
	}
	if !f.KeptBefore.IsZero() { // an action is never later than its notice
		q.holds("sent_at", IsNot, null)
		q.holds("erased_at", Is, null)
		q.until("action_at", f.KeptBefore)
		q.until("sent_at", f.KeptBefore)
	}
	return list(v, NoticeNoun, q)
}

// ListScreenings lists screenings, newest first by (OpenedAt, ID).
func ListScreenings(v View, f ScreeningFilter, p Page) ([]*credit.Screening, error) {
	q := newest(ScreeningNoun, "opened_at", p)
	switch {
	case f.Merchant != "":
		q.Index = "screenings_merchant"
		q.holds("merchant_id", IsNot, textValue(""))
	case f.Company != 0:
		q.Index = "screenings_company"
	case f.Status != "":
		q.Index = "screenings_status"
	default:
		q.Index = "screenings_opened"
	}
	q.company(f.Company)
	q.is("merchant_id", f.Merchant)
	q.is("status", string(f.Status))
	return list(v, ScreeningNoun, q)
}

// ListReceipts lists unidentified receipts, newest first by (CreatedAt, ID).
func ListReceipts(v View, f ReceiptFilter, p Page) ([]*credit.Receipt, error) {
	q := newest(ReceiptNoun, "created_at", p)
	if q.Index = "receipts_created"; f.Status != "" {
		q.Index = "receipts_status"
	}
	q.is("status", string(f.Status))
	return list(v, ReceiptNoun, q)
}

// ListClients lists a merchant's API clients, newest first; "" lists all.
func ListClients(v View, merchant string, p Page) ([]*credit.Client, error) {
	q := newest(ClientNoun, "created_at", p)
	q.is("merchant_id", merchant)
	return list(v, ClientNoun, q)
}

// ListEndpoints lists a merchant's endpoints that are not deleted, newest first; "" lists
// all.
func ListEndpoints(v View, merchant string, p Page) ([]*credit.Endpoint, error) {
	q := newest(EndpointNoun, "created_at", p)
	q.holds("deleted_at", Is, Value{Null: true})
	q.is("merchant_id", merchant)
	return list(v, EndpointNoun, q)
}

// ListCompanies lists companies linked to the merchant, newest first; "" lists all.
func ListCompanies(v View, merchant string, p Page) ([]*credit.Company, error) {
	if merchant != "" {
		return linked(v, merchant, p)
	}
	q, err := newestCompanies(CompanyNoun, p)
	if err != nil {
		return nil, err
	}
	return list(v, CompanyNoun, q)
}

// ListCompaniesIn lists companies with a status, newest first; "" lists all.
func ListCompaniesIn(v View, status credit.CompanyStatus, p Page) ([]*credit.Company, error) {
	q, err := newestCompanies(CompanyNoun, p)
	if err != nil {
		return nil, err
	}
	q.is("status", string(status))
	return list(v, CompanyNoun, q)
}

// newestCompanies is newest for a table with a company number as key.
func newestCompanies(from Source, p Page) (Query, error) {
	q := newest(from, "created_at", p)
	if q.Order[1] = "company_id"; q.After != nil {
		id, err := strconv.ParseInt(p.AfterID, 10, 64)
		if err != nil {
			return q, fmt.Errorf("list companies: %w", err)
		}
		q.After[1] = Value{Kind: Integer, Int: id}
	}
	return q, nil
}

// linked lists a merchant's companies: its links are in the order of the list.
func linked(v View, merchant string, p Page) ([]*credit.Company, error) {
	q, err := newestCompanies(RowsOf(&CompanyMerchants), p)
	if err != nil {
		return nil, err
	}
	q.is("merchant_id", merchant)
	links, err := rows[LinkRow](v, q)
	if err != nil {
		return nil, err
	}
	out, state, keys := make([]*credit.Company, len(links)), credit.NewState(), credit.Keys{}
	for _, l := range links {
		keys.Companies = append(keys.Companies, l.Company)
	}
	if err := v.Load(state, keys); err != nil {
		return nil, err
	}
	for i, l := range links {
		out[i] = state.Companies[l.Company]
	}
	return out, nil
}

// ListCompaniesByEmail lists at most limit companies whose record has the email address, in
// order of their numbers.
func ListCompaniesByEmail(v View, email string, limit int) ([]*credit.Company, error) {
	q := Query{From: CompanyNoun, Order: []string{"company_id"}, Limit: limit, Index: "companies_email"}
	q.holds("email_key", IsNot, Value{Null: true})
	q.where("email_key", Is, textValue(EmailKey(email)))
	return list(v, CompanyNoun, q)
}

// ListSuspendedCompanies lists companies that are SUSPENDED, newest first.
func ListSuspendedCompanies(v View, p Page) ([]*credit.Company, error) {
	q, err := newestCompanies(CompanyNoun, p)
	if err != nil {
		return nil, err
	}
	q.Index = "companies_suspended"
	q.holds("status", Is, textValue(string(credit.CompanySuspended)))
	return list(v, CompanyNoun, q)
}

// ListPausedCompanies lists companies whose autopay was paused by returned debits, whether
// it is on or off (F23), or whose cards were stopped by disputes (F25), newest first. It
// omits companies paused only by bankruptcy.
func ListPausedCompanies(v View, p Page) ([]*credit.Company, error) {
	return flaggedCompanies(v, "paused", p)
}

// ListUnscreenedCompanies lists companies with a name that has not been checked against a
// sanctions list yet, newest first (F29).
func ListUnscreenedCompanies(v View, p Page) ([]*credit.Company, error) {
	return flaggedCompanies(v, "unscreened", p)
}

func flaggedCompanies(v View, lookup string, p Page) ([]*credit.Company, error) {
	q, err := newestCompanies(CompanyNoun, p)
	if err != nil {
		return nil, err
	}
	return flagged(v, CompanyNoun, lookup, q)
}

// ListUnscreenedMerchants lists merchants with a name that has not been checked against a
// sanctions list yet, in order of their ids (F29).
func ListUnscreenedMerchants(v View) ([]*credit.Merchant, error) {
	return flagged(v, MerchantNoun, "unscreened", Query{From: MerchantNoun, Order: []string{"id"}, Limit: -1})
}

// ListSameAccount lists the methods with one account, oldest first, at most MaxSame
// (F41.1).
func ListSameAccount(v View, fingerprint string) ([]*credit.PaymentMethod, error) {
	q := Query{From: MethodNoun, Order: []string{"created_at", "id"}, Limit: MaxSame, Index: "payment_methods_account"}
	q.holds("fingerprint", IsNot, Value{Null: true})
	q.where("fingerprint", Is, textValue(fingerprint))
	return list(v, MethodNoun, q)
}

// ListRecords lists records of a kind, newest first by (CreatedAt, ID).
func ListRecords(v View, n credit.Noun, f RecordFilter, p Page) (out []credit.Record, err error) {
	t, err := RecordsOf(n)
	if err != nil {
		return nil, err
	}
	q := newest(RowsOf(t), "created_at", p)
	q.is("of_key", f.Of)
	q.company(f.Company)
	q.is("merchant_id", f.Merchant)
	q.is("status", f.Status)
	q.is("kind", f.Kind)
	if f.NotKind != "" {
		q.where("kind", IsNot, textValue(f.NotKind))
	}
	q.since("created_at", f.From)
	q.until("created_at", f.To)
	err = v.List(q, func(row any) error { out = append(out, row.(*RecordRow).Record); return nil })
	return out, err
}

// ListDueMails lists at most limit mails whose NextAt is at or before now: urgent ones
// first, then the others, each oldest first. Sign-in mail never waits behind statements.
func ListDueMails(v View, now time.Time, limit int) (out []Due, err error) {
	t, err := RecordsOf(credit.NounMail)
	if err != nil {
		return nil, err
	}
	for _, index := range []string{"mails_urgent", "mails_next"} {
		q := Query{From: RowsOf(t), Order: []string{"next_at", "id"}, Limit: max(limit-len(out), 0), Index: index}
		q.holds("next_at", IsNot, Value{Null: true})
		if index == "mails_urgent" {
			q.holds("kind", Is, textValue(urgent))
		} else {
			q.where("kind", Is, Value{Null: true})
		}
		q.where("next_at", AtMost, Micros(now))
		err := v.List(q, func(row any) error {
			h := row.(*RecordRow).Head()
			out = append(out, Due{ID: h.ID, At: h.NextAt})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ListAudits lists at most limit rows of the audit log below the commit sequence before,
// newest first.
func ListAudits(v View, f AuditFilter, before int64, limit int) ([]AuditRow, error) {
	low, high, err := f.Span(func(t time.Time) (int64, error) { return SeqAt(v, t) })
	if err != nil {
		return nil, fmt.Errorf("list audit: %w", err)
	}
	q := Query{From: RowsOf(&Audits), Order: []string{"q"}, Down: true, Limit: max(limit, 0), Index: ByKey} // the table is in order of q
	switch none := textValue(""); {
	case f.RequestID != "":
		q.Index = "audit_request"
		q.holds("request_id", IsNot, none)
	case f.Object != "":
		q.Index = "audit_object"
		q.holds("object", IsNot, none)
	case f.Company != 0:
		q.Index = "audit_company"
		q.holds("company_id", IsNot, Value{Kind: Integer})
	case f.Client != "":
		q.Index = "audit_client"
	}
	q.is("client_id", f.Client)
	q.is("merchant_id", f.Merchant)
	q.is("object", f.Object)
	q.is("command", f.Command)
	q.is("request_id", f.RequestID)
	q.company(f.Company)
	q.where("q", Above, Value{Kind: Integer, Int: low})
	q.where("q", AtMost, Value{Kind: Integer, Int: min(high, before-1)})
	return rows[AuditRow](v, q)
}

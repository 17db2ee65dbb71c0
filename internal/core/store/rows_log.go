package store

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// Book is the only book today. The commit sequence is kept per book, so that companies can
// be spread over several.
const Book = 1

// BookRow is the commit sequence of a book.
type BookRow struct {
	Head
	Book int64
}

// ClaimRow is a taken name.
type ClaimRow struct {
	credit.Claim
	Owner string
	Q     int64
}

// AuditRow is an audit record with its commit.
type AuditRow struct {
	Audit
	Q int64
}

// AnswerRow is a stored answer.
type AnswerRow struct {
	KeyID
	Answer
	Company int64
}

// SettingRow is a small named value of the deployment.
type SettingRow struct {
	Name  string
	Value []byte
}

// Books is the table of commit sequences.
var Books = Table[BookRow]{
	Name: "books", Key: 1,
	Columns: []Column[BookRow]{
		integer("book", func(r *BookRow) *int64 { return &r.Book }),
		integer("q", func(r *BookRow) *int64 { return &r.Q }),
		fixed("hash", func(r *BookRow) []byte { return r.Hash[:] }),
		instant("at", func(r *BookRow) *time.Time { return &r.At }),
		day("business_date", func(r *BookRow) *calendar.Date { return &r.BusinessDate }),
		integer("epoch", func(r *BookRow) *int64 { return &r.Epoch }),
	},
}

// Batches is the append-only table of batches. A tombstone bars a batch whose outcome was
// unknown, and has no commits (EN5).
var Batches = Table[BatchRow]{
	Name: "batches", Key: 1,
	Columns: []Column[BatchRow]{
		fixed("id", func(r *BatchRow) []byte { return r.ID[:] }),
		text("node", func(r *BatchRow) *string { return &r.Node }),
		integer("first_q", func(r *BatchRow) *int64 { return &r.FirstQ }),
		integer("last_q", func(r *BatchRow) *int64 { return &r.LastQ }),
		instant("at", func(r *BatchRow) *time.Time { return &r.At }),
		day("business_date", func(r *BatchRow) *calendar.Date { return &r.BusinessDate }),
		integer("rules", func(r *BatchRow) *int { return &r.Rules }),
		text("wire", func(r *BatchRow) *string { return &r.Wire }),
		fixed("digest", func(r *BatchRow) []byte { return r.Digest[:] }),
		fixed("hash", func(r *BatchRow) []byte { return r.Hash[:] }),
		boolean("tombstone", func(r *BatchRow) *bool { return &r.Tombstone }),
	},
}

// Events is the append-only table of events. SQL databases keep its rows packed in the audit
// log (Told).
var Events = Table[EventRow]{
	Name: "events", Key: 2,
	Columns: []Column[EventRow]{
		integer("q", func(r *EventRow) *int64 { return &r.Q }),
		integer("n", func(r *EventRow) *int { return &r.N }),
		text("id", func(r *EventRow) *string { return &r.ID }),
		text("type", func(r *EventRow) *credit.EventType { return &r.Type }),
		text("object_type", func(r *EventRow) *string { return &r.Object.Type }),
		text("object_id", func(r *EventRow) *string { return &r.Object.ID }),
		integer("sequence", func(r *EventRow) *int64 { return &r.Sequence }),
		integer("company_id", func(r *EventRow) *int64 { return &r.Company }),
		text("merchant_id", func(r *EventRow) *string { return &r.Merchant }),
		nested("readers", func(r *EventRow) *[]string { return &r.Readers }),
		instant("at", func(r *EventRow) *time.Time { return &r.At }),
		rawJSON("payload", func(r *EventRow) *[]byte { return &r.Payload }),
	},
}

// Claims is the table of taken names.
var Claims = Table[ClaimRow]{
	Name: "claims", Key: 3,
	Columns: []Column[ClaimRow]{
		text("kind", func(r *ClaimRow) *credit.ClaimKind { return &r.Kind }),
		text("scope", func(r *ClaimRow) *string { return &r.Scope }),
		text("name", func(r *ClaimRow) *string { return &r.Name }),
		text("owner", func(r *ClaimRow) *string { return &r.Owner }),
		integer("q", func(r *ClaimRow) *int64 { return &r.Q }),
	},
}

// Audits is the append-only audit log.
var Audits = Table[AuditRow]{
	Name: "audit", Key: 1,
	Columns: []Column[AuditRow]{
		integer("q", func(r *AuditRow) *int64 { return &r.Q }),
		instant("at", func(r *AuditRow) *time.Time { return &r.At }),
		text("client_id", func(r *AuditRow) *string { return &r.Actor.Client }),
		text("merchant_id", func(r *AuditRow) *string { return &r.Actor.Merchant }),
		boolean("operator", func(r *AuditRow) *bool { return &r.Actor.Operator }),
		text("request_id", func(r *AuditRow) *string { return &r.Actor.RequestID }),
		text("idempotency_key", func(r *AuditRow) *string { return &r.Actor.Key }),
		text("address", func(r *AuditRow) *string { return &r.Address }),
		integer("company_id", func(r *AuditRow) *int64 { return &r.Company }),
		text("object", func(r *AuditRow) *string { return &r.Object }),
		text("command", func(r *AuditRow) *string { return &r.Command }),
		rawJSON("payload", func(r *AuditRow) *[]byte { return &r.Payload }),
		fixed("seed", func(r *AuditRow) []byte { return r.Seed[:] }),
		text("result", func(r *AuditRow) *string { return &r.Result }),
		fixed("body_hash", func(r *AuditRow) []byte { return r.BodyHash[:] }),
	},
}

// LoggedRow is an audit record as SQL databases store it: with what the command told others.
type LoggedRow struct {
	AuditRow
	Told []byte // packed
}

// Logged is the audit log as SQL databases store it.
var Logged = Table[LoggedRow]{
	Name: "audit", Key: 1,
	Columns: append(lift(Audits.Columns, func(r *LoggedRow) *AuditRow { return &r.AuditRow }),
		optionalBytesOf("told", func(r *LoggedRow) *[]byte { return &r.Told })),
}

// Idempotency is the table of stored answers. SQL databases keep only those whole that are
// sealed, or older than the form: the others stand in the audit log, and AnswerKeys finds them.
var Idempotency = Table[AnswerRow]{
	Name: "idempotency", Key: 2,
	Columns: []Column[AnswerRow]{
		text("client_id", func(r *AnswerRow) *string { return &r.Client }),
		text("key", func(r *AnswerRow) *string { return &r.Key }),
		fixed("request", func(r *AnswerRow) []byte { return r.Request[:] }),
		integer("status", func(r *AnswerRow) *int { return &r.Status }),
		optionalBytesOf("body", func(r *AnswerRow) *[]byte { return &r.Body }),
		text("content_type", func(r *AnswerRow) *string { return &r.ContentType }),
		text("location", func(r *AnswerRow) *string { return &r.Location }),
		text("etag", func(r *AnswerRow) *string { return &r.ETag }),
		integer("q", func(r *AnswerRow) *int64 { return &r.Q }),
		instant("at", func(r *AnswerRow) *time.Time { return &r.At }),
		integer("company_id", func(r *AnswerRow) *int64 { return &r.Company }),
		boolean("sealed", func(r *AnswerRow) *bool { return &r.Sealed }),
	},
}

// AnswerKeys are the columns of Idempotency that SQL databases write for an answer in the log.
// Keys come from callers in no order, so each row is on a page of its own: it must be short.
var AnswerKeys = Table[AnswerRow]{
	Name: Idempotency.Name, Key: 2,
	Columns: []Column[AnswerRow]{
		text("client_id", func(r *AnswerRow) *string { return &r.Client }),
		text("key", func(r *AnswerRow) *string { return &r.Key }),
		integer("q", func(r *AnswerRow) *int64 { return &r.Q }),
	},
}

// InLog completes the row of an answer that stands in the log. At is when its command was
// decided. An answer that cannot be read has no status: it concerns who asks for it, and nobody
// else whose command is in the same batch.
func (r *AnswerRow) InLog(told []byte, at time.Time) {
	t, err := Unpack(told, r.Q, at)
	if err != nil || t.Answer == nil {
		r.Answer = Answer{Q: r.Q, At: at}
		return
	}
	r.Answer = *t.Answer
}

// Tokens is the table of access tokens.
var Tokens = Table[TokenRow]{
	Name: "tokens", Key: 1,
	New: func() *TokenRow { return &TokenRow{Token: new(credit.Token)} },
	Columns: []Column[TokenRow]{
		fixed("hash", func(r *TokenRow) []byte { return r.Hash[:] }),
		text("client_id", func(r *TokenRow) *string { return &r.Client }),
		nested("scopes", func(r *TokenRow) *[]string { return &r.Scopes }),
		instant("expires_at", func(r *TokenRow) *time.Time { return &r.ExpiresAt }),
		instant("revoked_at", func(r *TokenRow) *time.Time { return &r.RevokedAt }),
		integer("q", func(r *TokenRow) *int64 { return &r.Q }),
	},
}

// Settings is the table of small named values.
var Settings = Table[SettingRow]{
	Name: "settings", Key: 1,
	Columns: []Column[SettingRow]{
		text("name", func(r *SettingRow) *string { return &r.Name }),
		bytesOf("value", func(r *SettingRow) *[]byte { return &r.Value }),
	},
}

// Schemas lists every table in dump order.
func Schemas() []Schema {
	out := []Schema{
		Books.Schema(), Batches.Schema(), Merchants.Schema(), Programs.Schema(), Companies.Schema(),
		CompanyHistory.Schema(), CompanyMerchants.Schema(), Orders.Schema(), OrderHistory.Schema(), Loans.Schema(),
		Installments.Schema(), Fees.Schema(), Payments.Schema(), Invoices.Schema(), Credits.Schema(),
		MoneyEvents.Schema(), MoneyTouches.Schema(), Entries.Schema(), Postings.Schema(), Balances.Schema(), DayTotals.Schema(), DueTotals.Schema(),
		Events.Schema(), Claims.Schema(), Audits.Schema(), Idempotency.Schema(), Clients.Schema(), Tokens.Schema(),
		Settings.Schema(), EventReaders.Schema(), EventObjects.Schema(), Endpoints.Schema(), EndpointHistory.Schema(), Resends.Schema(),
		Deliveries.Schema(), Attempts.Schema(), Cursors.Schema(), Leases.Schema(),
		PaymentMethods.Schema(), Transfers.Schema(), Payouts.Schema(), PayoutLines.Schema(), Notices.Schema(),
		Periods.Schema(), BankFiles.Schema(), BankEntries.Schema(), BankNotices.Schema(), BankLineTable.Schema(), BankMatches.Schema(), CashItems.Schema(),
		Lenders.Schema(), Screenings.Schema(), Receipts.Schema(), Positions.Schema(), SignedHeads.Schema(),
	}
	for _, t := range RecordTables {
		out = append(out, t.Table.Schema())
	}
	return append(out, Vault.Schema(), ScratchTable.Schema())
}

// SQLSchemas lists every table in dump order as SQL databases have it.
func SQLSchemas() []Schema {
	var out []Schema
	for _, s := range Schemas() {
		switch s.Name {
		case Events.Name: // packed in the audit log
		case Audits.Name:
			out = append(out, Logged.Schema())
		default:
			out = append(out, s)
		}
	}
	return out
}

// FirstBook is the commit sequence of an empty database.
func FirstBook() BookRow {
	return BookRow{Book: Book, Head: Head{BusinessDate: calendar.None, Epoch: 1}}
}

// Tombstone is the row that bars a batch.
func Tombstone(id BatchID) BatchRow {
	return BatchRow{ID: id, BusinessDate: calendar.None, Tombstone: true}
}

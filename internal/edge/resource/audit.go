package resource

import (
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/core/store"
	"tenor/internal/domain/journal"
)

// AuditRow is a row of the audit log: one decided command.
type AuditRow struct {
	CommitSeq  int64                     `json:"commit_seq" doc:"Its position in the order of all decisions." example:"1734"`
	At         time.Time                 `json:"at" doc:"When it was decided, by the business clock." example:"2026-01-15T16:00:00Z"`
	ClientID   string                    `json:"client_id" doc:"Requested by: an API client, or Tenor itself." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	MerchantID *string                   `json:"merchant_id" nullable:"true" doc:"The client's merchant; null: the lender." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Address    *string                   `json:"address" nullable:"true" doc:"IP address of the request." example:"192.0.2.7"`
	RequestID  *string                   `json:"request_id" nullable:"true" doc:"The X-Request-Id." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	Command    string                    `json:"command" doc:"The command." example:"company.update"`
	Object     *string                   `json:"object" nullable:"true" doc:"ID of the object created or changed; null if rejected." example:"4821073356"`
	CompanyID  *int64                    `json:"company_id" nullable:"true" doc:"The company it is about." example:"4821073356"`
	Result     string                    `json:"result" doc:"ok, or the code of the rejection." example:"ok"`
	Reason     *string                   `json:"reason" nullable:"true" doc:"Reason given by the requester." example:"audited accounts of 2025"`
	ApprovalID *string                   `json:"approval_id" nullable:"true" doc:"The approval as which it was done: client_id has approved what somebody else requested." example:"null"`
	Alone      bool                      `json:"alone" doc:"A staff member did alone what takes two people where approvals are required." example:"false"`
	Was        map[string]jsontext.Value `json:"was" doc:"Changed members before the change, by record." example:"{\"company 4821073356\":{\"limit\":\"25000.00\"}}"`
	Is         map[string]jsontext.Value `json:"is" doc:"The same members after the change; all members of an API client." example:"{\"company 4821073356\":{\"limit\":\"40000.00\"}}"`
	Act        map[string]jsontext.Value `json:"act" doc:"The command itself, without encrypted values, secret hashes and account fingerprints." example:"{\"company\":4821073356}"`
}

// NewAuditRow returns the resource of a row.
func NewAuditRow(a *store.AuditRow) AuditRow {
	command, told, err := journal.SplitAct(a.Payload)
	if err != nil { // a form that this program does not know; verify reports it
		command, told = nil, journal.Told{}
	}
	w := AuditRow{
		CommitSeq: a.Q, At: instant(a.At), ClientID: a.Actor.Client, MerchantID: textIn(&a.Actor.Merchant), Address: textIn(&a.Address),
		RequestID: textIn(&a.Actor.RequestID), Command: a.Command, Object: textIn(&a.Object), Result: a.Result, Reason: textIn(&told.Reason), ApprovalID: textIn(&told.Approval), Alone: told.Alone,
		Was: shown(told.Was), Is: shown(told.Is), Act: actOf(command),
	}
	if a.Company != 0 {
		w.CompanyID = &a.Company
	}
	return w
}

func shown(records map[string]journal.Members) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	for name, m := range records { // unordered: into a map
		out[name] = encoded(journal.Shown(m))
	}
	return out
}

// actOf is a command as it may be shown.
func actOf(payload []byte) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	for name, value := range journal.ShownCommand(payload) { // unordered: into a map
		out[name] = jsontext.Value(value)
	}
	return out
}

// encoded encodes maps of JSON in name order.
func encoded(x any) jsontext.Value {
	b, err := json.Marshal(x)
	if err != nil {
		panic(err) // members of JSON that was read
	}
	return b
}

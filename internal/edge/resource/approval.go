package resource

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Approval is an act of the lender's that waits for a second person, or has.
type Approval struct {
	ID          string                    `json:"id" doc:"Identifier of the approval." example:"apv_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Status      string                    `json:"status" enum:"WAITING,APPROVED,DECLINED,WITHDRAWN,EXPIRED" doc:"Waiting; approved and done; declined by somebody else; withdrawn by whoever requested it; not decided within 72 hours." example:"WAITING"`
	Command     string                    `json:"command" doc:"What was requested, by its name in the audit log." example:"order.refund"`
	ObjectType  *string                   `json:"object_type" nullable:"true" doc:"What it changes; null if it makes something new." example:"order"`
	Object      *string                   `json:"object" nullable:"true" doc:"Identifier of that." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Permission  string                    `json:"permission" doc:"Permission that it takes of both people." example:"payments:refund"`
	Amount      money.Amount              `json:"amount" doc:"What counts against the limit for acting alone." example:"1250.00"`
	Act         map[string]jsontext.Value `json:"act" doc:"The command itself, without encrypted values, secret hashes and account fingerprints." example:"{\"amount\":\"1250.00\"}"`
	Reason      *string                   `json:"reason" nullable:"true" doc:"Reason given with the request." example:"goods returned"`
	RequestedBy string                    `json:"requested_by" doc:"Staff member or API client." example:"cli_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	DecidedBy   *string                   `json:"decided_by" nullable:"true" doc:"Who approved, declined or withdrew it." example:"stf_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	Note        *string                   `json:"note" nullable:"true" doc:"Reason given with the decision." example:"agreed by phone"`
	ExpiresAt   *time.Time                `json:"expires_at" nullable:"true" doc:"Until when it can be approved; null once it has ended." example:"2026-01-18T15:00:00Z"`
	CreatedAt   time.Time                 `json:"created_at" doc:"When it was requested." example:"2026-01-15T15:00:00Z"`
	UpdatedAt   time.Time                 `json:"updated_at" doc:"When it last changed." example:"2026-01-15T15:00:00Z"`
	Version     int                       `json:"version" doc:"Increases with each change." example:"1"`
	Secret      *string                   `json:"secret" nullable:"true" doc:"For a new client, or a client's new secret: shown once, with the request. It works once that is approved." example:"null"`
}

// NewApproval returns the resource of an approval. The secret is one that works once it is
// approved, "" if there is none.
func NewApproval(x *credit.Approval, secret string) Approval {
	kind, id, _ := strings.Cut(x.Of, "/")
	reason, note, by := x.Reason, x.Note, x.Checker
	return Approval{
		ID: x.ID, Status: x.Status, Command: x.Act, ObjectType: textIn(&kind), Object: textIn(&id), Permission: string(x.Permission), Amount: x.Amount, Act: actOf([]byte(x.Payload)),
		Reason: textIn(&reason), RequestedBy: x.Maker, DecidedBy: textIn(&by), Note: textIn(&note), ExpiresAt: instantIn(&x.NextAt),
		CreatedAt: instant(x.CreatedAt), UpdatedAt: instant(x.UpdatedAt), Version: x.Version, Secret: textIn(&secret),
	}
}

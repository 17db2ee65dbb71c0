package resource

import "time"

// SandboxSnapshot is a copy of a whole sandbox.
type SandboxSnapshot struct {
	ID        string    `json:"id" doc:"Identifier of the snapshot." example:"snp_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
	Name      *string   `json:"name" nullable:"true" doc:"Name." example:"before the refund"`
	CreatedAt time.Time `json:"created_at" doc:"When it was taken, by the machine's clock." example:"2026-02-13T15:00:00Z"`
	Clock     time.Time `json:"clock" doc:"Business time of the snapshot." example:"2026-04-01T14:00:00Z"`
	Size      int64     `json:"size" doc:"Its size in bytes." example:"1228800"`
}

// SandboxSeed is the starting point of the demo data.
type SandboxSeed struct {
	MerchantID string `json:"merchant_id" doc:"The demo merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
}

// SandboxScenario is a story that can be played.
type SandboxScenario struct {
	Name    string `json:"name" doc:"Its name." example:"nsf-then-cure"`
	Purpose string `json:"purpose" doc:"What it shows." example:"The first debit comes back for insufficient funds, the retry settles, and the next autopay collects the fee."`
}

// SandboxLine is one line of a running scenario: a call with its response or, at the end,
// the result. Its members depend on which.
type SandboxLine struct {
	Scenario string `json:"scenario" doc:"Name of the scenario." example:"nsf-then-cure"`
}

package resource

import "time"

// SandboxClock is the business clock of a sandbox.
type SandboxClock struct {
	Now       time.Time        `json:"now" doc:"What the clock shows." example:"2026-02-13T15:00:00Z"`
	Frozen    bool             `json:"frozen" doc:"Whether the clock is stopped." example:"true"`
	Status    string           `json:"status" enum:"ready,advancing" doc:"Whether the clock is advancing." example:"ready"`
	Target    *time.Time       `json:"target" nullable:"true" doc:"Target of the last move; null before the first." example:"2026-02-17T15:00:00Z"`
	Progress  *SandboxProgress `json:"progress" nullable:"true" doc:"Progress of the last move; null before the first."`
	NextEvent *SandboxEvent    `json:"next_event" nullable:"true" doc:"Next event due by time alone; null if none."`
	Failed    bool             `json:"failed" doc:"Whether the last move stopped early; see the server's log." example:"false"`
}

// SandboxProgress is the progress of a clock advance.
type SandboxProgress struct {
	DaysDone  int `json:"days_done" doc:"Days advanced." example:"2"`
	DaysTotal int `json:"days_total" doc:"Days in total." example:"4"`
}

// SandboxEvent is what is due next.
type SandboxEvent struct {
	At     time.Time `json:"at" doc:"When." example:"2026-02-13T21:00:00Z"`
	Type   string    `json:"type" doc:"Kind of object." example:"transfer"`
	Object string    `json:"object" doc:"Its identifier." example:"trf_01KB0A4E7WAN3R1P9M8K6J4H2G"`
}

// Sandbox is the rules that decide outcomes in a sandbox.
type Sandbox struct {
	Outcomes []SandboxOutcome `json:"outcomes" doc:"Tax IDs with a fixed application outcome."`
}

// SandboxOutcome is a tax ID and the outcome it produces.
type SandboxOutcome struct {
	EIN     string `json:"ein" doc:"Tax ID." example:"00-0000001"`
	Outcome string `json:"outcome" doc:"What happens." example:"Approved, tier A, line $25,000.00."`
}

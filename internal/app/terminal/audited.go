package terminal

import (
	"tenor/client"
)

// Audited is a change that the audit log tells the reason of.
type Audited struct {
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the audit log."`
}

// WithReason adds the reason to what a call is made with.
func (x Audited) WithReason(o []client.Option) []client.Option {
	return append(o, client.Because(x.Reason))
}

// AuditedBeside is audited where --reason is what a company is told.
type AuditedBeside struct {
	Because string `required:"" placeholder:"TEXT" help:"Reason, for the audit log; not shown to the company."`
}

// WithReason adds the reason to what a call is made with.
func (x AuditedBeside) WithReason(o []client.Option) []client.Option {
	return append(o, client.Because(x.Because))
}

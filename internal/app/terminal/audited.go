package terminal

import (
	"tenor/client"
)

// Audited is a change with a reason for the audit log.
type Audited struct {
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the audit log."`
}

// WithReason adds the reason to the options of a call.
func (x Audited) WithReason(o []client.Option) []client.Option {
	return append(o, client.Because(x.Reason))
}

// AuditedBeside is Audited for commands where --reason is what the company is told.
type AuditedBeside struct {
	Because string `required:"" placeholder:"TEXT" help:"Reason, for the audit log; not shown to the company."`
}

// WithReason adds the reason to the options of a call.
func (x AuditedBeside) WithReason(o []client.Option) []client.Option {
	return append(o, client.Because(x.Because))
}

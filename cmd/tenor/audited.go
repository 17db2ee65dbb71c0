package main

import "tenor/client"

// audited is a change that the audit log tells the reason of.
type audited struct {
	Reason string `required:"" placeholder:"TEXT" help:"Why, for the audit log."`
}

func (x audited) because(o []client.Option) []client.Option {
	return append(o, client.Because(x.Reason))
}

// auditedBeside is audited where --reason is what a company is told.
type auditedBeside struct {
	Because string `required:"" placeholder:"TEXT" help:"Why, for the audit log; the company does not see it."`
}

func (x auditedBeside) because(o []client.Option) []client.Option {
	return append(o, client.Because(x.Because))
}

package operate

import (
	"context"
	"strconv"
	"time"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// auditNoun is how rows of the audit log are printed.
func auditNoun() terminal.Noun[client.AuditRow] {
	return terminal.Noun[client.AuditRow]{
		Head: []string{">SEQ", "AT", "CLIENT", "FROM", "COMMAND", "OBJECT", "RESULT", "REASON"},
		Row: func(x *client.AuditRow) []any {
			object := x.Object
			if object == "" && x.CompanyID != 0 {
				object = strconv.FormatInt(x.CompanyID, 10)
			}
			return []any{strconv.FormatInt(x.CommitSeq, 10), x.At, x.ClientID, terminal.Maybe(x.Address), x.Command, terminal.Maybe(object), x.Result, terminal.Maybe(x.Reason)}
		},
		Key: func(x *client.AuditRow) string { return strconv.FormatInt(x.CommitSeq, 10) },
	}
}

// AuditCommand is the command "audit".
type AuditCommand struct {
	terminal.Remote
	terminal.Paging
	Client   string    `placeholder:"ID" help:"Requested by this client: cli_…"`
	Merchant string    `placeholder:"ID" help:"Requested by any client of this merchant." complete:"merchant"`
	Company  int64     `placeholder:"ID" help:"About this company." complete:"company"`
	Object   string    `placeholder:"ID" help:"Created or changed this object."`
	Command  string    `placeholder:"NAME" help:"Commands with this name, such as company.update."`
	Request  string    `placeholder:"ID" help:"Done by this API request: req_…"`
	From     time.Time `placeholder:"TIME" help:"At or after this instant, such as 2026-01-15T00:00:00Z."`
	To       time.Time `placeholder:"TIME" help:"Before this instant."`
}

func (AuditCommand) Examples() []string {
	return []string{"audit --company 1000000001", "audit --client cli_… --from 2026-01-15T00:00:00Z --all --json", "audit --command client.roll"}
}

func (c *AuditCommand) Run(ctx context.Context, a *terminal.App) error {
	f := client.AuditFilter{
		ClientID: c.Client, MerchantID: c.Merchant, CompanyID: c.Company, Object: c.Object, Command: c.Command, RequestID: c.Request, From: c.From, To: c.To,
	}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, auditNoun(), f, (*client.Client).ListAudit)
}

package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/signin"
)

// staffFlags open a database to look after the lender's staff, alongside any running server.
type staffFlags struct {
	terminal.Output
	local.DatabaseFlags
	node.KeyFlags
}

// within opens the database, and closes it again.
func (f *staffFlags) within(ctx context.Context, a *terminal.App, do func(*signin.Desk) error) (err error) {
	at, err := f.Need(a)
	if err != nil {
		return err
	}
	desk, end, err := node.Staff(ctx, at, f.KeyFile, a.Wall, node.QuietLog(a.Err))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	err = do(desk)
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		return &exit.Failure{Code: exit.Refused, Text: refused.Detail}
	}
	return err
}

// staffShown is a staff member as --json prints it.
type staffShown struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Email    string        `json:"email"`
	Roles    []permit.Role `json:"roles"`
	Status   string        `json:"status"`
	SignedIn *time.Time    `json:"last_sign_in_at"`
	Created  time.Time     `json:"created_at"`
}

func shownStaff(m signin.Member) staffShown {
	x := staffShown{ID: m.Staff.ID, Name: m.Name, Email: m.Email, Roles: m.Staff.Roles, Status: m.Staff.Status, Created: m.Staff.CreatedAt}
	if !m.Staff.SignedIn.IsZero() {
		x.SignedIn = &m.Staff.SignedIn
	}
	return x
}

// StaffList is the command "staff list".
type StaffList struct{ staffFlags }

func (StaffList) Examples() []string {
	return []string{"staff list --data ./tenor-data", "staff list --database postgres://tenor@localhost:5432/tenor --key-file tenor.key --json"}
}

func (c *StaffList) Run(ctx context.Context, a *terminal.App) error {
	return c.within(ctx, a, func(d *signin.Desk) error {
		all, err := d.Members(ctx)
		if err != nil {
			return err
		}
		list, t := make([]staffShown, 0, len(all)), terminal.NewTable("NAME", "EMAIL", "ROLES", "STATUS", "LAST SIGN-IN UTC", "ID")
		for _, m := range all {
			x := shownStaff(m)
			list = append(list, x)
			seen := "never"
			if x.SignedIn != nil {
				seen = x.SignedIn.UTC().Format("2006-01-02 15:04")
			}
			t.Row(x.Name, x.Email, joined(x.Roles), x.Status, seen, x.ID)
			if c.Quiet {
				fmt.Fprintln(a.Out, x.ID)
			}
		}
		switch {
		case c.JSON:
			return encoded(a, map[string]any{"data": list})
		case c.Quiet:
			return nil
		}
		if len(all) == 0 {
			c.Say(a, "Nobody has been invited yet: %s staff invite EMAIL --name NAME --role admin", a.Program)
			return nil
		}
		return c.Table(a, t)
	})
}

func joined(roles []permit.Role) string {
	var out []string
	for _, r := range roles {
		out = append(out, string(r))
	}
	return strings.Join(out, ", ")
}

func encoded(a *terminal.App, x any) error {
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return terminal.Document(a.Out, b)
}

// asked is who uses this machine.
func asked(reason string) signin.By {
	return signin.By{Address: "uid " + strconv.Itoa(os.Getuid()), Reason: reason}
}

// StaffInvite is the command "staff invite".
type StaffInvite struct {
	staffFlags
	Email     string   `arg:"" help:"E-mail address."`
	FullName  string   `name:"name" placeholder:"NAME" help:"Name, as colleagues know it. Required for somebody new."`
	Roles     []string `name:"role" placeholder:"ROLE,…" help:"Roles, such as finance,collections. Required for somebody new."`
	PublicURL string   `name:"public-url" env:"TENOR_PUBLIC_URL" default:"http://localhost:8080" placeholder:"URL" help:"Public URL of the server, for the link."`
	Sent      bool     `help:"The link is sent to somebody: it works for 48 hours instead of 30 minutes."`
	Reason    string   `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (StaffInvite) Examples() []string {
	return []string{
		"staff invite ada@lender.example --name 'Ada Novak' --role admin --data ./tenor-data",
		"staff invite finn@lender.example --name 'Finn Ives' --role finance,collections --sent --public-url https://pay.lender.example --data ./tenor-data",
	}
}

func (c *StaffInvite) Run(ctx context.Context, a *terminal.App) error {
	if at, err := mail.ParseAddress(c.Email); err != nil || at.Address != c.Email {
		return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%q is not an e-mail address", c.Email)}
	}
	roles, err := rolesOf(c.Roles)
	if err != nil {
		return err
	}
	return c.within(ctx, a, func(d *signin.Desk) error {
		contact, known, err := d.Known(ctx, c.Email)
		if err != nil {
			return err
		}
		if !known && (c.FullName == "" || len(roles) == 0) {
			return &exit.Failure{Code: exit.Usage, Text: c.Email + " is new: give --name and --role"}
		}
		if c.FullName != "" || !known {
			contact = signin.Contact{Email: c.Email, Name: c.FullName}
		}
		life := staff.PrintedLink
		if c.Sent {
			life = staff.SentLink
		}
		m, path, err := d.Invite(ctx, signin.Invitation{Contact: contact, Roles: roles, Life: life}, asked(c.Reason))
		if err != nil {
			return err
		}
		link := strings.TrimSuffix(c.PublicURL, "/") + path
		if c.JSON {
			return encoded(a, struct {
				staffShown
				Link string    `json:"link"`
				End  time.Time `json:"link_expires_at"`
			}{shownStaff(signin.Member{Staff: m, Contact: contact}), link, m.LinkEnd})
		}
		c.Say(a, "%s, %s. The link works once, until %s UTC:", m.ID, joined(m.Roles), m.LinkEnd.UTC().Format("2006-01-02 15:04"))
		_, err = fmt.Fprintln(a.Out, link)
		return err
	})
}

// rolesOf reads roles.
func rolesOf(names []string) (out []permit.Role, err error) {
	for _, n := range names {
		if !slices.Contains(permit.Roles(), permit.Role(n)) {
			return nil, &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("there is no role %q", n), Hint: "Roles: " + joined(permit.Roles()) + "."}
		}
		out = append(out, permit.Role(n))
	}
	return out, nil
}

// change finds a member, submits a change, and prints the member.
func (f *staffFlags) change(ctx context.Context, a *terminal.App, who, reason string, made func(id string) credit.Command, said string) error {
	return f.within(ctx, a, func(d *signin.Desk) error {
		m, err := d.Find(ctx, who)
		if err != nil {
			return err
		}
		if m == nil {
			return &exit.Failure{Code: exit.NotFound, Text: "nobody on the staff has the e-mail or ID " + who, Hint: a.Then("List them:", "staff list")}
		}
		if m, err = d.Change(ctx, made(m.ID), asked(reason)); err != nil {
			return err
		}
		switch {
		case f.JSON:
			contact, err := d.ContactOf(ctx, m)
			if err != nil {
				return err
			}
			return encoded(a, shownStaff(signin.Member{Staff: m, Contact: contact}))
		case f.Quiet:
			_, err := fmt.Fprintln(a.Out, m.ID)
			return err
		}
		f.Say(a, said, who)
		return nil
	})
}

// StaffRoles is the command "staff roles".
type StaffRoles struct {
	staffFlags
	Who    string   `arg:"" help:"E-mail address, or stf_…."`
	Roles  []string `name:"role" required:"" placeholder:"ROLE,…" help:"The new roles."`
	Reason string   `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (StaffRoles) Examples() []string {
	return []string{"staff roles finn@lender.example --role finance --data ./tenor-data"}
}

func (c *StaffRoles) Run(ctx context.Context, a *terminal.App) error {
	roles, err := rolesOf(c.Roles)
	if err != nil {
		return err
	}
	return c.change(ctx, a, c.Who, c.Reason, func(id string) credit.Command { return staff.SetRoles{Member: id, Roles: roles} }, "%s has the new roles and has to sign in again.")
}

// StaffSuspend is the command "staff suspend".
type StaffSuspend struct {
	staffFlags
	Who    string `arg:"" help:"E-mail address, or stf_…."`
	Reason string `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (StaffSuspend) Examples() []string {
	return []string{"staff suspend finn@lender.example --reason 'left the company' --data ./tenor-data"}
}

func (c *StaffSuspend) Run(ctx context.Context, a *terminal.App) error {
	return c.change(ctx, a, c.Who, c.Reason, func(id string) credit.Command { return staff.Suspend{Member: id} }, "%s is suspended and signed out.")
}

// StaffReinstate is the command "staff reinstate".
type StaffReinstate struct {
	staffFlags
	Who    string `arg:"" help:"E-mail address, or stf_…."`
	Reason string `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (StaffReinstate) Examples() []string {
	return []string{"staff reinstate finn@lender.example --data ./tenor-data"}
}

func (c *StaffReinstate) Run(ctx context.Context, a *terminal.App) error {
	return c.change(ctx, a, c.Who, c.Reason, func(id string) credit.Command { return staff.Suspend{Member: id, Lift: true} }, "%s can sign in again.")
}

package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/terminal"
	"tenor/internal/core/store"
)

// dbStep is a migration as --json prints it.
type dbStep struct {
	Migration string `json:"migration"`
	State     string `json:"state"` // done or pending
}

func dbStepOf(m store.Migration) dbStep {
	if m.Done {
		return dbStep{m.Name, "done"}
	}
	return dbStep{m.Name, "pending"}
}

// showSteps prints migrations as a table, their names alone, or one document.
func showSteps(a *terminal.App, o terminal.Output, list []store.Migration) error {
	steps := make([]dbStep, len(list))
	t := terminal.NewTable("MIGRATION", "STATE")
	for i, m := range list {
		steps[i] = dbStepOf(m)
		t.Row(steps[i].Migration, steps[i].State)
	}
	switch {
	case o.JSON:
		b, err := json.Marshal(struct {
			Data []dbStep `json:"data"`
		}{steps})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	case o.Quiet:
		for _, s := range steps {
			fmt.Fprintln(a.Out, s.Migration)
		}
		return nil
	}
	return o.Table(a, t)
}

// pendingOf drops the migrations that are done.
func pendingOf(list []store.Migration) []store.Migration {
	return slices.DeleteFunc(slices.Clone(list), func(m store.Migration) bool { return m.Done })
}

// DBStatus is the command "db status".
type DBStatus struct {
	terminal.Output
	local.DatabaseFlags
}

func (DBStatus) Examples() []string {
	return []string{"db status --data ./data", "db status --database postgres://tenor@localhost:5432/tenor"}
}

// Run is called by the parser. It changes nothing, so servers may be running.
func (c *DBStatus) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	list, err := at.Migrations(ctx)
	if err != nil {
		return err
	}
	if err := showSteps(a, c.Output, list); err != nil {
		return err
	}
	if n := len(pendingOf(list)); n > 0 {
		c.Say(a, "%s", a.Then(fmt.Sprintf("%d pending. tenor serve runs them, or:", n), "db migrate"+at.Flag()))
	}
	return nil
}

// DBMigrate is the command "db migrate".
type DBMigrate struct {
	terminal.Output
	local.DatabaseFlags
	DryRun bool `name:"dry-run" help:"Print the plan and change nothing."`
}

func (DBMigrate) Examples() []string {
	return []string{"db migrate --data ./data", "db migrate --database postgres://tenor@localhost:5432/tenor --dry-run"}
}

// Run is called by the parser. With PostgreSQL, servers of this and the previous release may be
// running; a data directory must not be in use.
func (c *DBMigrate) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	if c.DryRun {
		list, err := at.Migrations(ctx)
		if err != nil {
			return err
		}
		return c.preview(a, pendingOf(list))
	}
	var done []store.Migration
	err = at.Migrate(ctx, func(name string) {
		c.Say(a, "Migration %s", name)
		done = append(done, store.Migration{Name: name, Done: true})
	})
	if err != nil {
		return err
	}
	if c.JSON || c.Quiet {
		return showSteps(a, c.Output, done)
	}
	if len(done) == 0 {
		_, err = fmt.Fprintf(a.Out, "The schema of %s is up to date.\n", at)
		return err
	}
	word := "migrations"
	if len(done) == 1 {
		word = "migration"
	}
	_, err = fmt.Fprintf(a.Out, "The schema of %s is up to date: %d %s done.\n", at, len(done), word)
	return err
}

// preview prints the pending migrations without running them.
func (c *DBMigrate) preview(a *terminal.App, pending []store.Migration) error {
	if c.JSON || c.Quiet {
		return showSteps(a, c.Output, pending)
	}
	if len(pending) == 0 {
		c.Say(a, "Nothing to do.")
	}
	for _, m := range pending {
		fmt.Fprintf(a.Out, "-- %s\n\n%s\n", m.Name, m.SQL)
	}
	return nil
}

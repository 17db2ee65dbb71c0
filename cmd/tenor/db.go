package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tenor/internal/store"
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
func showSteps(a *app, o output, list []store.Migration) error {
	steps := make([]dbStep, len(list))
	t := newTable("MIGRATION", "STATE")
	for i, m := range list {
		steps[i] = dbStepOf(m)
		t.row(steps[i].Migration, steps[i].State)
	}
	switch {
	case o.JSON:
		b, err := json.Marshal(struct {
			Data []dbStep `json:"data"`
		}{steps})
		if err != nil {
			return err
		}
		return document(a.out, b)
	case o.Quiet:
		for _, s := range steps {
			fmt.Fprintln(a.out, s.Migration)
		}
		return nil
	}
	return o.table(a, t)
}

// pendingOf leaves out what is done.
func pendingOf(list []store.Migration) []store.Migration {
	return slices.DeleteFunc(slices.Clone(list), func(m store.Migration) bool { return m.Done })
}

type dbStatus struct {
	output
	databaseFlags
}

// Examples are shown by -h.
func (dbStatus) Examples() []string {
	return []string{"db status --data ./data", "db status --database postgres://tenor@localhost:5432/tenor"}
}

// Run is called by the parser. It changes nothing, so servers may be running.
func (c *dbStatus) Run(ctx context.Context, a *app) error {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	list, err := at.migrations(ctx)
	if err != nil {
		return err
	}
	if err := showSteps(a, c.output, list); err != nil {
		return err
	}
	if n := len(pendingOf(list)); n > 0 {
		c.say(a, "%s", a.then(fmt.Sprintf("%d to do. They are done by tenor serve, or by:", n), "db migrate"+at.flag()))
	}
	return nil
}

type dbMigrate struct {
	output
	databaseFlags
	DryRun bool `name:"dry-run" help:"Print what would be done, and change nothing."`
}

// Examples are shown by -h.
func (dbMigrate) Examples() []string {
	return []string{"db migrate --data ./data", "db migrate --database postgres://tenor@localhost:5432/tenor --dry-run"}
}

// Run is called by the parser. With PostgreSQL servers of this release and the one
// before may be running; a data directory must not be held.
func (c *dbMigrate) Run(ctx context.Context, a *app) error {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	if c.DryRun {
		list, err := at.migrations(ctx)
		if err != nil {
			return err
		}
		return c.preview(a, pendingOf(list))
	}
	var done []store.Migration
	err = at.migrate(ctx, func(name string) {
		c.say(a, "Migration %s", name)
		done = append(done, store.Migration{Name: name, Done: true})
	})
	if err != nil {
		return err
	}
	if c.JSON || c.Quiet {
		return showSteps(a, c.output, done)
	}
	if len(done) == 0 {
		_, err = fmt.Fprintf(a.out, "The schema of %s is up to date.\n", at)
		return err
	}
	word := "migrations"
	if len(done) == 1 {
		word = "migration"
	}
	_, err = fmt.Fprintf(a.out, "The schema of %s is up to date: %d %s done.\n", at, len(done), word)
	return err
}

// preview prints what would be done.
func (c *dbMigrate) preview(a *app, pending []store.Migration) error {
	if c.JSON || c.Quiet {
		return showSteps(a, c.output, pending)
	}
	if len(pending) == 0 {
		c.say(a, "Nothing to do.")
	}
	for _, m := range pending {
		fmt.Fprintf(a.out, "-- %s\n\n%s\n", m.Name, m.SQL)
	}
	return nil
}

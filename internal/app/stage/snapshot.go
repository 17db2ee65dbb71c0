package stage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/app/scenario"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	sandboxes "tenor/internal/edge/sandbox"
)

// Snapshot is serve.Controls.
func (c controls) Snapshot(ctx context.Context, name string) (resource.SandboxSnapshot, error) {
	db, files, err := c.copies()
	if err != nil {
		return resource.SandboxSnapshot{}, err
	}
	at, err := c.Keep(ctx)
	if err != nil {
		return resource.SandboxSnapshot{}, obeyed(err)
	}
	x, err := files.Take(ctx, sandboxes.Snapshot{Name: name, CreatedAt: c.stage.Wall().UTC(), Clock: at}, db.Copy)
	return snapshotShown(x), err
}

// Snapshots is serve.Controls.
func (c controls) Snapshots() ([]resource.SandboxSnapshot, error) {
	_, files, err := c.copies()
	if err != nil {
		return nil, err
	}
	list, err := files.List()
	out := make([]resource.SandboxSnapshot, len(list))
	for i, x := range list {
		out[i] = snapshotShown(x)
	}
	return out, err
}

// Restore is serve.Controls.
func (c controls) Restore(ctx context.Context, id string) (resource.SandboxSnapshot, error) {
	_, files, err := c.copies()
	if err != nil {
		return resource.SandboxSnapshot{}, err
	}
	x, err := files.Find(id)
	if err != nil {
		return resource.SandboxSnapshot{}, obeyed(err)
	}
	write := func(_ context.Context, path string) error { return files.Copy(id, path) }
	return snapshotShown(x), c.stage.exchange(ctx, write, time.Time{}, (*Playground).Run)
}

// Reset is serve.Controls. Afterwards the clock stands still: demo data created now has the same
// IDs as in a new sandbox.
func (c controls) Reset(ctx context.Context, caller string, seed, history bool) (resource.SandboxClock, error) {
	if _, _, err := c.copies(); err != nil {
		return resource.SandboxClock{}, err
	}
	write := func(ctx context.Context, path string) error {
		return c.stage.empty(ctx, path, c.node.Cursors, emptied{seed, history, caller})
	}
	if err := c.stage.exchange(ctx, write, c.stage.start, func(*Playground) {}); err != nil {
		return resource.SandboxClock{}, err
	}
	return c.stage.Node().Controls.Clock(ctx)
}

// Seed is serve.Controls.
func (c controls) Seed(ctx context.Context, history bool) (string, error) {
	merchant, found, err := store.Setting(ctx, c.node.DB, node.SettingDemo)
	if err == nil && found && history {
		_, past, err2 := store.Setting(ctx, c.node.DB, node.SettingPast)
		if err = err2; err == nil && !past {
			err = serve.ErrSandboxUsed
		}
	}
	if err != nil || found {
		return string(merchant), err
	}
	if history {
		return c.seedHistory(ctx)
	}
	var id string
	err = c.Still(ctx, func() error {
		id, err = c.stage.makes.Demo(ctx, c.node, c.stage.SeedNumber, c.stage.Wall)
		return err
	})
	var refused *credit.Rejection
	if errors.As(err, &refused) { // a name in the demo is taken
		return "", &rest.Problem{Code: refused.Code, Detail: refused.Detail, Members: refused.Members}
	}
	return id, obeyed(err)
}

// seedHistory replaces an empty sandbox with one that has the demo data and their history.
func (c controls) seedHistory(ctx context.Context) (string, error) {
	if _, _, err := c.copies(); err != nil {
		return "", err
	}
	write := func(ctx context.Context, path string) error { // no requests are being served now
		err := c.node.DB.View(ctx, func(v store.View) error {
			merchants, err := store.AllMerchants(v) // clients and tokens may exist: somebody is calling
			companies, err2 := store.ListCompanies(v, "", store.Page{Limit: 1})
			if err = errors.Join(err, err2); err == nil && len(merchants)+len(companies) > 0 {
				err = serve.ErrSandboxUsed
			}
			return err
		})
		if err != nil {
			return err
		}
		return c.stage.empty(ctx, path, c.node.Cursors, emptied{seed: true, history: true})
	}
	if err := c.stage.exchange(ctx, write, c.stage.start, func(*Playground) {}); err != nil {
		return "", err
	}
	merchant, _, err := store.Setting(ctx, c.stage.Node().DB, node.SettingDemo)
	return string(merchant), err
}

// copies returns the database and where copies of it are stored, or an error if it cannot be
// copied, as on PostgreSQL.
func (c controls) copies() (*sqlite.DB, sandboxes.Snapshots, error) {
	db, ok := c.node.DB.(*sqlite.DB)
	if !ok || c.stage == nil {
		return nil, sandboxes.Snapshots{}, serve.ErrNoSnapshots
	}
	return db, sandboxes.OpenSnapshots(c.stage.at.Dir), nil
}

func snapshotShown(x sandboxes.Snapshot) resource.SandboxSnapshot {
	w := resource.SandboxSnapshot{ID: x.ID, CreatedAt: x.CreatedAt, Clock: x.Clock, Size: x.Size}
	if x.Name != "" {
		w.Name = &x.Name
	}
	return w
}

// exchange replaces the running database with another one, which write creates. Its clock stands
// still until begin, at start or where it was left, whichever is later.
//
// The new database is first created completely, in its own file, with the access of the old one.
// Then it is copied over the old one in one transaction: if killed before the commit, the next
// start finds the old sandbox; after it, the new one.
func (st *Stage) exchange(ctx context.Context, write func(ctx context.Context, path string) error, start time.Time, begin func(*Playground)) error {
	return st.Change(ctx, func(ctx context.Context) (err error) {
		live, next := node.DatabaseFile(st.at.Dir), nextDatabase(st.at.Dir)
		defer func() { err = errors.Join(err, dropDatabase(next)) }()
		if err := prepared(ctx, next, live, st.Wall, start, write); err != nil {
			return fmt.Errorf("make the other sandbox: %w", err)
		}
		if err := st.leave(); err != nil {
			return err
		}
		// Whatever the result, there is a sandbox to continue with.
		replaced := sqlite.Replace(live, next)
		p, err := st.raise(ctx, start)
		if err == nil {
			err = st.perform(p)
			begin(p)
		}
		return errors.Join(replaced, err)
	})
}

// nextDatabase is the path at which a replacement database is created.
func nextDatabase(dir string) string { return filepath.Join(dir, "next.db") }

// prepared creates the next database, with the current one's access.
func prepared(ctx context.Context, next, live string, wall func() time.Time, start time.Time, write func(ctx context.Context, path string) error) error {
	if err := dropDatabase(next); err != nil {
		return err
	}
	if err := write(ctx, next); err != nil {
		return err
	}
	return node.Inherit(ctx, next, live, wall, start)
}

// dropDatabase removes a database file and its companion files, if they exist.
func dropDatabase(path string) error {
	var all error
	for _, end := range []string{"", "-wal", "-shm", "-lock", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// emptied describes a sandbox after it was emptied.
type emptied struct {
	seed    bool   // the demo data
	history bool   // with their history
	caller  string // a merchant that must still exist; "" if the lender asks
}

// empty creates a sandbox with nothing, or with only the demo data and possibly their history,
// but with the running one's key: what is derived from it, such as the demo client's secret,
// stays the same.
func (st *Stage) empty(ctx context.Context, path string, key []byte, x emptied) (err error) {
	at := &node.Place{Dir: filepath.Join(st.at.Dir, "empty"), Temporary: true}
	if err := os.RemoveAll(at.Dir); err != nil { // left by a killed process
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(at.Dir)) }()
	db, err := at.Hold(ctx, node.Holding{Now: st.Wall()})
	if err != nil {
		return err
	}
	_, err = db.Settle(ctx, node.SettingCursorKey, key)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	zone, err := clock.BusinessZone()
	if err != nil {
		return err
	}
	begins, log := st.start, st.Log
	if x.history { // an alarm in the history needs no action
		begins, log = st.makes.Begins(zone, st.start), slog.New(slog.DiscardHandler)
	}
	p, err := openPlayground(ctx, at, begins, st.Wall, log, nil, node.Seeds(st.SeedNumber))
	if err != nil {
		return err
	}
	switch {
	case x.history:
		_, err = st.makes.History(ctx, p, st.start, st.SeedNumber, st.Wall, st.Base, st.Told)
	case x.seed:
		_, err = st.makes.Demo(ctx, p.Node, st.SeedNumber, st.Wall)
	}
	if err == nil && x.caller != "" {
		err = keeps(ctx, p.Node.DB, x.caller)
	}
	if err == nil {
		err = p.Node.DB.(*sqlite.DB).Copy(ctx, path)
	}
	return errors.Join(err, p.close())
}

// keeps refuses a sandbox without the merchant: its access would end.
func keeps(ctx context.Context, db store.Backend, merchant string) error {
	return db.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Merchants: []string{merchant}})
		if err == nil && s.Merchants[merchant] == nil {
			err = serve.ErrAccessEnds
		}
		return err
	})
}

// Scenarios is serve.Controls.
func (c controls) Scenarios() ([]resource.SandboxScenario, error) {
	all, err := scenario.All()
	out := make([]resource.SandboxScenario, len(all))
	for i, s := range all {
		out[i] = resource.SandboxScenario{Name: s.Name, Purpose: s.Purpose}
	}
	return out, err
}

// RunScenario is serve.Controls: it calls this server like any client.
func (c controls) RunScenario(ctx context.Context, name string, begin func() func(line any) error) error {
	s, found, err := scenario.Find(name)
	if err != nil {
		return err
	}
	if !found || c.stage == nil {
		return serve.ErrNoScenario
	}
	token, _, _, err := node.Issue(ctx, c.node.Issuer(c.stage.Wall), node.TokenWish{Operator: true, TTL: scenarioTime})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, scenarioTime)
	defer stop()
	tell := begin()
	result, err := RunScenario(ctx, c.stage.Wall, c.stage.Base, token, s, func(l scenario.Line) {
		if tell(l) != nil {
			stop() // nobody reads any further
		}
	})
	if err != nil {
		return err
	}
	return tell(result)
}

// scenarioTime is how long a scenario run through the API may take.
const scenarioTime = 3 * time.Minute

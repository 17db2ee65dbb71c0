package node

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"tenor/internal/core/clock"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/alarm"
	"tenor/internal/office/buyer"
	"tenor/internal/office/credential"
	"tenor/internal/office/signin"
	"tenor/internal/pages/console"
	"tenor/internal/ui/design"
)

// newHasher returns a hasher for this machine: half of its processors may be hashing.
func newHasher() *credential.Hasher { return credential.NewHasher(max(1, runtime.GOMAXPROCS(0)/2)) }

// newConsole returns the pages of the lender's back office.
func (n *Node) newConsole(desk *buyer.Desk, base string, log *slog.Logger) (*console.Pages, error) {
	assets, err := design.LoadAssets(console.Prefix + "/assets/")
	if err != nil {
		return nil, err
	}
	return console.New(console.Config{
		Desk: &signin.Desk{Desk: desk, Hasher: newHasher()}, Assets: assets, Secure: strings.HasPrefix(base, "https:"), Log: log, Demo: n.ConsoleDemo,
		Address: func(r *http.Request) string { return rest.ClientAddress(r, n.Proxies) },
		Alarms:  alarm.Setup{Zone: n.Zone, Silent: n.SilentBank},
		Setup:   console.Setup{Rails: n.Banked, Mail: n.Mail != nil, Sanctions: n.Sanctions != nil, Sources: n.Facts.Registry != nil || n.Facts.Bureau != nil, Heads: SettingHeads},
	})
}

// Staff returns what invites and suspends the lender's staff directly in a database, alongside any
// running server, and what closes it again.
func Staff(ctx context.Context, at *Place, keyFile string, wall func() time.Time, log *slog.Logger) (d *signin.Desk, end func() error, err error) {
	db, err := at.Share(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	m, err := ModeOf(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	n := &Node{DB: db, Mode: m}
	if n.Cursors, err = cursorKey(ctx, db); err != nil {
		return nil, nil, err
	}
	if err := n.unlock(ctx, Config{Place: at, Mode: m, KeyFile: keyFile, Log: log}); err != nil {
		return nil, nil, err
	}
	if n.Zone, err = clock.BusinessZone(); err != nil {
		return nil, nil, err
	}
	now, err := standing(ctx, db, m, wall, wall)
	if err != nil {
		return nil, nil, err
	}
	e, err := engine.New(engine.Config{
		Backend: db, Zone: n.Zone, Now: now, EncodeEvent: EncodeEvent, Wire: resource.APIVersion, Node: processName(), Seal: n.Ring.Seal, Open: n.Ring.Open,
	})
	if err != nil {
		return nil, nil, err
	}
	return &signin.Desk{Hasher: newHasher(), Desk: &buyer.Desk{
		Submit: engine.Alone{Engine: e}, Store: db, Zone: n.Zone, Now: now, Wall: wall, Seed: RandomSeed, Seal: n.Ring.Seal, Open: n.Ring.Open, Hash: n.Fingerprint,
		Sandbox: m == Sandbox, Log: log,
	}}, db.Close, nil
}

// standing is the business clock of a database that another process may have open: in a sandbox
// where its clock stands, or start if nothing has happened in it yet.
func standing(ctx context.Context, db store.Backend, m Mode, wall, start func() time.Time) (func() time.Time, error) {
	if m != Sandbox {
		return wall, nil
	}
	head, err := HeadOf(ctx, db)
	if err != nil {
		return nil, err
	}
	return KeptClock(start)(ctx, db, head)
}

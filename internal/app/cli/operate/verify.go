package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/core/verify"
	"tenor/internal/edge/resource"
)

// verify has exit codes of its own; 0 is clean.
const (
	VerifyViolations = 1
	VerifyFailed     = 2
)

// VerifyCommand is the command "verify".
type VerifyCommand struct {
	terminal.Output
	local.DatabaseFlags
	node.KeyFlags
	Audit bool     `help:"Check only that the audit log is whole, and its signed heads. The books are not recomputed."`
	Head  []string `name:"head" type:"path" sep:"none" placeholder:"FILE" help:"File with signed heads kept elsewhere; the log must extend each of them. Repeatable."`
}

func (VerifyCommand) Examples() []string {
	return []string{"verify --data ./data", "verify --data ./data --json", "verify --audit --data ./data", "verify --data ./data --head /mnt/elsewhere/heads.jsonl", "verify --database postgres://tenor@localhost:5432/tenor"}
}

func (c *VerifyCommand) Run(ctx context.Context, a *terminal.App) error {
	r, took, err := c.check(ctx, a)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &exit.Failure{Code: VerifyFailed, Text: "could not check", Err: err}
		var cause *exit.Failure
		if errors.As(err, &cause) {
			f.Hint = cause.Hint
		}
		return f
	}
	return c.tell(a, r, took)
}

// tell prints the findings; violations are a separate error.
func (c *VerifyCommand) tell(a *terminal.App, r verify.Report, took time.Duration) error {
	if c.JSON {
		b, err := json.Marshal(r)
		if err != nil {
			return &exit.Failure{Code: VerifyFailed, Text: "could not check", Err: err}
		}
		if err := terminal.Document(a.Out, b); err != nil {
			return err
		}
	} else {
		c.print(a, r, took)
	}
	if r.Clean() {
		return nil
	}
	n := len(r.Violations) + r.More
	return &exit.Failure{Code: VerifyViolations, Text: fmt.Sprintf("%d violations at commit %d", n, r.Seq), Hint: "Leave the data unchanged; nothing was repaired."}
}

func (c *VerifyCommand) check(ctx context.Context, a *terminal.App) (r verify.Report, took time.Duration, err error) {
	zone, err := clock.BusinessZone()
	if err != nil {
		return r, 0, err
	}
	at, err := c.Need(a)
	if err != nil {
		return r, 0, err
	}
	db, err := at.Read(ctx)
	if err != nil {
		return r, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	begin := time.Now()
	options := verify.Options{AuditOnly: c.Audit, Scratch: node.Temporary, Zone: zone, EncodeEvent: node.EncodeEvent, Wire: resource.APIVersion, Progress: c.progress(a, begin)}
	for _, file := range c.Head {
		list, err := node.ReadHeads(file)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s contains no signed head", file)
		}
		if err != nil {
			return r, 0, err
		}
		options.Heads = append(options.Heads, list...)
	}
	m, ring, err := c.ring(ctx, a, db, at)
	if err != nil {
		return r, 0, err
	}
	if ring != nil {
		options.Open = ring.Open
		if m == node.Live { // a sandbox's key is in its database
			options.Keys = node.PublicKeys(*ring)
		}
	}
	r, err = verify.Run(ctx, db, options)
	return r, time.Since(begin), err
}

// ring returns the deployment's keys. Without them it is nil, and the report says what could not
// be compared.
func (c *VerifyCommand) ring(ctx context.Context, a *terminal.App, db store.Backend, at *node.Place) (node.Mode, *seal.Ring, error) {
	m, err := node.ModeOf(ctx, db)
	if err != nil && !errors.Is(err, node.ErrNoMode) {
		return m, nil, err
	}
	if m == node.Sandbox {
		cursors, found, err := store.Setting(ctx, db, node.SettingCursorKey)
		if err != nil || !found {
			return m, nil, err
		}
		ring, err := node.SandboxRing(cursors)
		return m, &ring, err
	}
	file := c.KeyFile
	if file == "" && at.Dir != "" {
		file = filepath.Join(at.Dir, node.KeyFileName)
		if _, err := os.Stat(file); err != nil {
			return m, nil, nil // no server has created one yet, or it is stored elsewhere
		}
	}
	if file == "" {
		return m, nil, nil
	}
	ring, err := node.ReadKeyFile(file)
	return m, &ring, err
}

// progress reports the progress of a longer check on stderr: at every tenth, and not in the first
// half second.
func (c *VerifyCommand) progress(a *terminal.App, begin time.Time) func(done, total int) {
	shown := 0
	return func(done, total int) {
		if c.Quiet || total == 0 || time.Since(begin) < 500*time.Millisecond {
			return
		}
		if tenth := done * 10 / total; tenth > shown {
			shown = tenth
			fmt.Fprintf(a.Err, "verify %d %%\n", tenth*10)
		}
	}
}

func (c *VerifyCommand) print(a *terminal.App, r verify.Report, took time.Duration) {
	for _, v := range r.Violations {
		fmt.Fprintf(a.Out, "%s  %s  %s\n", v.Invariant, terminal.Clean(v.Object), terminal.Clean(v.Detail))
	}
	if r.More > 0 {
		fmt.Fprintf(a.Out, "and %d more\n", r.More)
	}
	for _, x := range r.Checks {
		if x.Note != "" {
			fmt.Fprintf(a.Out, "%s: %s\n", x.Name, x.Note)
		}
	}
	if r.Clean() && !c.Quiet {
		rows := 0
		for _, x := range r.Checks {
			rows += x.Rows
		}
		fmt.Fprintf(a.Out, "Clean at commit %d: %d checks over %d rows in %s.\n", r.Seq, len(r.Checks), rows, took.Round(time.Millisecond))
	}
	if h := r.Head; h != nil && !c.Quiet {
		fmt.Fprintf(a.Out, "Last signed head: %d at commit %d, %s of %s, key %s\n", h.Number, h.CommitSeq, h.Hash[:16], h.At, terminal.Clean(h.Key))
	}
}

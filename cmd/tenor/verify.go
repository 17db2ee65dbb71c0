package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tenor/internal/seal"
	"tenor/internal/store"
	"tenor/internal/verify"
	"tenor/internal/wire"
)

// verify has exit codes of its own; 0 is clean.
const (
	verifyViolations = 1
	verifyFailed     = 2
)

type verifyCommand struct {
	output
	databaseFlags
	keyFlags
	Head []string `name:"head" type:"path" sep:"none" placeholder:"FILE" help:"File with signed heads that were kept elsewhere: the log must extend each of them. May be given several times."`
}

// Examples are shown by -h.
func (verifyCommand) Examples() []string {
	return []string{"verify --data ./data", "verify --data ./data --json", "verify --data ./data --head /mnt/elsewhere/heads.jsonl", "verify --database postgres://tenor@localhost:5432/tenor"}
}

// Run is called by the parser.
func (c *verifyCommand) Run(ctx context.Context, a *app) error {
	r, took, err := c.check(ctx, a)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &failure{code: verifyFailed, text: "could not check", err: err}
		var cause *failure
		if errors.As(err, &cause) {
			f.hint = cause.hint
		}
		return f
	}
	return c.tell(a, r, took)
}

// tell prints what was found; violations are an error of their own.
func (c *verifyCommand) tell(a *app, r verify.Report, took time.Duration) error {
	if c.JSON {
		b, err := json.Marshal(r)
		if err != nil {
			return &failure{code: verifyFailed, text: "could not check", err: err}
		}
		if err := document(a.out, b); err != nil {
			return err
		}
	} else {
		c.print(a, r, took)
	}
	if r.Clean() {
		return nil
	}
	n := len(r.Violations) + r.More
	return &failure{code: verifyViolations, text: fmt.Sprintf("%d violations at commit %d", n, r.Seq), hint: "Keep the data as they are: nothing was repaired."}
}

func (c *verifyCommand) check(ctx context.Context, a *app) (r verify.Report, took time.Duration, err error) {
	zone, err := businessZone()
	if err != nil {
		return r, 0, err
	}
	at, err := c.need(a)
	if err != nil {
		return r, 0, err
	}
	db, err := at.read(ctx)
	if err != nil {
		return r, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	begin := time.Now()
	options := verify.Options{Zone: zone, EncodeEvent: encodeEvent, Wire: wire.APIVersion, Progress: c.progress(a, begin)}
	for _, file := range c.Head {
		list, err := readHeads(file)
		if err == nil && len(list) == 0 {
			err = fmt.Errorf("%s holds no signed head", file)
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
		if m == live { // the key of a sandbox is in its database
			options.Keys = publicKeys(*ring)
		}
	}
	r, err = verify.Run(ctx, db, options)
	return r, time.Since(begin), err
}

// ring holds the deployment's keys. Without them it is nil, and the report says what was
// not compared for want of them.
func (c *verifyCommand) ring(ctx context.Context, a *app, db store.Backend, at *place) (mode, *seal.Ring, error) {
	m, err := modeOf(ctx, db)
	if err != nil && !errors.Is(err, errNoMode) {
		return m, nil, err
	}
	if m == sandbox {
		cursors, found, err := db.Setting(ctx, settingCursorKey)
		if err != nil || !found {
			return m, nil, err
		}
		ring, err := sandboxRing(cursors)
		return m, &ring, err
	}
	file := c.KeyFile
	if file == "" && at.dir != "" {
		file = filepath.Join(at.dir, keyFileName)
		if _, err := os.Stat(file); err != nil {
			return m, nil, nil // no server has drawn one yet, or it is kept elsewhere
		}
	}
	if file == "" {
		return m, nil, nil
	}
	ring, err := readKeyFile(file)
	return m, &ring, err
}

// progress says on stderr how far a longer check is: on each tenth, and not in
// the first half second.
func (c *verifyCommand) progress(a *app, begin time.Time) func(done, total int) {
	shown := 0
	return func(done, total int) {
		if c.Quiet || total == 0 || time.Since(begin) < 500*time.Millisecond {
			return
		}
		if tenth := done * 10 / total; tenth > shown {
			shown = tenth
			fmt.Fprintf(a.err, "verify %d %%\n", tenth*10)
		}
	}
}

func (c *verifyCommand) print(a *app, r verify.Report, took time.Duration) {
	for _, v := range r.Violations {
		fmt.Fprintf(a.out, "%s  %s  %s\n", v.Invariant, clean(v.Object), clean(v.Detail))
	}
	if r.More > 0 {
		fmt.Fprintf(a.out, "and %d more\n", r.More)
	}
	for _, x := range r.Checks {
		if x.Note != "" {
			fmt.Fprintf(a.out, "%s: %s\n", x.Name, x.Note)
		}
	}
	if r.Clean() && !c.Quiet {
		rows := 0
		for _, x := range r.Checks {
			rows += x.Rows
		}
		fmt.Fprintf(a.out, "Clean at commit %d: %d checks over %d rows in %s.\n", r.Seq, len(r.Checks), rows, took.Round(time.Millisecond))
	}
	if h := r.Head; h != nil && !c.Quiet {
		fmt.Fprintf(a.out, "Last signed head: %d at commit %d, %s of %s, key %s\n", h.Number, h.CommitSeq, h.Hash[:16], h.At, clean(h.Key))
	}
}

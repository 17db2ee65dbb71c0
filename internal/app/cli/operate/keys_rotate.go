package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
)

// KeysAdd is the command "keys add".
type KeysAdd struct {
	File string `arg:"" type:"path" help:"The key file."`
}

func (KeysAdd) Examples() []string { return []string{"keys add /etc/tenor/tenor.key"} }

func (c *KeysAdd) Run(a *terminal.App) error {
	if _, err := node.ReadKeyFile(c.File); err != nil {
		return err
	}
	text, err := os.ReadFile(c.File)
	if err == nil {
		err = node.ReplaceFile(c.File, seal.AddKey(text))
	}
	if err != nil {
		return &exit.Failure{Code: exit.Refused, Text: "change " + c.File, Err: err}
	}
	ring, err := node.ReadKeyFile(c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "%s now encrypts; older keys still decrypt. Copy this file to every server and restart it, then run %s keys rotate.\n", ring.IDs()[0], a.Program)
	return nil
}

// KeysRotate is the command "keys rotate".
type KeysRotate struct {
	local.DatabaseFlags
	node.KeyFlags
	Quiet bool `short:"q" help:"Show no progress."`
}

func (KeysRotate) Examples() []string {
	return []string{"keys rotate --data ./data", "keys rotate --database postgres://tenor@localhost:5432/tenor --key-file /etc/tenor/tenor.key"}
}

func (c *KeysRotate) Run(ctx context.Context, a *terminal.App) (err error) {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	if err := liveKeys(ctx, at); err != nil {
		return err
	}
	n, err := node.Open(ctx, node.Config{Place: at, Mode: node.Live, Wall: a.Wall, Log: node.QuietLog(a.Err), Clock: node.WallClock, Keys: true, KeyFile: c.KeyFile})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	sealed, err := n.Reseal(ctx, c.progress(a))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &exit.Failure{
			Code: exit.Refused, Text: fmt.Sprintf("%s re-encrypted, but not all", terminal.Counted(sealed, "value was", "values were")), Err: err,
			Hint: "Run it again to continue. Put a missing key back into the key file, after the others.",
		}
	}
	signer := engine.Signer{Backend: n.DB, Now: a.Wall, Keys: node.HeadKeys(*n.Ring)}
	if _, _, err := signer.Sign(ctx, true); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s re-encrypted with %s.\n", terminal.Counted(sealed, "value was", "values were"), n.Ring.IDs()[0])
	state, err := node.KeysOf(ctx, n.DB, n.Ring)
	if err != nil {
		return err
	}
	return nextOfRotation(a, at, state)
}

// progress reports the progress of a longer run on stderr, at every tenth.
func (c *KeysRotate) progress(a *terminal.App) func(done, total int) {
	shown := 0
	return func(done, total int) {
		if tenth := done * 10 / max(total, 1); !c.Quiet && total > 1000 && tenth > shown {
			shown = tenth
			fmt.Fprintf(a.Err, "re-encrypted %d %%\n", tenth*10)
		}
	}
}

// liveKeys refuses a sandbox: its key is derived from its database.
func liveKeys(ctx context.Context, at *node.Place) (err error) {
	db, err := at.Share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := node.ModeOf(ctx, db)
	if err == nil && m != node.Live {
		err = &exit.Failure{Code: exit.Usage, Text: "a sandbox has no key file; its key comes from its data", Hint: "Nothing in a sandbox is secret."}
	}
	return err
}

// nextOfRotation says what to do next.
func nextOfRotation(a *terminal.App, at *node.Place, s node.KeyState) error {
	flag := at.Flag()
	switch missing, used, unused := s.In(node.KeyMissing), s.In(node.KeyOpens), s.In(node.KeyUnused); {
	case len(missing) > 0:
		fmt.Fprintf(a.Out, "Some values cannot be decrypted: %s is missing. Put its line back into the key file, after the others.\n", strings.Join(missing, ", "))
	case len(used) > 0:
		fmt.Fprintf(a.Out, "Not everything is encrypted with %s: run %s keys rotate%s.\n", s.Keys[0].ID, a.Program, flag)
	case len(unused) > 0:
		fmt.Fprintf(a.Out, "%s is no longer needed: %s keys drop-old%s removes unused keys from the key file.\n", strings.Join(unused, ", "), a.Program, flag)
	default:
		fmt.Fprintf(a.Out, "Everything is encrypted with %s, the only key.\n", s.Keys[0].ID)
	}
	return nil
}

// KeysStatus is the command "keys status".
type KeysStatus struct {
	terminal.Output
	local.DatabaseFlags
	node.KeyFlags
}

func (KeysStatus) Examples() []string { return []string{"keys status --data ./data"} }

// Run is called by the parser. It reads only.
func (c *KeysStatus) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	s, _, err := readKeyState(ctx, at, c.KeyFile)
	if err != nil {
		return err
	}
	if c.JSON {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	}
	t := terminal.NewTable("KEY", "STATE", ">VALUES")
	for _, k := range s.Keys {
		t.Row(k.ID, k.State, k.Values)
	}
	if err := a.Show(t); err != nil {
		return err
	}
	return nextOfRotation(a, at, s)
}

// readKeyState checks the keys of a database and returns the file that holds them.
func readKeyState(ctx context.Context, at *node.Place, file string) (s node.KeyState, path string, err error) {
	if err := liveKeys(ctx, at); err != nil {
		return s, "", err
	}
	if path = file; path == "" && at.Dir != "" {
		path = filepath.Join(at.Dir, node.KeyFileName)
	}
	if path == "" {
		return s, "", &exit.Failure{Code: exit.Usage, Text: "PostgreSQL needs a key file: --key-file FILE"}
	}
	ring, err := node.ReadKeyFile(path)
	if err != nil {
		return s, "", err
	}
	db, err := at.Read(ctx)
	if err != nil {
		return s, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err = node.KeysOf(ctx, db, &ring)
	return s, path, err
}

// KeysDrop is the command "keys drop-old".
type KeysDrop struct {
	local.DatabaseFlags
	node.KeyFlags
}

func (KeysDrop) Examples() []string { return []string{"keys drop-old --data ./data"} }

func (c *KeysDrop) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	s, file, err := readKeyState(ctx, at, c.KeyFile)
	if err != nil {
		return err
	}
	unused := s.In(node.KeyUnused)
	if used := s.In(node.KeyOpens, node.KeyMissing); len(used) > 0 {
		return &exit.Failure{
			Code: exit.Conflict, Text: strings.Join(used, ", ") + " is still needed; no key was removed",
			Hint: "Re-encrypt with the newest key first:\n  " + a.Program + " keys rotate" + at.Flag(),
		}
	}
	if len(unused) == 0 {
		fmt.Fprintf(a.Err, "%s holds one key; nothing to remove.\n", file)
		return nil
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = node.ReplaceFile(file, seal.DropKeys(text, unused))
	}
	if errors.Is(err, fs.ErrPermission) {
		return &exit.Failure{Code: exit.Forbidden, Text: "change " + file, Err: err, Hint: "Remove these lines by hand: " + strings.Join(unused, ", ")}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "Removed %s from %s. Copy this file to every server. Backups and the audit log may still need the removed keys; keep your copy.\n", strings.Join(unused, ", "), file)
	return nil
}

// keys checks whether a rotation has left old keys in the key file.
func (x *examination) keys(ctx context.Context) []finding {
	const name = "keys"
	if x.db == nil || x.mode != node.Live {
		return nil
	}
	file := x.c.KeyFile
	if file == "" && x.at.Dir != "" {
		file = filepath.Join(x.at.Dir, node.KeyFileName)
	}
	if _, err := os.Stat(file); file == "" || err != nil {
		return nil // a missing named file is already reported
	}
	ring, err := node.ReadKeyFile(file)
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	looking, cancel := context.WithTimeout(ctx, keysLook)
	defer cancel()
	s, err := node.KeysOf(looking, x.db, &ring)
	rotate := x.a.Program + " keys rotate" + x.at.Flag()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []finding{{name, warning, "too many values to count by key here", x.a.Program + " keys status" + x.at.Flag()}}
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case len(s.In(node.KeyMissing)) > 0:
		return []finding{{name, failed, "values are encrypted with keys missing from " + file + ": " + strings.Join(s.In(node.KeyMissing), ", "), "Put their lines back, after the others."}}
	case len(s.In(node.KeyOpens)) > 0:
		return []finding{{name, warning, "older keys are still in use: " + strings.Join(s.In(node.KeyOpens), ", "), rotate}}
	case len(s.In(node.KeyUnused)) > 0:
		return []finding{{name, warning, "older keys are no longer used: " + strings.Join(s.In(node.KeyUnused), ", "), x.a.Program + " keys drop-old" + x.at.Flag()}}
	}
	return []finding{fine(name, "everything is encrypted with "+s.Keys[0].ID)}
}

// keysLook bounds the check of what is sealed.
const keysLook = 20 * time.Second

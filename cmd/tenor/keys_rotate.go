package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenor/internal/clockwork"
	"tenor/internal/engine"
	"tenor/internal/reseal"
	"tenor/internal/seal"
	"tenor/internal/store"
)

// A rotation has three steps: a new key stands before the old ones in the key file and
// every server has it; what the old ones have sealed is sealed anew; and they go. Between
// the steps, and wherever one is cut off, every value opens (A62).

// sealing says how values of a database are sealed anew with a ring.
func sealing(db store.Backend, ring *seal.Ring) reseal.Config {
	return reseal.Config{
		Backend: db, Open: ring.Open, Seal: ring.Seal, KeyOf: seal.KeyID, Newest: ring.IDs()[0], Seed: randomSeed,
		Settings: map[string]string{settingKeyCheck: aboutKeyCheck, settingFingerprintKey: aboutFingerprintKey},
		Prefix:   clockwork.FileContent, Blank: clockwork.FileSent,
	}
}

// reseal seals values of the node's database anew.
func (n *node) reseal(ctx context.Context, former bool, told func(done, total int)) (int, error) {
	c := sealing(n.db, n.ring)
	c.Submit, c.Fingerprint, c.Told = n.engine, n.fingerprint, told
	return reseal.Run(ctx, c, former)
}

// settingSealed says that nothing is left that earlier versions have not sealed whole.
const settingSealed = "sealed_names"

// whole seals what earlier versions have left readable, before anything else is done with
// the database: routing numbers, holders' names, and what shows them.
func (n *node) whole(ctx context.Context, c nodeConfig) error {
	if _, done, err := n.db.Setting(ctx, settingSealed); err != nil || done {
		return err
	}
	sealed, err := n.reseal(ctx, true, nil)
	if err != nil && ctx.Err() == nil {
		// The books are read on, and one value that does not open stops no other: the next
		// start tries again, and doctor tells until then.
		c.log.Error("cannot seal all that earlier versions have left readable", "sealed", sealed, "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	if sealed > 0 {
		c.log.Info("sealed what earlier versions had left readable of accounts", "values", sealed)
	}
	return n.db.PutSetting(ctx, settingSealed, []byte("1"))
}

type keysAdd struct {
	File string `arg:"" type:"path" help:"The key file."`
}

// Examples are shown by -h.
func (keysAdd) Examples() []string { return []string{"keys add /etc/tenor/tenor.key"} }

// Run is called by the parser.
func (c *keysAdd) Run(a *app) error {
	if _, err := readKeyFile(c.File); err != nil {
		return err
	}
	text, err := os.ReadFile(c.File)
	if err == nil {
		err = replaceFile(c.File, seal.AddKey(text))
	}
	if err != nil {
		return &failure{code: exitRefused, text: "change " + c.File, err: err}
	}
	ring, err := readKeyFile(c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s seals from now on; the older keys go on to open. Give every server this file and start it again, then run %s keys rotate.\n", ring.IDs()[0], a.program)
	return nil
}

// replaceFile puts a file that only its owner reads in the place of another, whole or not
// at all.
func replaceFile(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what failed before is what matters
	}
	return err
}

type keysRotate struct {
	databaseFlags
	keyFlags
	Quiet bool `short:"q" help:"Show no progress."`
}

// Examples are shown by -h.
func (keysRotate) Examples() []string {
	return []string{"keys rotate --data ./data", "keys rotate --database postgres://tenor@localhost:5432/tenor --key-file /etc/tenor/tenor.key"}
}

// Run is called by the parser.
func (c *keysRotate) Run(ctx context.Context, a *app) (err error) {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	if err := liveKeys(ctx, at); err != nil {
		return err
	}
	n, err := openNode(ctx, nodeConfig{place: at, mode: live, wall: a.wall, log: quietLog(a.err), clock: wallClock, keys: true, keyFile: c.KeyFile})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.close()) }()
	sealed, err := n.reseal(ctx, false, c.progress(a))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &failure{
			code: exitRefused, text: fmt.Sprintf("%s sealed anew, not all", counted(sealed, "value was", "values were")), err: err,
			hint: "Run it again: it goes on with what is left. A key that is missing belongs back into the key file, after the others.",
		}
	}
	signer := engine.Signer{Backend: n.db, Now: a.wall, Keys: headKeys(*n.ring)}
	if _, _, err := signer.Sign(ctx, true); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s sealed anew with %s.\n", counted(sealed, "value was", "values were"), n.ring.IDs()[0])
	state, err := keysOf(ctx, n.db, n.ring)
	if err != nil {
		return err
	}
	return nextOfRotation(a, at, state)
}

// progress says on stderr how far a longer run is, on each tenth.
func (c *keysRotate) progress(a *app) func(done, total int) {
	shown := 0
	return func(done, total int) {
		if tenth := done * 10 / max(total, 1); !c.Quiet && total > 1000 && tenth > shown {
			shown = tenth
			fmt.Fprintf(a.err, "sealed %d %%\n", tenth*10)
		}
	}
}

// liveKeys refuses a sandbox: its key is made of what its database holds.
func liveKeys(ctx context.Context, at *place) (err error) {
	db, err := at.share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := modeOf(ctx, db)
	if err == nil && m != live {
		err = &failure{code: exitUsage, text: "a sandbox has no key file: its key is made of its data", hint: "Nothing in a sandbox is secret."}
	}
	return err
}

// keyState is what the keys of a deployment are still needed for.
type keyState struct {
	Keys   []keyUse       `json:"keys"`
	Former int            `json:"readable"` // values that earlier versions have not sealed whole
	Head   string         `json:"head_key"` // that has signed the last head, "" if there is none
	Tables []reseal.Count `json:"tables"`
}

// keyUse is one key, of the key file or of values whose key is not in it.
type keyUse struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Values int    `json:"values"` // that it has sealed
}

// States of a key.
const (
	keySeals   = "seals"
	keyOpens   = "in use" // an older one that something is still sealed with, or that has signed the last head
	keyUnused  = "not used"
	keyMissing = "missing"
)

// keysOf looks what each key of a ring has sealed in a database.
func keysOf(ctx context.Context, db store.Backend, ring *seal.Ring) (s keyState, err error) {
	if s.Tables, err = reseal.Survey(ctx, sealing(db, ring)); err != nil {
		return s, err
	}
	var last store.SignedHead
	if err = db.View(ctx, func(v store.View) (err error) { last, _, err = v.LastHead(); return err }); err != nil {
		return s, err
	}
	s.Former, s.Head = reseal.Former(s.Tables), last.KeyID
	ids := ring.IDs()
	for i, id := range ids {
		use := keyUse{ID: id, State: keyUnused, Values: reseal.In(s.Tables, id)}
		switch signs := last.Number > 0 && last.PublicKey == ring.Signers()[i].PublicKey(); {
		case i == 0:
			use.State = keySeals
		case use.Values > 0 || signs:
			use.State = keyOpens
		}
		s.Keys = append(s.Keys, use)
	}
	for _, id := range reseal.KeysIn(s.Tables) {
		if !slices.Contains(ids, id) {
			s.Keys = append(s.Keys, keyUse{id, keyMissing, reseal.In(s.Tables, id)})
		}
	}
	return s, nil
}

// in are the ids of the keys in one of states.
func (s keyState) in(states ...string) (ids []string) {
	for _, k := range s.Keys {
		if slices.Contains(states, k.State) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// nextOfRotation says what is to be done now.
func nextOfRotation(a *app, at *place, s keyState) error {
	flag := at.flag()
	switch missing, used, unused := s.in(keyMissing), s.in(keyOpens), s.in(keyUnused); {
	case len(missing) > 0:
		fmt.Fprintf(a.out, "Values do not open: %s is missing. Put its line back into the key file, after the others.\n", strings.Join(missing, ", "))
	case len(used) > 0 || s.Former > 0:
		fmt.Fprintf(a.out, "Not everything is sealed with %s: run %s keys rotate%s.\n", s.Keys[0].ID, a.program, flag)
	case len(unused) > 0:
		fmt.Fprintf(a.out, "Nothing needs %s any more: %s keys drop-old%s takes what is not used out of the key file.\n", strings.Join(unused, ", "), a.program, flag)
	default:
		fmt.Fprintf(a.out, "Everything is sealed with %s, the only key.\n", s.Keys[0].ID)
	}
	return nil
}

type keysStatus struct {
	output
	databaseFlags
	keyFlags
}

// Examples are shown by -h.
func (keysStatus) Examples() []string { return []string{"keys status --data ./data"} }

// Run is called by the parser. It reads only.
func (c *keysStatus) Run(ctx context.Context, a *app) error {
	at, err := c.need(a)
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
		return document(a.out, b)
	}
	t := newTable("KEY", "STATE", ">VALUES")
	for _, k := range s.Keys {
		t.row(k.ID, k.State, k.Values)
	}
	if err := a.show(t); err != nil {
		return err
	}
	return nextOfRotation(a, at, s)
}

// readKeyState looks at the keys of a database and returns the file that holds them.
func readKeyState(ctx context.Context, at *place, file string) (s keyState, path string, err error) {
	if err := liveKeys(ctx, at); err != nil {
		return s, "", err
	}
	if path = file; path == "" && at.dir != "" {
		path = filepath.Join(at.dir, keyFileName)
	}
	if path == "" {
		return s, "", &failure{code: exitUsage, text: "PostgreSQL needs a key file: --key-file FILE"}
	}
	ring, err := readKeyFile(path)
	if err != nil {
		return s, "", err
	}
	db, err := at.read(ctx)
	if err != nil {
		return s, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s, err = keysOf(ctx, db, &ring)
	return s, path, err
}

type keysDrop struct {
	databaseFlags
	keyFlags
}

// Examples are shown by -h.
func (keysDrop) Examples() []string { return []string{"keys drop-old --data ./data"} }

// Run is called by the parser.
func (c *keysDrop) Run(ctx context.Context, a *app) error {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	s, file, err := readKeyState(ctx, at, c.KeyFile)
	if err != nil {
		return err
	}
	unused := s.in(keyUnused)
	if used := s.in(keyOpens, keyMissing); len(used) > 0 || s.Former > 0 {
		return &failure{
			code: exitConflict, text: cmp.Or(strings.Join(used, ", "), "a key") + " is still needed: no key is taken out",
			hint: "Seal what is left with the newest key first:\n  " + a.program + " keys rotate" + at.flag(),
		}
	}
	if len(unused) == 0 {
		fmt.Fprintf(a.err, "%s holds one key: there is none to take out.\n", file)
		return nil
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = replaceFile(file, seal.DropKeys(text, unused))
	}
	if errors.Is(err, fs.ErrPermission) {
		return &failure{code: exitForbidden, text: "change " + file, err: err, hint: "Take these lines out by hand: " + strings.Join(unused, ", ")}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Took %s out of %s. Give every server this file. What was sealed with it in backups and in the audit log opens with your copy of it alone.\n", strings.Join(unused, ", "), file)
	return nil
}

// keys looks whether the key file holds keys that a rotation has left there.
func (x *examination) keys(ctx context.Context) []finding {
	const name = "keys"
	if x.db == nil || x.mode != live {
		return nil
	}
	file := x.c.KeyFile
	if file == "" && x.at.dir != "" {
		file = filepath.Join(x.at.dir, keyFileName)
	}
	if _, err := os.Stat(file); file == "" || err != nil {
		return nil // a file that is named and not there is said already
	}
	ring, err := readKeyFile(file)
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	looking, cancel := context.WithTimeout(ctx, keysLook)
	defer cancel()
	s, err := keysOf(looking, x.db, &ring)
	rotate := x.a.program + " keys rotate" + x.at.flag()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []finding{{name, warning, "what is sealed with which key takes long to count", x.a.program + " keys status" + x.at.flag()}}
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case len(s.in(keyMissing)) > 0:
		return []finding{{name, failed, "values are sealed with keys that are not in " + file + ": " + strings.Join(s.in(keyMissing), ", "), "Put their lines back, after the others."}}
	case s.Former > 0:
		return []finding{{name, warning, counted(s.Former, "value of an account is", "values of accounts are") + " readable, as an earlier version left them", rotate}}
	case len(s.in(keyOpens)) > 0:
		return []finding{{name, warning, "older keys are still in use: " + strings.Join(s.in(keyOpens), ", "), rotate}}
	case len(s.in(keyUnused)) > 0:
		return []finding{{name, warning, "older keys are not used any more: " + strings.Join(s.in(keyUnused), ", "), x.a.program + " keys drop-old" + x.at.flag()}}
	}
	return []finding{fine(name, "everything is sealed with "+s.Keys[0].ID)}
}

// keysLook bounds the look at what is sealed.
const keysLook = 20 * time.Second

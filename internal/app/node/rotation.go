package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"tenor/internal/core/reseal"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/office/clockwork"
)

// A rotation has three steps: a new key stands before the old ones in the key file and
// every server has it; what the old ones sealed is resealed; and they go. Between
// the steps, and wherever one is cut off, every value opens (A62).

// sealing says how values of a database are resealed with a ring.
func sealing(db store.Backend, ring *seal.Ring) reseal.Config {
	return reseal.Config{
		Backend: db, Open: ring.Open, Seal: ring.Seal, KeyOf: seal.KeyID, Newest: ring.IDs()[0], Seed: RandomSeed,
		Settings: map[string]string{settingKeyCheck: aboutKeyCheck, SettingFingerprintKey: AboutFingerprintKey},
		Prefix:   clockwork.FileContent, Blank: clockwork.FileSent,
	}
}

// Reseal reseals values of the node's database.
func (n *Node) Reseal(ctx context.Context, told func(done, total int)) (int, error) {
	c := sealing(n.DB, n.Ring)
	c.Submit, c.Told = n.Engine, told
	return reseal.Run(ctx, c)
}

// ReplaceFile puts a file that only its owner reads in the place of another, whole or not
// at all.
func ReplaceFile(file string, text []byte) error {
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

// KeyState is what the keys of a deployment are still needed for.
type KeyState struct {
	Keys   []keyUse       `json:"keys"`
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
	KeySeals   = "seals"
	KeyOpens   = "in use" // an older one that something is still sealed with, or that has signed the last head
	KeyUnused  = "not used"
	KeyMissing = "missing"
)

// KeysOf looks what each key of a ring has sealed in a database.
func KeysOf(ctx context.Context, db store.Backend, ring *seal.Ring) (s KeyState, err error) {
	if s.Tables, err = reseal.Survey(ctx, sealing(db, ring)); err != nil {
		return s, err
	}
	var last store.SignedHead
	if err = db.View(ctx, func(v store.View) (err error) { last, _, err = store.LastHead(v); return err }); err != nil {
		return s, err
	}
	s.Head = last.KeyID
	ids := ring.IDs()
	for i, id := range ids {
		use := keyUse{ID: id, State: KeyUnused, Values: reseal.In(s.Tables, id)}
		switch signs := last.Number > 0 && last.PublicKey == ring.Signers()[i].PublicKey(); {
		case i == 0:
			use.State = KeySeals
		case use.Values > 0 || signs:
			use.State = KeyOpens
		}
		s.Keys = append(s.Keys, use)
	}
	for _, id := range reseal.KeysIn(s.Tables) {
		if !slices.Contains(ids, id) {
			s.Keys = append(s.Keys, keyUse{id, KeyMissing, reseal.In(s.Tables, id)})
		}
	}
	return s, nil
}

// In are the ids of the keys in one of states.
func (s KeyState) In(states ...string) (ids []string) {
	for _, k := range s.Keys {
		if slices.Contains(states, k.State) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

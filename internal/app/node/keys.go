package node

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"tenor/internal/app/exit"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
)

// settingKeyCheck is a value sealed with the deployment's key: a key that opens it is the right
// one.
const settingKeyCheck = "key_check"

// aboutKeyCheck and keyCheck are the context and the text sealed there.
const (
	aboutKeyCheck = "setting/key_check"
	keyCheck      = "tenor"
)

// KeyFileName is the default key file, next to a SQLite database.
const KeyFileName = "tenor.key"

// KeyFlags name the file with the deployment's key.
type KeyFlags struct {
	KeyFile string `name:"key-file" env:"TENOR_KEY_FILE" type:"path" placeholder:"FILE" help:"File with the key that encrypts secrets in the database and signs its audit chain, the same on every server. Default in a data directory: tenor.key."`
}

// WriteKeyFile creates a key file that only its owner can read. It never overwrites a file.
func WriteKeyFile(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		e := &exit.Failure{Code: exit.Refused, Text: "create key file", Err: err}
		if errors.Is(err, fs.ErrExist) {
			e.Code, e.Hint = exit.Conflict, "Do not overwrite a key in use. To add one, run tenor keys add."
		}
		return e
	}
	_, err = f.Write(seal.NewKeyFile())
	return errors.Join(err, f.Sync(), f.Close())
}

// keyRing reads the key of a deployment, and creates one for a data directory that has none yet.
// It must open what the database has sealed (EN15).
func keyRing(ctx context.Context, db store.Backend, at *Place, file string, log *slog.Logger) (seal.Ring, error) {
	check, sealed, err := store.Setting(ctx, db, settingKeyCheck)
	if err != nil {
		return seal.Ring{}, err
	}
	switch {
	case file == "" && at.Dir == "":
		return seal.Ring{}, &exit.Failure{
			Code: exit.Usage, Text: "PostgreSQL needs a key file: --key-file FILE",
			Hint: "It encrypts secrets in the database and is the same on every server. Create one with:\n  tenor keys create tenor.key",
		}
	case file == "":
		file = filepath.Join(at.Dir, KeyFileName)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !sealed {
			if err := WriteKeyFile(file); err != nil {
				return seal.Ring{}, err
			}
			log.Info("created a key file", "file", file)
		}
	}
	// The key and a copy of the database give access to every secret in it (A62).
	if err := OwnOnly(file); err != nil {
		return seal.Ring{}, err
	}
	ring, err := ReadKeyFile(file)
	if err != nil {
		return seal.Ring{}, err
	}
	if !sealed {
		if check, err = db.Settle(ctx, settingKeyCheck, ring.Seal([]byte(keyCheck), aboutKeyCheck)); err != nil {
			return seal.Ring{}, err
		}
	}
	if text, err := ring.Open(check, aboutKeyCheck); err != nil || string(text) != keyCheck {
		return seal.Ring{}, &exit.Failure{
			Code: exit.Forbidden, Text: "the key file " + file + " does not belong to this database", Err: err,
			Hint: "Use the key file the database was created with. Nothing else decrypts its data.",
		}
	}
	return ring, nil
}

// ReadKeyFile reads the keys of a deployment, newest first.
func ReadKeyFile(file string) (seal.Ring, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		f := &exit.Failure{Code: exit.Refused, Text: "read key file", Err: err}
		if errors.Is(err, fs.ErrNotExist) {
			f.Code, f.Hint = exit.NotFound, "Check --key-file. For a new database, create a key:\n  tenor keys create "+file
		}
		return seal.Ring{}, f
	}
	ring, err := seal.ParseKeyFile(text)
	if err != nil {
		return seal.Ring{}, &exit.Failure{Code: exit.Refused, Text: "read " + file, Err: err}
	}
	return ring, nil
}

// SandboxRing returns a sandbox's key. It is derived from the database, because nothing in a
// sandbox is secret.
func SandboxRing(cursors []byte) (seal.Ring, error) { return seal.New(seal.Derive(cursors, "sandbox")) }

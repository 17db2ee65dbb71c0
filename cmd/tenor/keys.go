package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"tenor/internal/seal"
	"tenor/internal/store"
)

// settingKeyCheck is a value that the deployment's key has sealed: whoever opens it
// has the right one.
const settingKeyCheck = "key_check"

// aboutKeyCheck and keyCheck are what is sealed there.
const (
	aboutKeyCheck = "setting/key_check"
	keyCheck      = "tenor"
)

// keyFileName is the key file beside a SQLite database if none is named.
const keyFileName = "tenor.key"

// keyFlags name the file with the deployment's key.
type keyFlags struct {
	KeyFile string `name:"key-file" env:"TENOR_KEY_FILE" type:"path" placeholder:"FILE" help:"File with the key that seals secrets in the database and signs its audit chain, the same for every server of it; in a data directory tenor.key if absent."`
}

type keysCreate struct {
	File string `arg:"" type:"path" help:"File to make. It must not exist."`
}

// Examples are shown by -h.
func (keysCreate) Examples() []string { return []string{"keys create /etc/tenor/tenor.key"} }

// Run is called by the parser.
func (c *keysCreate) Run(a *app) error {
	if err := writeKeyFile(c.File); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "Made %s. Keep a copy apart from the database: what is sealed with it opens with nothing else.\n", c.File)
	return nil
}

type keysPublic struct {
	File string `arg:"" type:"path" help:"The key file."`
}

// Examples are shown by -h.
func (keysPublic) Examples() []string { return []string{"keys public /etc/tenor/tenor.key"} }

// Run is called by the parser.
func (c *keysPublic) Run(a *app) error {
	ring, err := readKeyFile(c.File)
	if err != nil {
		return err
	}
	for _, s := range ring.Signers() {
		public := s.PublicKey()
		fmt.Fprintf(a.out, "%s %s\n", s.ID(), base64.StdEncoding.EncodeToString(public[:]))
	}
	return nil
}

// writeKeyFile makes a key file that only its owner reads. It replaces nothing.
func writeKeyFile(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		e := &failure{code: exitRefused, text: "make key file", err: err}
		if errors.Is(err, fs.ErrExist) {
			e.code, e.hint = exitConflict, "A key that seals something must not be lost. To add one, put its line before the others."
		}
		return e
	}
	_, err = f.Write(seal.NewKeyFile())
	return errors.Join(err, f.Sync(), f.Close())
}

// keyRing reads the key of a deployment, and makes one for a data directory that has
// none yet. What the database keeps must open with it (EN15).
func keyRing(ctx context.Context, db store.Backend, at *place, file string, log *slog.Logger) (seal.Ring, error) {
	check, sealed, err := db.Setting(ctx, settingKeyCheck)
	if err != nil {
		return seal.Ring{}, err
	}
	switch {
	case file == "" && at.dir == "":
		return seal.Ring{}, &failure{
			code: exitUsage, text: "PostgreSQL needs a key file: --key-file FILE",
			hint: "It seals secrets in the database, and every server of it has the same. Make one with:\n  tenor keys create tenor.key",
		}
	case file == "":
		file = filepath.Join(at.dir, keyFileName)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !sealed {
			if err := writeKeyFile(file); err != nil {
				return seal.Ring{}, err
			}
			log.Info("made a key file", "file", file)
		}
	}
	// Whoever has the key and a copy of the database has all secrets in it (A62).
	if err := ownOnly(file); err != nil {
		return seal.Ring{}, err
	}
	ring, err := readKeyFile(file)
	if err != nil {
		return seal.Ring{}, err
	}
	if !sealed {
		if check, err = db.Settle(ctx, settingKeyCheck, ring.Seal([]byte(keyCheck), aboutKeyCheck)); err != nil {
			return seal.Ring{}, err
		}
	}
	if text, err := ring.Open(check, aboutKeyCheck); err != nil || string(text) != keyCheck {
		return seal.Ring{}, &failure{
			code: exitForbidden, text: "the key file " + file + " is not that of this database", err: err,
			hint: "Name the file with which the database was first served. Nothing else opens what it sealed.",
		}
	}
	return ring, nil
}

func readKeyFile(file string) (seal.Ring, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		f := &failure{code: exitRefused, text: "read key file", err: err}
		if errors.Is(err, fs.ErrNotExist) {
			f.code, f.hint = exitNotFound, "Is --key-file right? A new database takes a new key, made by:\n  tenor keys create "+file
		}
		return seal.Ring{}, f
	}
	ring, err := seal.ParseKeyFile(text)
	if err != nil {
		return seal.Ring{}, &failure{code: exitRefused, text: "read " + file, err: err}
	}
	return ring, nil
}

// sandboxRing is the key of a sandbox: of what its database holds, because nothing
// in it is secret.
func sandboxRing(cursors []byte) (seal.Ring, error) { return seal.New(seal.Derive(cursors, "sandbox")) }

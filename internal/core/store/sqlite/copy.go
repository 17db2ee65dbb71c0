package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
)

// Copy writes the committed state into a new file, while others may write, and syncs it to
// disk. The file is a complete database without a log. It is an error if it exists.
func (db *DB) Copy(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // VACUUM INTO accepts an empty file
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	c, err := sqlite.OpenConn(db.path, sqlite.OpenReadWrite)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	c.SetInterrupt(ctx.Done())
	k := &conn{c: c}
	err = errors.Join(k.into(path), c.Close())
	if err == nil {
		err = settle(path)
	}
	if err != nil {
		return fmt.Errorf("copy database: %w", full(err))
	}
	return nil
}

// into writes the database into a new file, from one snapshot.
func (k *conn) into(path string) error {
	stmt, _, err := k.c.PrepareTransient("VACUUM INTO ?1")
	if err != nil {
		return err
	}
	stmt.BindText(1, path)
	_, err = stmt.Step()
	return errors.Join(err, stmt.Finalize())
}

// settle syncs a file and its directory entry to disk.
func settle(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Replace replaces the content of one database file with another's in one transaction, so
// that a kill or a loss of power leaves the old or the new content, never a mixture. No
// process may have the database at path open; the one at from is only read.
func Replace(path, from string) (err error) {
	held, err := lock(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	to, err := connect(path, Options{}, writing)
	if err != nil {
		return fmt.Errorf("replace database: %w", err)
	}
	defer func() { err = errors.Join(err, to.c.Close()) }()
	src, err := sqlite.OpenConn(from, sqlite.OpenReadWrite)
	if err != nil {
		return fmt.Errorf("replace database: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	b, err := sqlite.NewBackup(to.c, "main", src, "main")
	if err != nil {
		return fmt.Errorf("replace database: %w", err)
	}
	_, err = b.Step(-1) // all pages, and the commit
	if err = errors.Join(err, b.Close()); err != nil {
		return fmt.Errorf("replace database: %w", full(err))
	}
	return nil
}

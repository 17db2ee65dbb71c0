package ach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tenor/internal/ports/rails"
)

// Folder is a bank behind a local directory, which a program of the bank or of the operator
// empties and fills. out contains what we send, in what the bank leaves, done what we have
// processed, and sent a mark of each file handed over. A file appears in out completely or not at
// all.
type Folder struct {
	root string
	dirs dirs
}

// NewFolder creates the directories, readable by their owner only.
func NewFolder(dir string) (*Folder, error) {
	f := &Folder{root: dir, dirs: dirs{out: "out", in: "in", done: "done", sent: "sent", read: newReads()}}
	for _, d := range []string{f.dirs.out, f.dirs.in, f.dirs.done, f.dirs.sent} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, fmt.Errorf("ach: create folder: %w", err)
		}
	}
	return f, nil
}

// Send puts a file into out. The same name with the same bytes has no effect, even if the bank
// has taken the file away; other bytes return ErrTaken.
func (f *Folder) Send(_ context.Context, name string, content []byte) error {
	if err := f.dirs.send(disk(f.root), name, content); err != nil {
		return fmt.Errorf("ach: send %s: %w", name, err)
	}
	return nil
}

// Fetch reads the files in in, oldest first, at most a hundred at a time.
func (f *Folder) Fetch(context.Context) ([]rails.Incoming, error) {
	list, err := f.dirs.fetch(disk(f.root))
	if err != nil {
		return nil, fmt.Errorf("ach: fetch: %w", err)
	}
	return list, nil
}

// Done moves a file from in to done. It is idempotent.
func (f *Folder) Done(_ context.Context, name string) error {
	if err := f.dirs.finish(disk(f.root), name); err != nil {
		return fmt.Errorf("ach: finish %s: %w", name, err)
	}
	return nil
}

// disk is a local directory tree.
type disk string

func (d disk) path(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

func (d disk) put(name string, content []byte) error {
	dir := filepath.Dir(d.path(name))
	f, err := os.CreateTemp(dir, ".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), d.path(name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

func (d disk) get(name string) ([]byte, error) {
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	return content, errors.Join(err, f.Close())
}

func (d disk) rename(from, to string) error {
	if err := os.Rename(d.path(from), d.path(to)); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(d.path(to))); err != nil {
		return err
	}
	return syncDir(filepath.Dir(d.path(from)))
}

func (d disk) list(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(d.path(dir))
	if err != nil {
		return nil, err
	}
	var out []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	return out, nil
}

func (d disk) exists(name string) (bool, error) {
	_, err := os.Lstat(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

package ach

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"tenor/internal/ports/rails"
)

// ErrTaken means that different content has been sent under the name.
var ErrTaken = errors.New("ach: a different file was sent under this name")

// tree is a directory tree shared with a bank. Names are relative to it.
type tree interface {
	// put writes a file atomically: after a crash it exists completely or not at all.
	put(name string, content []byte) error
	// get reads at most MaxFile + 1 bytes. The error wraps fs.ErrNotExist.
	get(name string) ([]byte, error)
	// rename fails with fs.ErrNotExist if there is nothing to rename.
	rename(from, to string) error
	list(dir string) ([]fs.FileInfo, error)
	exists(name string) (bool, error)
}

// dirs are the directories of a tree.
type dirs struct {
	out  string // what we send
	in   string // what the bank leaves
	done string // what we have processed
	sent string // marks of what we have sent; "" if the tree cannot have any
	read *reads // what has been fetched but not processed
}

// reads remembers the content of files by name, as digests: a bank may leave another file under a
// name before the first one is moved away.
type reads struct {
	mu sync.Mutex
	of map[string][sha256.Size]byte
}

func newReads() *reads { return &reads{of: map[string][sha256.Size]byte{}} }

func (r *reads) keep(name string, content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of[name] = sha256.Sum256(content)
}

// other reports whether a content differs from the remembered one, and forgets that.
func (r *reads) other(name string, content []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept, known := r.of[name]
	delete(r.of, name)
	return known && kept != sha256.Sum256(content)
}

// send hands a file over exactly once, despite interruptions and repeated calls. The bank takes
// files away, so an empty directory does not tell whether one was there. The file is first
// written next to its final place; then a mark with its digest is written; then the file is moved
// into place. If a mark exists, a file still next to its place is moved, and a missing one has
// been handed over.
func (d dirs) send(t tree, name string, content []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	part, whole := path.Join(d.out, "."+name+".part"), path.Join(d.out, name)
	if d.sent == "" {
		old, err := t.get(whole)
		switch {
		case err == nil && string(old) != string(content):
			return ErrTaken
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := t.put(part, content); err != nil {
			return err
		}
		return t.rename(part, whole)
	}
	sum := sha256.Sum256(content)
	digest, mark := hex.EncodeToString(sum[:]), path.Join(d.sent, name+".sha256")
	old, err := t.get(mark)
	switch {
	case err == nil && strings.TrimSpace(string(old)) != digest:
		return ErrTaken
	case errors.Is(err, fs.ErrNotExist):
		if err := t.put(part, content); err != nil {
			return err
		}
		if err := t.put(mark, []byte(digest+"\n")); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if err := t.rename(part, whole); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxFetch is how many files are fetched at a time; the others follow next time.
const maxFetch = 100

// fetch reads what the bank has left, oldest first. Names that begin with a dot, or end in the
// way that programs name incomplete files, are ignored.
func (d dirs) fetch(t tree) ([]rails.Incoming, error) {
	list, err := t.list(d.in)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(f fs.FileInfo) bool { return !f.Mode().IsRegular() || unfinished(f.Name()) })
	slices.SortFunc(list, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	var out []rails.Incoming
	for _, f := range list[:min(len(list), maxFetch)] {
		content, err := t.get(path.Join(d.in, f.Name()))
		if errors.Is(err, fs.ErrNotExist) { // somebody has taken it away
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		d.read.keep(f.Name(), content)
		out = append(out, rails.Incoming{Name: f.Name(), Content: content})
	}
	return out, nil
}

func unfinished(name string) bool {
	return checkName(name) != nil || slices.Contains([]string{".part", ".tmp", ".filepart"}, strings.ToLower(path.Ext(name)))
}

// finish moves a file out of the way. A missing one was moved before. Banks reuse names: the
// second file gets a number, and one that arrived after the first was fetched is put back to be
// fetched.
func (d dirs) finish(t tree, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	to, err := free(t, path.Join(d.done, name))
	if err != nil {
		return err
	}
	err = t.rename(path.Join(d.in, name), to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := t.get(to)
	if err != nil || !d.read.other(name, content) {
		return err
	}
	back, err := free(t, path.Join(d.in, name))
	if err != nil {
		return err
	}
	return t.rename(to, back)
}

// free returns a name, with a number if it is taken.
func free(t tree, name string) (string, error) {
	to := name
	for n := 2; ; n++ {
		if taken, err := t.exists(to); err != nil || !taken {
			return to, err
		}
		to = fmt.Sprintf("%s.%d", name, n)
	}
}

// checkName refuses what is not a plain file name.
func checkName(name string) error {
	if name == "" || len(name) > 200 || name[0] == '.' || strings.ContainsAny(name, "/\\") || !printable(name) {
		return fmt.Errorf("%w: %.40q is not a valid name", ErrFile, name)
	}
	return nil
}

package ach

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/ports/rails"
)

var _ rails.Bank = (*Folder)(nil)

// bankSide is the bank's part in the shared tree.
type bankSide struct {
	t   testing.TB
	dir string
}

func (b bankSide) leave(name, content string, age time.Duration) {
	b.t.Helper()
	file := filepath.Join(b.dir, "in", name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	when := time.Now().Add(-age)
	if err := os.Chtimes(file, when, when); err != nil {
		b.t.Fatal(err)
	}
}

// take removes everything from a directory and returns it by name.
func (b bankSide) take(dir string) map[string]string {
	b.t.Helper()
	out := map[string]string{}
	list, err := os.ReadDir(filepath.Join(b.dir, dir))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range list {
		file := filepath.Join(b.dir, dir, e.Name())
		content, err := os.ReadFile(file)
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		out[e.Name()] = string(content)
	}
	return out
}

// exchange is the story that every transport must play.
func exchange(t *testing.T, bank rails.Bank, side bankSide) {
	ctx := t.Context()
	large := strings.Repeat("627990000000100000000\n", 40_000)
	for range 3 { // again, before the bank has seen it
		if err := bank.Send(ctx, "achf_20260213_A", []byte(large)); err != nil {
			t.Fatal(err)
		}
	}
	if got := side.take("out"); len(got) != 1 || got["achf_20260213_A"] != large {
		t.Fatalf("the bank finds %d files", len(got))
	}
	if err := bank.Send(ctx, "achf_20260213_A", []byte(large)); err != nil {
		t.Fatal(err)
	}
	if got := side.take("out"); len(got) != 0 {
		t.Errorf("a file that the bank has taken away arrives again: %d", len(got))
	}
	if err := bank.Send(ctx, "achf_20260213_A", []byte("other")); !errors.Is(err, ErrTaken) {
		t.Errorf("other bytes under the same name: %v", err)
	}
	if err := bank.Send(ctx, "../evil", []byte("x")); err == nil {
		t.Error("a path is taken for a name")
	}

	if got, err := bank.Fetch(ctx); err != nil || len(got) != 0 {
		t.Fatalf("%d files, %v", len(got), err)
	}
	side.leave("new.ach", "second", time.Minute)
	side.leave("old.ach", "first", time.Hour)
	side.leave(".hidden", "x", 0)
	side.leave("growing.ach.filepart", "x", 0)
	for range 2 { // until they are done
		got, err := bank.Fetch(ctx)
		if err != nil || len(got) != 2 || got[0].Name != "old.ach" || string(got[0].Content) != "first" || string(got[1].Content) != "second" {
			t.Fatalf("%v, %v", got, err)
		}
	}
	for range 2 { // the response to the first was lost
		if err := bank.Done(ctx, "old.ach"); err != nil {
			t.Fatal(err)
		}
	}
	side.leave("old.ach", "third", 0) // the bank reuses the name
	got, err := bank.Fetch(ctx)
	if err != nil || len(got) != 2 || string(got[1].Content) != "third" {
		t.Fatalf("%v, %v", got, err)
	}
	for _, name := range []string{"old.ach", "new.ach"} {
		if err := bank.Done(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := bank.Fetch(ctx); err != nil || len(got) != 0 {
		t.Errorf("%d files, %v", len(got), err)
	}
	if done := side.take("done"); done["old.ach"] != "first" || done["old.ach.2"] != "third" || done["new.ach"] != "second" {
		t.Errorf("done: %v", done)
	}
	if err := bank.Done(ctx, "../done/new.ach"); err == nil {
		t.Error("a path is taken for a name")
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	bank, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	exchange(t, bank, bankSide{t, dir})
}

// The bank leaves another file under the name before the first is moved away: the second is
// fetched too, and the file then present stays.
func TestReplacedBeforeDone(t *testing.T) {
	dir := t.TempDir()
	bank, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	leave := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "in", "returns.ach"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var read []string
	fetch := func() string {
		list, err := bank.Fetch(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		read = append(read, string(list[0].Content))
		return list[0].Name
	}
	leave("monday")
	name := fetch()
	leave("tuesday")
	if err := bank.Done(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if err := bank.Done(t.Context(), fetch()); err != nil {
		t.Fatal(err)
	}
	if list, err := bank.Fetch(t.Context()); err != nil || len(list) != 0 || strings.Join(read, " ") != "monday tuesday" {
		t.Errorf("read %q, and there is %+v, %v", read, list, err)
	}
}

// broken is a tree that fails after a number of changes, like a killed process.
type broken struct {
	tree
	left *int
}

var errBroken = errors.New("killed")

func (b broken) step() error {
	if *b.left--; *b.left < 0 {
		return errBroken
	}
	return nil
}

func (b broken) put(name string, content []byte) error {
	if err := b.step(); err != nil {
		return err
	}
	return b.tree.put(name, content)
}

func (b broken) rename(from, to string) error {
	if err := b.step(); err != nil {
		return err
	}
	return b.tree.rename(from, to)
}

// Killed after any step and retried, the bank gets the file once, whether or not it empties the
// directory in between.
func TestSendOnceAfterAKill(t *testing.T) {
	d := dirs{out: "out", in: "in", done: "done", sent: "sent"}
	for steps := range 5 {
		for _, empties := range []bool{false, true} {
			dir := t.TempDir()
			if _, err := NewFolder(dir); err != nil {
				t.Fatal(err)
			}
			side, left := bankSide{t, dir}, steps
			err := d.send(broken{disk(dir), &left}, "f", []byte("content"))
			if (steps < 3) != errors.Is(err, errBroken) {
				t.Fatalf("after %d steps: %v", steps, err)
			}
			got := 0
			count := func() {
				for name, content := range side.take("out") {
					if name[0] == '.' { // not in place: the bank does not see it
						if err := os.WriteFile(filepath.Join(dir, "out", name), []byte(content), 0o600); err != nil {
							t.Fatal(err)
						}
						continue
					}
					if got++; content != "content" {
						t.Errorf("the bank finds %q", content)
					}
				}
			}
			if empties {
				count()
			}
			for range 2 {
				if err := d.send(disk(dir), "f", []byte("content")); err != nil {
					t.Fatal(err)
				}
			}
			if count(); got != 1 {
				t.Errorf("killed after %d steps, emptied %v: the bank finds it %d times", steps, empties, got)
			}
		}
	}
}

// A tree without marks compares with what exists.
func TestSendWithoutMarks(t *testing.T) {
	dir := t.TempDir()
	if _, err := NewFolder(dir); err != nil {
		t.Fatal(err)
	}
	d := dirs{out: "out", in: "in", done: "done"}
	for range 2 {
		if err := d.send(disk(dir), "f", []byte("content")); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.send(disk(dir), "f", []byte("other")); !errors.Is(err, ErrTaken) {
		t.Errorf("other bytes: %v", err)
	}
	if got := (bankSide{t, dir}).take("out"); len(got) != 1 || got["f"] != "content" {
		t.Errorf("%v", got)
	}
}

// A file that is too large is read partially, which Read refuses: it blocks nothing.
func TestFetchIsBounded(t *testing.T) {
	dir := t.TempDir()
	bank, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	bankSide{t, dir}.leave("huge", string(bytes.Repeat([]byte("9"), MaxFile+100)), 0)
	got, err := bank.Fetch(context.Background())
	if err != nil || len(got) != 1 || len(got[0].Content) != MaxFile+1 {
		t.Fatalf("%d files, %v", len(got), err)
	}
	if _, err := Read(tenor(), "huge", got[0].Content); !errors.Is(err, ErrFile) {
		t.Errorf("read: %v", err)
	}
}

func TestFolderIsPrivate(t *testing.T) {
	dir := path.Join(t.TempDir(), "bank")
	bank, err := NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := bank.Send(t.Context(), "f", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read %s: %s", name, info.Mode())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

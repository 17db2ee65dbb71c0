package sqlite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
)

// filled creates a database with some pages of one letter, and returns its dump.
func filled(t *testing.T, path, letter string) string {
	t.Helper()
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 100 {
		if err := db.PutSetting(t.Context(), fmt.Sprintf("page %03d", i), bytes.Repeat([]byte(letter), 3000)); err != nil {
			t.Fatal(err)
		}
	}
	return dumped(t, db)
}

func dumped(t *testing.T, db *DB) string {
	t.Helper()
	var b bytes.Buffer
	if err := store.WriteDump(t.Context(), db, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// content opens a database and dumps it.
func content(t *testing.T, path string) string {
	t.Helper()
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Integrity(t.Context(), func(text string) { t.Error(text) }); err != nil {
		t.Fatal(err)
	}
	return dumped(t, db)
}

// A copy contains what was committed, and nothing later; it is private, and never
// overwrites another file.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "a.db"), filepath.Join(dir, "copy.db")
	filled(t, path, "a")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	before := dumped(t, db)
	if err := db.Copy(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := db.PutSetting(t.Context(), "later", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if content(t, to) != before || dumped(t, db) == before {
		t.Error("the copy is not what was there")
	}
	if err := db.Copy(t.Context(), to); err == nil {
		t.Error("a copy was written over a file")
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info.Mode(), err)
	}
}

// A database is replaced completely, unless somebody has it open.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, from := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	filled(t, path, "a")
	want := filled(t, from, "b")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, from); err == nil || !strings.Contains(err.Error(), "held by another process") {
		t.Errorf("a database that is held: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, from); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != want || content(t, from) != want {
		t.Error("it is not the other one")
	}
}

// replaceForever names the directory in which a process of this test replaces a database
// until it is killed.
const replaceForever = "TENOR_TEST_REPLACE"

// A kill -9 in the middle leaves the old database or the new one.
func TestReplaceKilled(t *testing.T) {
	if dir := os.Getenv(replaceForever); dir != "" {
		for {
			for _, from := range []string{"a.db", "b.db"} {
				if err := Replace(filepath.Join(dir, "live.db"), filepath.Join(dir, from)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	dir := t.TempDir()
	a, b := filled(t, filepath.Join(dir, "a.db"), "a"), filled(t, filepath.Join(dir, "b.db"), "b")
	filled(t, filepath.Join(dir, "live.db"), "a")
	for round := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestReplaceKilled$")
		cmd.Env = append(os.Environ(), replaceForever+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(50+rand.IntN(100)) * time.Millisecond) // kill it at a random point
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if got := content(t, filepath.Join(dir, "live.db")); got != a && got != b {
			t.Fatalf("round %d: a mixture of both", round)
		}
	}
}

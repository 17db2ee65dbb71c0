package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/seal"
	"tenor/internal/proof/pgtest"
)

// keyFile creates a key file for one test.
func keyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tenor.key")
	if _, errs, code := do(clock.Wall{}.Now, "keys", "create", file); code != exit.Done {
		t.Fatalf("keys create ended with %d: %s", code, errs)
	}
	return file
}

// A key file is readable by its owner only, opens what it sealed, and is never overwritten.
func TestKeysCreate(t *testing.T) {
	file := keyFile(t)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.ParseKeyFile(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ring.Open(ring.Seal([]byte("x"), "y"), "y"); err != nil || string(got) != "x" {
		t.Errorf("opened %q, %v", got, err)
	}
	_, errs, code := do(clock.Wall{}.Now, "keys", "create", file)
	if code != exit.Conflict || !strings.Contains(errs, "Do not overwrite a key in use") {
		t.Errorf("a second time it ended with %d: %s", code, errs)
	}
	if again, _ := os.ReadFile(file); string(again) != string(text) {
		t.Error("the key was replaced")
	}
}

// A server does not start without its key, or with a wrong one (EN15).
func TestKeyGuards(t *testing.T) {
	serve := func(args ...string) (string, int) {
		_, errs, code := do(clock.Wall{}.Now, append([]string{"serve", "--addr", "256.0.0.1:0"}, args...)...)
		return errs, code
	}
	dir := t.TempDir()
	for _, where := range [][]string{{"--data", dir}, {"--database", pgtest.Database(t)}} {
		create := append([]string{"merchants", "create", "Harbor Supply", "--reason", "x"}, where...)
		if _, errs, code := do(clock.Wall{}.Now, create...); code != exit.Done {
			t.Fatalf("merchants create ended with %d: %s", code, errs)
		}
		own := where
		if where[0] == "--database" {
			errs, code := serve(where...)
			if code != exit.Usage || !strings.Contains(errs, "tenor keys create") {
				t.Errorf("without a key it ended with %d: %s", code, errs)
			}
			own = append(where, "--key-file", keyFile(t))
		}
		// Listening fails, so getting that far means that the key was accepted.
		if errs, code := serve(own...); code != exit.Refused || !strings.Contains(errs, "listen on") {
			t.Errorf("with its key it ended with %d: %s", code, errs)
		}
		if errs, code := serve(append(where, "--key-file", keyFile(t))...); code != exit.Forbidden || !strings.Contains(errs, "does not belong to this database") {
			t.Errorf("with another key it ended with %d: %s", code, errs)
		}
		if errs, code := serve(append(where, "--key-file", filepath.Join(dir, "none"))...); code != exit.NotFound {
			t.Errorf("with a file that is not there it ended with %d: %s", code, errs)
		}
	}
	// The key of a directory is not created a second time.
	if err := os.Remove(filepath.Join(dir, node.KeyFileName)); err != nil {
		t.Fatal(err)
	}
	if errs, code := serve("--data", dir); code != exit.NotFound {
		t.Errorf("after the key was lost it ended with %d: %s", code, errs)
	}
	damaged := filepath.Join(dir, "damaged")
	if err := os.WriteFile(damaged, []byte("k1:s3cr3t"), 0o600); err != nil {
		t.Fatal(err)
	}
	if errs, code := serve("--data", dir, "--key-file", damaged); code != exit.Refused || strings.Contains(errs, "s3cr3t") {
		t.Errorf("with a damaged file it ended with %d: %s", code, errs)
	}
}

// With a key that others can read, no server starts on live data (A62); doctor reports it and
// restricts access.
func TestOpenKeyFile(t *testing.T) {
	dir := t.TempDir()
	if _, errs, code := do(clock.Wall{}.Now, "merchants", "create", "Harbor Supply", "--reason", "x", "--data", dir); code != exit.Done {
		t.Fatalf("merchants create ended with %d: %s", code, errs)
	}
	serve := func(args ...string) (string, int) {
		_, errs, code := do(clock.Wall{}.Now, append([]string{"serve", "--addr", "256.0.0.1:0", "--data", dir}, args...)...)
		return errs, code
	}
	if errs, code := serve(); code != exit.Refused || !strings.Contains(errs, "listen on") {
		t.Fatalf("with its key it ended with %d: %s", code, errs)
	}
	key := filepath.Join(dir, node.KeyFileName)
	for _, mode := range []os.FileMode{0o604, 0o640, 0o644, 0o660, 0o601, 0o777} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		if mode == 0o640 && os.Geteuid() != 0 {
			continue // ownership decides
		}
		if errs, code := serve(); code != exit.Forbidden || !strings.Contains(errs, "chmod 600 "+key) {
			t.Errorf("mode %o ended with %d: %s", mode, code, errs)
		}
	}
	if errs, code := serve("--key-file", key); code != exit.Forbidden {
		t.Errorf("the same file by its name ended with %d: %s", code, errs)
	}
	if err := os.Chmod(key, 0o400); err != nil {
		t.Fatal(err)
	}
	if errs, code := serve(); code != exit.Refused {
		t.Errorf("read only by its owner it ended with %d: %s", code, errs)
	}
	// What the rails file names is just as secret.
	rails, secret := filepath.Join(dir, "rails.json"), filepath.Join(dir, "card")
	for file, text := range map[string]string{rails: `{"card":{"secret_file":"card"}}`, secret: "sk_live_1"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if errs, code := serve("--rails", rails); code != exit.Forbidden || !strings.Contains(errs, secret) {
		t.Errorf("an open secret of the rails ended with %d: %s", code, errs)
	}
}

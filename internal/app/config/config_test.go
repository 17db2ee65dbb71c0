package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write creates a settings file.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A line is a name and a value; anything else is refused with its line number, and is not shown.
func TestRead(t *testing.T) {
	f, err := Read(write(t, t.TempDir(), "tenor.toml", "\ufeff# where it listens\r\naddr = \"127.0.0.1:80\\u00380\" # loopback\n\n"+
		"codes=7\nstandby = true\nrails = 'C:\\rails.json'\ntrusted_proxies = [\"10.0.0.0/8\", \"fd00::/8\",]\nmax_connections = 4_096\nwebhook_allow = []\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Setting{
		{"addr", "127.0.0.1:8080", 2}, {"codes", "7", 4}, {"standby", "true", 5}, {"rails", `C:\rails.json`, 6},
		{"trusted_proxies", "10.0.0.0/8,fd00::/8", 7}, {"max_connections", "4096", 8}, {"webhook_allow", "", 9},
	}
	if len(f.Settings) != len(want) {
		t.Fatalf("%d settings: %v", len(f.Settings), f.Settings)
	}
	for i, s := range f.Settings {
		if s != want[i] {
			t.Errorf("%+v, want %+v", s, want[i])
		}
	}
	for text, says := range map[string]string{
		"[server]":                     "line 1: expected a name",
		"server.addr = 'x'":            "expected a name",
		"\nAddr = 'x'":                 "line 2: expected a name",
		"addr":                         "expected a name",
		"addr = hunter2":               "must be a quoted string",
		"addr = 'hunter2":              "must be a quoted string",
		"addr = \"a\\qhunter2\"":       "an escape",
		"addr = 'x' 'hunter2'":         "unexpected text after the value",
		"proxies = ['a'":               "does not end",
		"proxies = ['a' 'b']":          "does not end",
		"addr = 'a'\n\naddr = 'b'":     "line 3: addr is already set on line 1",
		"drain = 5s":                   "unexpected text after the value",
		"addr = '" + "hunter2\n" + "'": "must be a quoted string",
	} {
		_, err := Read(write(t, t.TempDir(), "tenor.toml", text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A file that others can write is not trusted, and something that is not a file is refused.
func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "tenor.toml", "codes = 7")
	if err := os.Chmod(path, 0o620); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); os.PathSeparator == '/' && !errors.Is(err, ErrOpen) {
		t.Errorf("a file that a group may write: %v", err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("a directory is read")
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// The nearest file wins, also over settings excluded by what it says.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	files, err := ReadAll([]string{
		write(t, dir, "near", "codes = 7\ndatabase = 'postgres://localhost/near'"), filepath.Join(dir, "none"),
		write(t, dir, "far", "codes = 8\naddr = ':80'\ndata = '/far'"),
	})
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, x := range []struct {
		name     string
		excludes []string
		value    string
		file     string
	}{
		{"codes", nil, "7", "near"}, {"addr", nil, ":80", "far"}, {"drain", nil, "", "."},
		{"data", nil, "/far", "far"}, {"data", []string{"database"}, "", "."}, {"database", []string{"data"}, "postgres://localhost/near", "near"},
	} {
		s, f, found := Find(files, x.name, x.excludes...)
		if s.Value != x.value || found != (x.file != ".") || filepath.Base(f.Path) != x.file {
			t.Errorf("%s without %v: %q of %s", x.name, x.excludes, s.Value, f.Path)
		}
	}
}

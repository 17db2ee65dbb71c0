package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

var rewrite = flag.Bool("rewrite", false, "write docs/settings.md anew, to be reviewed like code")

// place is where files of settings are looked for in a test: nothing of this machine is.
type place struct{ here, user, system string }

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t.TempDir(), t.TempDir(), t.TempDir()}
	t.Chdir(p.here)
	t.Setenv("XDG_CONFIG_HOME", p.user)
	if err := os.Mkdir(filepath.Join(p.user, "tenor"), 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// says writes a file of settings.
func (p place) says(t *testing.T, where, text string) {
	t.Helper()
	path := map[string]string{
		"here": filepath.Join(p.here, "tenor.toml"), "user": filepath.Join(p.user, "tenor", "config.toml"), "system": filepath.Join(p.system, "tenor.toml"),
	}[where]
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p place) app(out, errs io.Writer) *terminal.App {
	return &terminal.App{In: strings.NewReader(""), Out: out, Err: errs, Getenv: os.Getenv, SystemDir: p.system, Program: "tenor", Wall: time.Now}
}

// types runs a line and returns what it printed.
func (p place) types(t *testing.T, line ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(t.Context(), line, p.app(&o, &e))
	return o.String(), e.String(), code
}

// serve is what serve is told by everything together.
func (p place) serve(t *testing.T, line ...string) Grammar {
	t.Helper()
	var g Grammar
	parser, err := newParser(t.Context(), p.app(io.Discard, io.Discard), &g)
	if err == nil {
		_, err = parser.Parse(append([]string{"serve"}, line...))
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A flag counts before the environment, that before the nearest file, and the default last:
// each source is taken away in turn, and the next one counts. config show names it.
func TestPrecedence(t *testing.T) {
	for _, x := range []struct {
		key, flag     string
		values        [5]string // of flag, environment, and the files here, of the user and of the system
		standard      string
		got           func(Grammar) string
		inFileQuoting string
	}{
		{"addr", "--addr", [5]string{":1", ":2", ":3", ":4", ":5"}, "127.0.0.1:8080", func(g Grammar) string { return g.Serve.Addr }, `"`},
		{"drain", "--drain", [5]string{"1s", "2s", "3s", "4s", "5s"}, "5s", func(g Grammar) string { return g.Serve.Drain.String() }, `'`},
		{"node", "--node", [5]string{"one", "two", "three", "four", "five"}, "", func(g Grammar) string { return g.Serve.Node }, `"`},
	} {
		t.Run(x.key, func(t *testing.T) {
			p := newPlace(t)
			variable := prefix + strings.ToUpper(x.key)
			files := []string{"here", "user", "system"}
			for i, f := range files {
				p.says(t, f, x.key+" = "+x.inFileQuoting+x.values[2+i]+x.inFileQuoting)
			}
			t.Setenv(variable, x.values[1])
			if got := x.got(p.serve(t, x.flag, x.values[0])); got != x.values[0] {
				t.Errorf("the flag: %q, want %q", got, x.values[0])
			}
			p.counts(t, x.key, x.values[1], "environment", variable, x.got)
			if err := os.Unsetenv(variable); err != nil { // Setenv puts it back
				t.Fatal(err)
			}
			for i, f := range files {
				from := []string{"tenor.toml", filepath.Join(p.user, "tenor", "config.toml"), filepath.Join(p.system, "tenor.toml")}[i]
				p.counts(t, x.key, x.values[2+i], "file", from, x.got)
				p.says(t, f, "")
			}
			source := "default"
			if x.standard == "" {
				source = "unset"
			}
			p.counts(t, x.key, x.standard, source, "", x.got)
		})
	}
}

// counts asks what serve is told, and what config show says of it.
func (p place) counts(t *testing.T, key, value, source, from string, got func(Grammar) string) {
	t.Helper()
	if told := got(p.serve(t)); told != value {
		t.Errorf("serve is told %q, want %q of %s", told, value, source)
	}
	if x := p.shown(t)[key]; x != (shownSetting{key, value, source, from}) {
		t.Errorf("config show: %+v, want %q of %s %s", x, value, source, from)
	}
}

// shown is what config show says of each setting.
func (p place) shown(t *testing.T) map[string]shownSetting {
	t.Helper()
	out, errs, code := p.types(t, "config", "show", "--json")
	var list struct{ Data []shownSetting }
	if err := json.Unmarshal([]byte(out), &list); code != exit.Done || err != nil {
		t.Fatalf("config show ended with %d: %v %s", code, err, errs)
	}
	all := map[string]shownSetting{}
	for _, x := range list.Data {
		all[x.Key] = x
	}
	return all
}

// Where the data are is said once: a nearer place that names a database means no directory
// that a farther one names.
func TestDatabaseOfAFile(t *testing.T) {
	p := newPlace(t)
	p.says(t, "here", "database = 'postgres://near@db.internal/books'")
	p.says(t, "system", "data = '/var/lib/tenor'")
	if g := p.serve(t); g.Serve.Data != "" || g.Serve.Database == "" {
		t.Errorf("the nearest file: %q, %q", g.Serve.Data, g.Serve.Database)
	}
	t.Setenv("TENOR_DATA", "/srv/tenor")
	if g := p.serve(t); g.Serve.Data != "/srv/tenor" || g.Serve.Database != "" {
		t.Errorf("the environment: %q, %q", g.Serve.Data, g.Serve.Database)
	}
	t.Setenv("TENOR_DATA", "")
	p.says(t, "here", "data = 'books'\nkey_file = 'tenor.key'")
	if err := os.Unsetenv("TENOR_DATA"); err != nil {
		t.Fatal(err)
	}
	g := p.serve(t)
	if want := filepath.Join(p.here, "books"); g.Serve.Data != want || g.Serve.KeyFile != filepath.Join(p.here, "tenor.key") {
		t.Errorf("a path of a file is %q, want %q", g.Serve.Data, want)
	}
	out, errs, code := p.types(t, "db", "status")
	if code != exit.NotFound || !strings.Contains(errs, "books") {
		t.Errorf("db status ended with %d: %s%s", code, out, errs)
	}
}

// One file can be named, and then it is the only one. It must be there.
func TestNamedFile(t *testing.T) {
	p := newPlace(t)
	p.says(t, "here", "addr = ':1'")
	p.says(t, "system", "node = 'far'")
	one := filepath.Join(t.TempDir(), "one.toml")
	t.Setenv("TENOR_CONFIG", one)
	if _, errs, code := p.types(t, "config", "show"); code != exit.Usage || !strings.Contains(errs, "one.toml") {
		t.Errorf("a file that is not there: %d %s", code, errs)
	}
	if err := os.WriteFile(one, []byte("codes = 7\ntrusted_proxies = ['10.1.0.0/16', '10.2.0.0/16']\nstandby = true"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := p.serve(t)
	if g.Serve.Codes != 7 || g.Serve.Addr != "127.0.0.1:8080" || g.Serve.Node != "" || len(g.Serve.Proxies) != 2 || !g.Serve.Standby {
		t.Errorf("%+v", g.Serve)
	}
}

// Secrets are masked wherever they come from, and cannot stand in a file of settings.
func TestSecretsAreMasked(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TENOR_TOKEN", "tnr_hunter2")
	t.Setenv("TENOR_DATABASE", "postgres://tenor:hunter2@db.internal:5432/books")
	t.Setenv("TENOR_HEADS", "https://tenor:hunter2@heads.example/put?sig=hunter2")
	out, _, code := p.types(t, "config", "show")
	for _, want := range []string{"db.internal:5432", "https://***@heads.example/put?***"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not shown", want)
		}
	}
	if code != exit.Done || strings.Contains(out, "hunter2") {
		t.Errorf("%d: %s", code, out)
	}
	t.Setenv("TENOR_DATABASE", "postgres://tenor:hun/ter2@db.internal/books")
	if out, _, _ = p.types(t, "config", "show"); strings.Contains(out, "ter2") {
		t.Errorf("an address that is none: %s", out)
	}
	p.says(t, "here", "token = 'tnr_hunter2'")
	for _, line := range [][]string{{"config", "show"}, {"config", "validate"}, {"orders", "list"}} {
		if out, errs, code := p.types(t, line...); code != exit.Usage || !strings.Contains(errs, "token_file") || strings.Contains(out+errs, "hunter2") {
			t.Errorf("%v ended with %d: %s%s", line, code, out, errs)
		}
	}
}

// What nobody knows, or no flag takes, is refused with file and line; help is there all the
// same.
func TestValidate(t *testing.T) {
	p := newPlace(t)
	if _, errs, code := p.types(t, "config", "validate"); code != exit.Done || !strings.Contains(errs, "No settings file found") {
		t.Errorf("without a file: %d %s", code, errs)
	}
	for text, says := range map[string]string{
		"adr = ':80'": `line 1: there is no setting adr, did you mean "addr"?`, "\ncodes = 'many'": "line 2: codes", "drain = 'soon'": "line 1: drain",
		"request_log = 'maybe'": "must be one of on,off", "data = 'a'\ndatabase = 'sqlite:b'": "both data and database", "[serve]": "tables are not supported",
	} {
		p.says(t, "here", text)
		if _, errs, code := p.types(t, "config", "validate"); code != exit.Usage || !strings.Contains(errs, "tenor.toml") || !strings.Contains(errs, says) {
			t.Errorf("%q ended with %d: %s", text, code, errs)
		}
	}
	if _, errs, code := p.types(t, "serve", "-h"); code != exit.Done {
		t.Errorf("help ended with %d: %s", code, errs)
	}
	p.says(t, "here", "codes = 7\naddr = ':80'")
	if out, errs, code := p.types(t, "config", "validate"); code != exit.Done || out != "tenor.toml: 2 settings\n" {
		t.Errorf("%d %q %s", code, out, errs)
	}
}

// A client signs in with what a file says.
func TestClientOfAFile(t *testing.T) {
	p := newPlace(t)
	p.says(t, "user", "url = 'http://127.0.0.1:1'\nclient_id = 'cli_1'\nclient_secret_file = 'none.key'")
	_, errs, code := p.types(t, "orders", "list")
	if want := filepath.Join(p.user, "tenor", "none.key"); code == exit.Done || !strings.Contains(errs, want) {
		t.Errorf("ended with %d: %s, want %s", code, errs, want)
	}
}

// The reference is what the parser knows: docs/settings.md is printed, not written.
func TestSettingsPage(t *testing.T) {
	page, err := filepath.Abs("../../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	out, errs, code := p.types(t, "config", "docs")
	if code != exit.Done {
		t.Fatal(errs)
	}
	if *rewrite {
		if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || string(text) != out {
		t.Errorf("docs/settings.md is not what config docs prints (%v): make generate", err)
	}
}

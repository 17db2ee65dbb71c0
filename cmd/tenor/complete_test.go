package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// completes returns the first column of what complete prints.
func (d *desk) completes(words ...string) string {
	d.t.Helper()
	var out []string
	for line := range strings.Lines(d.must(append([]string{"complete", "--"}, words...)...)) {
		word, _, _ := strings.Cut(line, "\t")
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

func TestComplete(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	for _, x := range []struct{ line, want string }{
		{"ord", "orders"}, {"orders ca", "capture cancel"}, {"orders capture ", "ord_2 ord_1"}, {"orders capture ord_1", "ord_1"}, {"orders capture ord_1 ", ""},
		{"orders capture --dry-run ord_2", "ord_2"}, {"orders list --stat", "--status"}, {"orders list --status CAP", "CAPTURED"}, {"orders list --status=CAP", "--status=CAPTURED"},
		{"orders list --status = CAP", "CAPTURED"}, {"orders list --status =", "CREATED AUTHORIZED CAPTURED CANCELED RETURNED"}, {"events tail --events order.ca", "order.canceled order.captured"},
		{"events tail --events order.created,order.ca", "order.created,order.canceled order.created,order.captured"}, {"companies get 1", "1000000001"}, {"webhooks test ", "whk_3 whk_1 whk_0"},
		{"merchants get ", "mch_1"}, {"completion ", "bash zsh fish powershell"}, {"reconcile --format ", "auto csv json"}, {"clients create x --scopes pay", "payments:read payments:write payouts:read"},
		{"webhooks deliveries whk_1 --state P", "PENDING PARKED"}, {"nonsense ", ""}, {"orders list --nonsense=", ""}, {"webhooks re", "redeliver replay"}, {"--no-c", "--no-color"},
		{"orders watch ord_1 --until PA", "PAID_OFF"}, {"payments record --method W", "WIRE"}, {"orders capture -q ord_2", "ord_2"}, {"companies hold --reason x 1", "1000000001"},
	} {
		if got := d.completes(strings.Split(x.line, " ")...); got != x.want {
			t.Errorf("%q: %q, want %q", x.line, got, x.want)
		}
	}
	if all := " " + d.completes("") + " "; !strings.Contains(all, " webhooks ") || strings.Contains(all, " complete ") {
		t.Errorf("at the beginning: %s", all)
	}
	if notes := d.must("complete", "--", "orders", "capture", "ord_2"); notes != "ord_2\tPO-7782 $500.00 AUTHORIZED\n" {
		t.Errorf("noted %q", notes)
	}
	// Without a token or a server there are no keys and no error.
	f.now("GET /v1/orders", 401, `{"code":"unauthorized","detail":"No."}`)
	if got := d.completes("orders", "get", ""); got != "" {
		t.Errorf("not signed in: %q", got)
	}
	d.env["TENOR_URL"] = "http://127.0.0.1:1"
	if got := d.completes("orders", "get", ""); got != "" {
		t.Errorf("alone: %q", got)
	}
}

// bash completion works with the script that the program prints.
func TestBashCompletion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("another bash, with other paths")
	}
	bash := suite.Program(t, "bash", "bash")
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "tenor")); err != nil { // this test binary is the program under that name
		t.Fatal(err)
	}
	f := newFake(t)
	ask := func(line ...string) string {
		script := `eval "$(tenor completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
_tenor_complete; printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.Command(bash, append([]string{"--norc", "-c", script, "bash", "tenor"}, line...)...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TENOR_URL="+f.URL, "TENOR_TOKEN=tnr_TOKEN")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Join(strings.Fields(string(out)), " ")
	}
	for _, x := range []struct {
		line []string
		want string
	}{
		{[]string{"orders", "ca"}, "capture cancel"}, {[]string{"orders", "capture", ""}, "ord_2 ord_1"}, {[]string{"orders", "list", "--status", "=", "CAP"}, "CAPTURED"},
		{[]string{"events", "tail", "--events", "order.cr"}, "order.created"},
	} {
		var got string
		devtest.Comes(func() bool { got = ask(x.line...); return got != "" }) // nothing is offered if the response takes too long
		if got != x.want {
			t.Errorf("%v: %q, want %q", x.line, got, x.want)
		}
	}
}

// Every script calls the program, by the name it was started with.
func TestCompletionScripts(t *testing.T) {
	d := newDesk(t, "")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out := d.must("completion", shell)
		if !strings.Contains(out, "tenor complete -- ") || strings.Contains(out, "{program}") || strings.Contains(out, "{name}") {
			t.Errorf("%s: %s", shell, out)
		}
	}
	var o, e devtest.Pipe
	a := d.app(&o, &e)
	a.Program = "go run ./cmd/tenor"
	if code := cli.Run(t.Context(), []string{"completion", "bash"}, a); code != exit.Done || !strings.Contains(o.String(), "complete -o default -F _tenor_complete tenor\n") || !strings.Contains(e.String(), "go install") {
		t.Errorf("by go run: %d, %s%s", code, o.String(), e.String())
	}
}

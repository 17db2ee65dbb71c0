package docstest

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
)

// What a reader with one minute for a page reads.
const (
	firstLines = 60
	fewest     = 3 // commands from nothing to a shipped order
)

// placeholder matches what a reader would have to replace.
var placeholder = regexp.MustCompile(`(?i)<[a-z][a-z_ -]*>|\byour[-_]|\bxxx|…|\bTODO\b|example\.com`)

// The first lines of the README tell a reader whether Tenor fits, show it, and can be run as they
// are (scorecard A1).
func TestQuickstartIsFirst(t *testing.T) {
	if why := quickstart(readPage(t, "README.md")); why != "" {
		t.Error(why)
	}
}

// quickstart returns what the first lines of a page lack.
func quickstart(p page) string {
	top := strings.Join(p.lines[:min(firstLines, len(p.lines))], "\n")
	for _, x := range []struct{ what, want string }{
		{"heading", "\n## Quickstart\n"}, {"good for", "\n| **Good for** |"}, {"not for", "\n| **Not for** |"}, {"mature", "\n| **How mature** |"},
		{"picture", "\n!["},
	} {
		if !strings.Contains(top, x.want) {
			return "the first lines lack: " + x.what
		}
	}
	commands := ""
	for _, b := range p.blocks {
		if b.lang == "sh" && b.has("test") && b.end <= firstLines {
			commands += strings.ReplaceAll(b.text, "\\\n", " ")
		}
	}
	if found := placeholder.FindString(commands); found != "" {
		return "a command has to be edited: " + found
	}
	if n := strings.Count(commands, "\n"); n > fewest {
		return "too many commands:\n" + commands
	}
	if !strings.Contains(commands, "tenor dev") || !strings.Contains(commands, `"status":"CAPTURED"`) {
		return "the commands do not lead to an order that is shipped:\n" + commands
	}
	return ""
}

func TestQuickstartCanBeWrong(t *testing.T) {
	good := readPage(t, "README.md")
	text := strings.Join(good.lines, "\n")
	for what, spoilt := range map[string]string{
		"good for":         strings.Replace(text, "**Good for**", "**Nice for**", 1),
		"picture":          strings.Replace(text, "\n![", "\n[", 1),
		"heading":          strings.Replace(text, "\n## Quickstart", strings.Repeat("\n", firstLines)+"\n## Quickstart", 1),
		"edited: <token>":  strings.Replace(text, "first-1", "<token>", 1),
		"too many":         strings.Replace(text, "go run ./cmd/tenor dev\n```\n```text", "cd tenor\ngo run ./cmd/tenor dev\n```\n```text", 1),
		"an order that is": strings.Replace(text, `{"status":"CAPTURED"}`, `{"status":"CANCELED"}`, 1),
	} {
		p, _ := parsePage("README.md", spoilt)
		if why := quickstart(p); !strings.Contains(why, what) {
			t.Errorf("%s: %q", what, why)
		}
	}
}

// How long a reader with a clean machine may wait. It takes about a second: a machine must be
// thirty times slower before this fails.
const (
	toBanner = 30 * time.Second
	toOrder  = 60 * time.Second
)

// The binary alone, in an empty directory and with an empty environment, prints a banner with
// everything that a beginner needs, and then has an authorized order (scorecard A3).
func TestCleanMachine(t *testing.T) {
	program, err := proctest.Program("")
	if err != nil {
		t.Fatal(err)
	}
	out, exited, home := newOutput(), make(chan struct{}), t.TempDir()
	cmd := exec.Command(program, "dev")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() { end(t, cmd, exited) })
	for late := time.After(toBanner); !strings.HasSuffix(out.String(), "Stop   Ctrl+C\n"); {
		select {
		case <-out.news:
		case <-exited:
			t.Fatalf("ended at once:\n%s", out)
		case <-late:
			t.Fatalf("no banner after %s:\n%s", toBanner, out)
		}
	}
	t.Logf("a banner after %s", time.Since(began).Round(time.Millisecond))
	told := map[string]string{}
	for what, want := range map[string]string{
		"persistence": `data: temporary, removed at exit \(keep it with (--data \S+)\)`, "api": `(?m)^  API +(http://localhost:\d+) `, "portal": `reference (/docs)`,
		"webhooks": `(?m)^  Webhooks +(http://\S+) `, "clock": `(?m)^  Clock +(2026-01-05 09:00) Eastern +to advance it: `, "shop": `(?m)^  Shop +(http://\S+/shop) `,
		"url": `(?m)^  export TENOR_URL=(\S+)$`, "token": `(?m)^  export TENOR_TOKEN=(tnr_\S+)$`, "stop": `(?m)^Stop   (Ctrl\+C)$`,
	} {
		m := regexp.MustCompile(want).FindStringSubmatch(out.String())
		if m == nil {
			t.Fatalf("the banner does not tell: %s\n%s", what, out)
		}
		told[what] = m[1]
	}
	order(t, told["url"], told["token"])
	took := time.Since(began)
	if t.Logf("an authorized order after %s", took.Round(time.Millisecond)); took > toOrder {
		t.Errorf("an order after %s", took)
	}
}

// order authorizes an order with the data from a banner.
func order(t *testing.T, url, token string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/order", strings.NewReader(`{"company_id":1000000001,"amount":1200.00,"installments":6,"status":"AUTHORIZED"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusCreated || !strings.Contains(string(body), `"status":"AUTHORIZED"`) {
		t.Errorf("the order: %d %s", answer.StatusCode, body)
	}
}

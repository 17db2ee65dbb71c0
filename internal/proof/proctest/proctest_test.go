//go:build unix

package proctest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"tenor/internal/core/store"
	"testing"
	"time"

	"tenor/internal/core/store/sqlite"
)

func TestMain(m *testing.M) { Main(m) }

// A world is served, queried, killed, served again, stopped and verified.
func TestServe(t *testing.T) {
	program, dir := Build(t, ""), t.TempDir()
	w := NewWorld(t, program, 2, "--data", dir)
	lift(t, dir)
	server := w.Serve(t, program)
	if err := server.Ready(t); err != nil {
		t.Fatal(err)
	}
	if len(w.Companies) != 2 || w.Companies[0] == w.Companies[1] {
		t.Errorf("companies %q", w.Companies)
	}
	for _, id := range w.Companies {
		if status, limit := ask(t, server, w, id); status != http.StatusOK || limit != "9000000.00" {
			t.Errorf("company %s: %d, limit %q", id, status, limit)
		}
	}
	server.Kill()
	if !server.Killed() {
		t.Errorf("killed, it ended with %v", server.Err())
	}
	server = w.Serve(t, program)
	if status, _ := ask(t, server, w, w.Companies[0]); status != http.StatusOK {
		t.Errorf("after a restart: %d", status)
	}
	server.Stop(t)
	if log := server.Log(); server.Killed() || !strings.Contains(log, `"stopped"`) {
		t.Errorf("stopped, it ended with %v and logged %s", server.Err(), log)
	}
	w.Verify(t, program)
}

func lift(t *testing.T, dir string) {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := LiftLimits(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	clients, err := store.BareClients(context.Background(), db)
	if err != nil || len(clients) != 1 || clients[0].PerMinute < 1_000_000 {
		t.Errorf("clients %+v, %v", clients, err)
	}
}

// ask reads a company's credit line.
func ask(t *testing.T, server *Process, w World, company string) (status int, limit string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v2/companies/"+company, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.Token)
	client := &http.Client{Timeout: Timeout}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Line struct{ Limit json.Number } `json:"credit_line"`
	}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	return resp.StatusCode, body.Line.Limit.String()
}

// A program that exits before it listens is distinguished, with its output.
func TestEndsEarly(t *testing.T) {
	_, err := Launch(t, []string{"SAY=no port"}, "sh", "-c", `echo "$SAY" >&2; exit 3`)
	if !errors.Is(err, ErrEarly) || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no port") {
		t.Errorf("ended early: %v", err)
	}
	p := Begin(t, nil, "sh", "-c", "exit 0")
	if err := p.Ready(t); !errors.Is(err, ErrEarly) {
		t.Errorf("ended early: %v", err)
	}
	if p.Err() != nil || p.Killed() {
		t.Errorf("it ended well, but: %v", p.Err())
	}
}

// A kill hits the whole process group: nothing that the program has started survives.
func TestKillTakesTheGroup(t *testing.T) {
	p := Begin(t, nil, "sh", "-c", `trap "" TERM; echo '{"msg":"serving","address":"127.0.0.1:1"}' >&2; sleep 600; sleep 600`)
	if err := p.Serving(t); err != nil || p.URL != "http://127.0.0.1:1" {
		t.Fatalf("%s, %v", p.URL, err)
	}
	p.Signal(syscall.SIGTERM) // which it ignores
	p.Kill()
	if !p.Killed() {
		t.Errorf("it ended with %v", p.Err())
	}
	select {
	case <-p.read:
	case <-time.After(Timeout):
		t.Error("somebody still holds the pipe of its log")
	}
}

// A program is built once, with its tags.
func TestBuild(t *testing.T) {
	first, fresh, err := programs.tenor("failpoint")
	again, freshAgain, err2 := programs.tenor("failpoint")
	if err != nil || err2 != nil || !fresh || freshAgain || first != again {
		t.Errorf("%s %t %v, then %s %t %v", first, fresh, err, again, freshAgain, err2)
	}
	if plain := Build(t, ""); plain == first {
		t.Errorf("%s is two programs", plain)
	}
}

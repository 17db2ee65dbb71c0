//go:build unix

package proctest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/resource"
)

// World is a database with a merchant, its companies and a token, and the program's flags for it.
type World struct {
	// Flags name the database on every command line: --data DIR, or
	// --database URL.
	Flags     []string
	KeyFile   string   // for servers; "" for those of a directory, which create one
	Merchant  string   // mch_…
	Companies []string // ten digits each, with a line of 9,000,000 dollars
	Token     string   // of the merchant, with all scopes, for 24 hours
}

// NewWorld fills a new database with the program's own commands. A client of it soon reaches its
// rate limit: see [LiftLimits].
func NewWorld(t testing.TB, program string, companies int, flags ...string) World {
	t.Helper()
	w := World{Flags: flags}
	if flags[0] == "--database" {
		w.KeyFile = filepath.Join(t.TempDir(), "tenor.key")
		if out, err := exec.Command(program, "keys", "create", w.KeyFile).CombinedOutput(); err != nil {
			t.Fatalf("tenor keys create: %v\n%s", err, out)
		}
	}
	w.Merchant = w.Run(t, program, "merchants", "create", "Harbor Supply", "--quiet", "--reason", "x")
	for i := range companies {
		id := w.Run(t, program, "companies", "create", fmt.Sprintf("Buyer %d", i+1), "--limit", "9000000", "--merchant", w.Merchant, "--quiet", "--reason", "x")
		w.Companies = append(w.Companies, id)
	}
	w.Token = w.Run(t, program, "token", "--merchant", w.Merchant, "--ttl", "24h", "--quiet")
	return w
}

// LiftLimits lifts the rate limit of every client created on the server itself, for tests that
// are faster than any shop. A running server may have read the old limits.
func LiftLimits(ctx context.Context, db store.Backend) error {
	desk, err := Desk(db)
	if err != nil {
		return err
	}
	clients, err := store.BareClients(ctx, db)
	if err != nil {
		return fmt.Errorf("read the clients: %w", err)
	}
	for _, c := range clients {
		if err := desk.Limit(ctx, c.ID, 60_000_000, c.Burst); err != nil {
			return fmt.Errorf("lift the limit of %s: %w", c.ID, err)
		}
	}
	return nil
}

// Desk creates clients and tokens in a database alongside its servers, like tenor token.
func Desk(db store.Backend) (auth.Issuer, error) {
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		return auth.Issuer{}, err
	}
	e, err := engine.New(engine.Config{
		Backend: db, Zone: calendar.NewZone(location), Now: time.Now, Node: "desk", EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion,
	})
	return auth.Issuer{Store: db, Submit: engine.Alone{Engine: e}, Now: time.Now}, err
}

// Run runs a command of the program on the world, which must succeed, and returns its output.
func (w World) Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, slices.Concat(args, w.Flags)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tenor %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// Command returns the command line that serves the world. The port is any free one; since
// responses contain the server's address, its public one is always the same.
func (w World) Command(program string, more ...string) []string {
	command := slices.Concat([]string{program, "serve"}, w.Flags)
	if w.KeyFile != "" {
		command = append(command, "--key-file", w.KeyFile)
	}
	command = append(command, "--addr", "127.0.0.1:0", "--public-url", "http://tenor.test", "--drain", "0s")
	return append(command, more...)
}

// Serve starts the program on the world, with additional environment variables, and waits until
// it listens.
func (w World) Serve(t testing.TB, program string, env ...string) *Process {
	t.Helper()
	return Start(t, env, w.Command(program)...)
}

// Verify runs tenor verify and fails the test if it finds anything.
func (w World) Verify(t testing.TB, program string) {
	t.Helper()
	if out, err := exec.Command(program, append([]string{"verify"}, w.Flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("tenor verify: %v\n%s", err, out)
	}
}

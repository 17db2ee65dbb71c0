package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/ulid"
)

// Snapshot is a copy of a whole sandbox: everything that was committed, its clock, its bank
// and its keys, all of which are in the database.
type Snapshot struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`       // "" if none
	CreatedAt time.Time `json:"created_at"` // wall clock
	Clock     time.Time `json:"clock"`      // business time
	Size      int64     `json:"size"`       // bytes
}

// Snapshots are stored in a directory next to the sandbox's database: a copy and a
// description each. Restoring one keeps all of them.
type Snapshots struct{ dir string }

// ErrNoSnapshot means that there is no such snapshot.
var ErrNoSnapshot = errors.New("sandbox: no such snapshot")

// OpenSnapshots returns those of the sandbox in a data directory.
func OpenSnapshots(dir string) Snapshots { return Snapshots{filepath.Join(dir, "snapshots")} }

// Take makes a snapshot. copy writes the database into a new file.
func (s Snapshots) Take(ctx context.Context, x Snapshot, copy func(ctx context.Context, path string) error) (Snapshot, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return x, err
	}
	x.ID = newSnapshotID(x.CreatedAt)
	path := s.file(x.ID)
	if err := copy(ctx, path); err != nil {
		return x, errors.Join(err, remove(path))
	}
	info, err := os.Stat(path)
	if err != nil {
		return x, err
	}
	x.Size = info.Size()
	b, err := json.Marshal(x)
	if err != nil {
		return x, err
	}
	// The description comes last, atomically under its name: without it there is no
	// snapshot.
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return x, errors.Join(err, remove(path))
	}
	return x, os.Rename(path+".new", s.line(x.ID))
}

// List lists the snapshots, newest first.
func (s Snapshots) List() ([]Snapshot, error) {
	names, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []Snapshot
	for _, name := range names {
		x, err := s.Find(strings.TrimSuffix(filepath.Base(name), ".json"))
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID)) })
	return out, nil
}

var snapshotID = regexp.MustCompile(`^snp_[0-9A-HJKMNP-TV-Z]{26}$`)

// Find returns a snapshot by its identifier; ErrNoSnapshot if there is none.
func (s Snapshots) Find(id string) (Snapshot, error) {
	if !snapshotID.MatchString(id) {
		return Snapshot{}, ErrNoSnapshot
	}
	b, err := os.ReadFile(s.line(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Snapshot{}, ErrNoSnapshot
	}
	var x Snapshot
	if err == nil {
		err = json.Unmarshal(b, &x)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("sandbox: read snapshot %s: %w", id, err)
	}
	return x, nil
}

// Copy writes a snapshot's database into a new file, which may be changed.
func (s Snapshots) Copy(id, path string) error {
	b, err := os.Open(s.file(id))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, b.Close())
	}
	_, err = f.ReadFrom(b)
	return errors.Join(err, f.Close(), b.Close())
}

func (s Snapshots) file(id string) string { return filepath.Join(s.dir, id+".db") }
func (s Snapshots) line(id string) string { return filepath.Join(s.dir, id+".json") }

// remove removes a file that may not exist.
func remove(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// newSnapshotID returns snp_ and a ULID: 48 bits of milliseconds, 80 random bits.
func newSnapshotID(at time.Time) string {
	var apart [10]byte
	_, _ = rand.Read(apart[:]) // never fails
	return ulid.New("snp_", at, apart)
}

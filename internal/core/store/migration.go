package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// MigrationFile is one numbered file of a dialect. Once released it never changes (EN22).
type MigrationFile struct {
	Name, SQL, Checksum string
}

// Migration is a migration and whether the database has had it.
type Migration struct {
	Name, SQL string
	Done      bool
}

// ErrOldSchema means that a database lacks a migration that this program needs.
var ErrOldSchema = errors.New("the schema is old: it lacks migration")

// MigrationFiles reads the files migrations/*.sql in order of their names.
func MigrationFiles(files fs.FS) ([]MigrationFile, error) {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var list []MigrationFile
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		list = append(list, MigrationFile{path.Base(name), string(text), hex.EncodeToString(sum[:])})
	}
	return list, nil
}

// MigrationsDone counts how many of the known migrations a database has had; marks are its
// names and checksums in order. It refuses a schema that is newer than this program, and
// one made by an edited migration.
func MigrationsDone(list []MigrationFile, marks [][2]string) (done int, err error) {
	for _, mark := range marks {
		if done == len(list) {
			return done, fmt.Errorf("the schema has migration %s, which is newer than this program", mark[0])
		}
		if m := list[done]; m.Name != mark[0] || m.Checksum != mark[1] {
			return done, fmt.Errorf("migration %s does not match this program's %s", mark[0], m.Name)
		}
		done++
	}
	return done, nil
}

// MigrationStates lists all known migrations, the first of them done.
func MigrationStates(list []MigrationFile, done int) []Migration {
	out := make([]Migration, len(list))
	for i, m := range list {
		out[i] = Migration{Name: m.Name, SQL: m.SQL, Done: i < done}
	}
	return out
}

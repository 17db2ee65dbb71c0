package suite

import (
	"os"
	"path/filepath"
	"strings"
)

// Short is the name of a package in tables and pages: its path on its floor, such as
// "store/sqlite" for internal/core/store/sqlite. Packages outside internal keep their path, as
// does one with a floor's name.
func Short(path string) string {
	below, ok := strings.CutPrefix(filepath.ToSlash(path), "internal/")
	if !ok {
		return filepath.ToSlash(path)
	}
	if _, rest, ok := strings.Cut(below, "/"); ok {
		return rest
	}
	return below
}

// Folder returns the path from the module's root of the package or file whose [Short] name is
// given. An unknown name is returned unchanged.
func Folder(root, short string) string {
	found, err := filepath.Glob(filepath.Join(root, "internal", "*", filepath.FromSlash(short)))
	if err == nil && len(found) > 0 {
		if rel, err := filepath.Rel(root, found[0]); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	inside := filepath.Join("internal", filepath.FromSlash(short))
	if _, err := os.Stat(filepath.Join(root, inside)); err == nil {
		return filepath.ToSlash(inside)
	}
	return short
}

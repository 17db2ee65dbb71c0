package suite

import (
	"os"
	"path/filepath"
	"strings"
)

// Short is how tables and pages call a package: by its path on its floor, such as
// "store/sqlite" for internal/core/store/sqlite. Packages outside of internal are
// called by their path, as is one that has a floor's name.
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

// Folder is where a package lies, or one of its files, of which [Short] is the name: a
// path from the module's root. A name of nothing comes back as it is.
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

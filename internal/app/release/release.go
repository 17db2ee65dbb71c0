// Package release is what the binary knows of itself: its version, and what it was built of.
package release

import (
	"runtime"
	"runtime/debug"
)

// Version is that of the next release.
const Version = "0.1.0"

// Build is what the binary knows of itself.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "" if it was built outside a checkout
	Modified bool   `json:"modified"`
	Date     string `json:"date"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Modules is all that the binary holds besides Go's own library and Tenor.
	Modules []linked `json:"modules"`
}

// linked is a module that the binary holds, with the sum that go.sum has of it.
type linked struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum"`
}

// ThisBuild reads what the linker has put into this binary.
func ThisBuild() Build {
	b := Build{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: []linked{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, m := range info.Deps {
		b.Modules = append(b.Modules, linked{m.Path, m.Version, m.Sum})
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Package release describes this binary: its version, and what it was built from.
package release

import (
	"runtime"
	"runtime/debug"
)

// Version is the next release's version.
const Version = "0.1.0"

// Build describes this binary.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "" if it was built outside a checkout
	Modified bool   `json:"modified"`
	Date     string `json:"date"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Modules lists every module in the binary except the standard library and Tenor itself.
	Modules []linked `json:"modules"`
}

// linked is a module in the binary, with its checksum from go.sum.
type linked struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum"`
}

// ThisBuild reads the build information that the linker embedded in this binary.
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

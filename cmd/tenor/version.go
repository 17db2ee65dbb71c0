package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"tenor/client"
)

// version is that of the next release.
const version = "0.1.0"

type versionCommand struct{ output }

// Examples are shown by -h.
func (versionCommand) Examples() []string { return []string{"version", "version --json"} }

// build is what the binary knows of itself.
type build struct {
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

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: []linked{}}
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

// Run is called by the parser.
func (c *versionCommand) Run(_ context.Context, a *app) error {
	b := thisBuild()
	if c.JSON {
		text, err := json.Marshal(b)
		if err != nil {
			return err
		}
		return document(a.out, text)
	}
	if c.Quiet {
		_, err := fmt.Fprintln(a.out, b.Version)
		return err
	}
	text := "tenor " + b.Version
	if b.Commit != "" {
		text += " (" + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			text += ", modified"
		}
		text += ")"
	}
	_, err := fmt.Fprintln(a.out, text+" "+b.Go+" "+b.Platform)
	return err
}

// aboutFlag prints the version, wherever it stands among the arguments.
type aboutFlag bool

// BeforeReset is called by the parser as soon as it has read the whole line.
func (aboutFlag) BeforeReset(c *kong.Context, a *app) error {
	if err := new(versionCommand).Run(context.Background(), a); err != nil {
		return err
	}
	return errHelp
}

type healthCommand struct{ remote }

// Examples are shown by -h.
func (healthCommand) Examples() []string {
	return []string{"health", "health --url http://localhost:8080"}
}

// Run is called by the parser.
func (c *healthCommand) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	api.Retries = 0
	var raw client.Response
	if _, err := api.Do(ctx, "GET", "/healthz", nil, client.Record(&raw)); err != nil {
		return err
	}
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Quiet || c.Plain:
		_, err := fmt.Fprintln(a.out, "ok")
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s is up.\n", api.Address())
	return err
}

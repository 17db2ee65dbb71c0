package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/app/release"
	"tenor/internal/app/terminal"
)

type versionCommand struct{ terminal.Output }

func (versionCommand) Examples() []string { return []string{"version", "version --json"} }

func (c *versionCommand) Run(_ context.Context, a *terminal.App) error {
	b := release.ThisBuild()
	if c.JSON {
		text, err := json.Marshal(b)
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, text)
	}
	if c.Quiet {
		_, err := fmt.Fprintln(a.Out, b.Version)
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
	_, err := fmt.Fprintln(a.Out, text+" "+b.Go+" "+b.Platform)
	return err
}

// aboutFlag prints the version, anywhere among the arguments.
type aboutFlag bool

// BeforeReset is called by the parser once it has read the whole line.
func (aboutFlag) BeforeReset(c *kong.Context, a *terminal.App) error {
	if err := new(versionCommand).Run(context.Background(), a); err != nil {
		return err
	}
	return terminal.ErrHelp
}

type healthCommand struct{ terminal.Remote }

func (healthCommand) Examples() []string {
	return []string{"health", "health --url http://localhost:8080"}
}

func (c *healthCommand) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
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
		return terminal.Document(a.Out, raw.Body)
	case c.Quiet || c.Plain:
		_, err := fmt.Fprintln(a.Out, "ok")
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s is up.\n", api.Address())
	return err
}

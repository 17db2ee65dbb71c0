package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"tenor/client"
)

// remote is a command that asks a server.
type remote struct {
	output
	URL       string `name:"url" env:"TENOR_URL" default:"http://localhost:8080" help:"Address of the server."`
	TokenFile string `env:"TENOR_TOKEN_FILE" type:"path" placeholder:"FILE" help:"File with the access token, instead of TENOR_TOKEN."`
}

// connect returns a client. Tokens come from the environment or a file, never
// from a flag, which other users of the machine could read.
func (r *remote) connect(a *app) (*client.Client, error) {
	token := a.getenv("TENOR_TOKEN")
	if r.TokenFile != "" {
		text, err := os.ReadFile(r.TokenFile)
		if err != nil {
			return nil, &failure{code: exitUsage, text: "read token", err: err}
		}
		token = strings.TrimSpace(string(text))
	}
	c, err := client.New(strings.TrimRight(r.URL, "/"), token)
	if err != nil {
		return nil, &failure{code: exitUsage, text: "TENOR_URL or --url must look like http://localhost:8080"}
	}
	c.UserAgent = "tenor/" + version
	return c, nil
}

// result prints what a command got: the document, the key, or text.
func (o output) result(a *app, raw client.Response, key string, text func() error) error {
	switch {
	case o.JSON:
		return document(a.out, raw.Body)
	case o.Quiet:
		_, err := fmt.Fprintln(a.out, key)
		return err
	}
	return text()
}

// page prints one page of a list.
func page[T any](o output, a *app, raw client.Response, p *client.Page[T], key func(*T) string, t *table, row func(*T)) error {
	if o.JSON {
		return document(a.out, raw.Body)
	}
	for i := range p.Data {
		if o.Quiet {
			fmt.Fprintln(a.out, key(&p.Data[i]))
		} else {
			row(&p.Data[i])
		}
	}
	if err := t.print(a.out); err != nil {
		return err
	}
	if len(p.Data) == 0 {
		o.say(a, "Nothing found.")
	}
	if p.HasMore {
		o.say(a, "There is more: --cursor %s", p.NextCursor)
	}
	return nil
}

// paging asks for a page of a list.
type paging struct {
	Limit  int    `default:"25" help:"Most items of the page, 1 to 100."`
	Cursor string `help:"Go on after the page before, as it says."`
}

func (p paging) at() client.Paging { return client.Paging{Limit: p.Limit, Cursor: p.Cursor} }

// change is a command that changes something on a server.
type change struct {
	remote
	IdempotencyKey string `placeholder:"KEY" help:"Key under which the change is made once; one is made if absent."`
}

// options are those of the call. A key is drawn if none was given, so that a lost
// answer does not leave the change in doubt.
func (c *change) options(raw *client.Response) []client.Option {
	if c.IdempotencyKey == "" {
		c.IdempotencyKey = "cli-" + rand.Text()
	}
	return []client.Option{client.IdempotencyKey(c.IdempotencyKey), client.Record(raw)}
}

// failed adds the key to an error, for those that leave the change in doubt.
func (c *change) failed(err error) error { return &repeatable{key: c.IdempotencyKey, err: err} }

// done says what changed. An answer that was given before says so.
func (c *change) done(a *app, raw client.Response, key, format string, args ...any) error {
	return c.result(a, raw, key, func() error {
		text := fmt.Sprintf(format, args...)
		if raw.Replayed() {
			text += " (done before under this idempotency key)"
		}
		_, err := fmt.Fprintln(a.out, text)
		return err
	})
}

// consent is a change that is not undone easily.
type consent struct {
	Yes bool `short:"y" help:"Do not ask."`
}

// ask asks for a yes on a terminal. Elsewhere --yes must have been given.
func (c consent) ask(a *app, question string) error {
	if c.Yes {
		return nil
	}
	if !a.interactive {
		return &failure{code: exitUsage, text: "nobody can be asked here", hint: "Repeat it with --yes to go ahead."}
	}
	fmt.Fprintf(a.err, "%s [y/N] ", clean(question))
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); err == nil && (answer == "y" || answer == "yes") {
		return nil
	}
	return &failure{code: exitCanceled, text: "canceled, nothing was changed"}
}

// isTerminal reports whether somebody sits at a stream. The null device is a
// character device, too, but nobody is there.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// amountFlag is an amount of the command line.
type amountFlag client.Amount

// UnmarshalText reads an amount such as 1200 or 1200.00.
func (f *amountFlag) UnmarshalText(text []byte) error {
	a, err := client.ParseAmount(string(text))
	if err != nil || strings.HasPrefix(string(text), "-") {
		return fmt.Errorf("%q is not an amount such as 1200.00", text)
	}
	*f = amountFlag(a)
	return nil
}

// readAll reads standard input or a file.
func (a *app) readAll(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(name)
}

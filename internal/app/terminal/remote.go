package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/release"
)

// Remote is a command that calls a server.
type Remote struct {
	Output
	URL       string `name:"url" env:"TENOR_URL" default:"http://localhost:8080" help:"URL of the server."`
	TokenFile string `env:"TENOR_TOKEN_FILE" type:"path" placeholder:"FILE" help:"File with the access token, instead of TENOR_TOKEN."`
}

// Connect returns a client. Tokens and secrets come from the environment or a file, never from a
// flag, which other users of the machine could read.
func (r *Remote) Connect(a *App) (*client.Client, error) {
	address := strings.TrimRight(r.URL, "/")
	token := a.Getenv("TENOR_TOKEN")
	if r.TokenFile != "" {
		text, err := os.ReadFile(r.TokenFile)
		if err != nil {
			return nil, &exit.Failure{Code: exit.Usage, Text: "read token", Err: err}
		}
		token = strings.TrimSpace(string(text))
	}
	c, err := client.New(address, token)
	if err != nil {
		return nil, &exit.Failure{Code: exit.Usage, Text: "TENOR_URL or --url must look like http://localhost:8080"}
	}
	if id := a.Getenv("TENOR_CLIENT_ID"); token == "" && id != "" {
		if c, err = withSecret(a, address, id); err != nil {
			return nil, err
		}
	}
	c.UserAgent = "tenor/" + release.Version
	a.watchCalls(c)
	return c, nil
}

// withSecret returns a client that obtains its own tokens.
func withSecret(a *App, address, id string) (*client.Client, error) {
	file := a.Getenv("TENOR_CLIENT_SECRET_FILE")
	if file == "" {
		return nil, &exit.Failure{Code: exit.Usage, Text: "TENOR_CLIENT_ID is set, but not TENOR_CLIENT_SECRET_FILE", Hint: "Set it to the file that holds the client secret, tns_…"}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &exit.Failure{Code: exit.Usage, Text: "read client secret", Err: err}
	}
	c, err := client.NewWithCredentials(address, client.Credentials{ID: id, Secret: strings.TrimSpace(string(text))})
	if err != nil {
		return nil, &exit.Failure{Code: exit.Usage, Text: file + " contains no client secret"}
	}
	return c, nil
}

// Noun is how resources of a kind are printed.
type Noun[T any] struct {
	Head []string             // of the table; > aligns to the right
	Row  func(*T) []any       // its cells, which --plain prints too
	Key  func(*T) string      // what -q prints
	Text func(*App, *T) error // for people; nil: the row as a table
}

// One reads a resource and prints it.
func One[T any](ctx context.Context, a *App, r *Remote, n Noun[T], read func(*client.Client, ...client.Option) (*T, error)) error {
	api, err := r.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := read(api, client.Record(&raw))
	if err != nil {
		return err
	}
	return n.print(a, r.Output, raw, x)
}

// Get reads a resource by key and prints it.
func Get[T any](ctx context.Context, a *App, r *Remote, n Noun[T], key string, read func(*client.Client, context.Context, string, ...client.Option) (*T, error), o ...client.Option) error {
	a.Subject = key
	return One(ctx, a, r, n, func(api *client.Client, record ...client.Option) (*T, error) {
		return read(api, ctx, key, append(record, o...)...)
	})
}

// print prints one resource.
func (n Noun[T]) print(a *App, o Output, raw client.Response, x *T) error {
	switch {
	case o.JSON:
		return Document(a.Out, raw.Body)
	case o.Plain:
		return Record(a.Out, n.Row(x))
	case o.Quiet:
		_, err := fmt.Fprintln(a.Out, Clean(n.Key(x)))
		return err
	case n.Text != nil:
		return n.Text(a, x)
	}
	t := NewTable(n.Head...)
	t.Row(n.Row(x)...)
	return a.Show(t)
}

// Paging selects a page of a list, or all of it.
type Paging struct {
	Limit  pageSize `default:"25" placeholder:"N" help:"Items per page, 1 to 100."`
	Cursor string   `help:"Continue after the previous page, with the cursor it printed."`
	All    bool     `help:"Read all pages."`
}

// pageReader reads one page of a list.
type pageReader[T any] func(*client.Client, client.Paging, ...client.Option) (*client.Page[T], error)

// List reads a page of a list, or all pages, and prints it.
func List[T any](ctx context.Context, a *App, r *Remote, p Paging, n Noun[T], read pageReader[T]) error {
	api, err := r.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	at := client.Paging{Limit: int(p.Limit), Cursor: p.Cursor}
	if p.All {
		at.Limit = MaxPage
	}
	all, err := read(api, at, client.Record(&raw))
	if err != nil {
		return err
	}
	if p.All && all.HasMore {
		if raw, err = readOn(api, all, read); err != nil {
			return err
		}
	}
	return n.PrintPage(a, r.Output, raw, all)
}

// ListOf prints a list that depends on a filter or on its parent's key.
func ListOf[T, F any](ctx context.Context, a *App, r *Remote, p Paging, n Noun[T], of F, read func(*client.Client, context.Context, F, client.Paging, ...client.Option) (*client.Page[T], error)) error {
	return List(ctx, a, r, p, n, func(api *client.Client, at client.Paging, o ...client.Option) (*client.Page[T], error) {
		return read(api, ctx, of, at, o...)
	})
}

// readOn appends all further pages to a page, and returns the document for all of them.
func readOn[T any](api *client.Client, all *client.Page[T], read pageReader[T]) (client.Response, error) {
	for all.HasMore && all.NextCursor != "" {
		p, err := read(api, client.Paging{Limit: 100, Cursor: all.NextCursor})
		if err != nil {
			return client.Response{}, err
		}
		all.Data, all.HasMore, all.NextCursor = append(all.Data, p.Data...), p.HasMore, p.NextCursor
	}
	document := struct {
		Data []json.RawMessage `json:"data"`
		More bool              `json:"has_more"`
		Next *string           `json:"next_cursor"`
	}{Data: []json.RawMessage{}}
	for i := range all.Data {
		if r, ok := any(&all.Data[i]).(interface{ JSON() json.RawMessage }); ok {
			document.Data = append(document.Data, r.JSON())
		}
	}
	if all.NextCursor != "" {
		document.Next = &all.NextCursor
	}
	body, err := json.Marshal(document)
	return client.Response{Status: http.StatusOK, Body: body}, err
}

// PrintPage prints a page of a list.
func (n Noun[T]) PrintPage(a *App, o Output, raw client.Response, p *client.Page[T]) error {
	if o.JSON {
		return Document(a.Out, raw.Body)
	}
	t := NewTable(n.Head...)
	for i := range p.Data {
		x := &p.Data[i]
		if o.Quiet && !o.Plain {
			fmt.Fprintln(a.Out, Clean(n.Key(x)))
			continue
		}
		t.Row(n.Row(x)...)
	}
	if err := o.Table(a, t); err != nil {
		return err
	}
	if len(p.Data) == 0 {
		o.Say(a, "Nothing found.")
	}
	if p.HasMore {
		o.Say(a, "More results: --cursor %s", Clean(p.NextCursor))
	}
	return nil
}

// IsTerminal reports whether a person is at a stream. The null device is a character device, too,
// but has no person at it.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// AmountFlag is an amount on the command line.
type AmountFlag client.Amount

// UnmarshalText parses an amount such as 1200 or 1200.00.
func (f *AmountFlag) UnmarshalText(text []byte) error {
	a, err := client.ParseAmount(string(text))
	if err != nil || strings.HasPrefix(string(text), "-") {
		return fmt.Errorf("%q is not an amount such as 1200.00", text)
	}
	*f = AmountFlag(a)
	return nil
}

// ReadAll reads standard input or a file.
func (a *App) ReadAll(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.In)
	}
	return os.ReadFile(name)
}

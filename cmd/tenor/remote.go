package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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

// connect returns a client. Tokens and secrets come from the environment or a file,
// never from a flag, which other users of the machine could read.
func (r *remote) connect(a *app) (*client.Client, error) {
	address := strings.TrimRight(r.URL, "/")
	token := a.getenv("TENOR_TOKEN")
	if r.TokenFile != "" {
		text, err := os.ReadFile(r.TokenFile)
		if err != nil {
			return nil, &failure{code: exitUsage, text: "read token", err: err}
		}
		token = strings.TrimSpace(string(text))
	}
	c, err := client.New(address, token)
	if err != nil {
		return nil, &failure{code: exitUsage, text: "TENOR_URL or --url must look like http://localhost:8080"}
	}
	if id := a.getenv("TENOR_CLIENT_ID"); token == "" && id != "" {
		if c, err = withSecret(a, address, id); err != nil {
			return nil, err
		}
	}
	c.UserAgent = "tenor/" + version
	a.watchCalls(c)
	return c, nil
}

// withSecret returns a client that gets its own tokens.
func withSecret(a *app, address, id string) (*client.Client, error) {
	file := a.getenv("TENOR_CLIENT_SECRET_FILE")
	if file == "" {
		return nil, &failure{code: exitUsage, text: "TENOR_CLIENT_ID is set, but not TENOR_CLIENT_SECRET_FILE", hint: "It names the file that holds the client's secret, tns_…"}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, &failure{code: exitUsage, text: "read client secret", err: err}
	}
	c, err := client.NewWithCredentials(address, client.Credentials{ID: id, Secret: strings.TrimSpace(string(text))})
	if err != nil {
		return nil, &failure{code: exitUsage, text: file + " holds no client secret"}
	}
	return c, nil
}

// noun is how resources of a kind are printed.
type noun[T any] struct {
	head []string             // of the table; > aligns to the right
	row  func(*T) []any       // its cells, which --plain prints too
	key  func(*T) string      // what -q prints
	text func(*app, *T) error // for people; nil: the row as a table
}

// one reads a resource and prints it.
func one[T any](ctx context.Context, a *app, r *remote, n noun[T], read func(*client.Client, ...client.Option) (*T, error)) error {
	api, err := r.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	x, err := read(api, client.Record(&raw))
	if err != nil {
		return err
	}
	return n.print(a, r.output, raw, x)
}

// print prints one resource.
func (n noun[T]) print(a *app, o output, raw client.Response, x *T) error {
	switch {
	case o.JSON:
		return document(a.out, raw.Body)
	case o.Plain:
		return record(a.out, n.row(x))
	case o.Quiet:
		_, err := fmt.Fprintln(a.out, clean(n.key(x)))
		return err
	case n.text != nil:
		return n.text(a, x)
	}
	t := newTable(n.head...)
	t.row(n.row(x)...)
	return a.show(t)
}

// paging asks for a page of a list, or for all of it.
type paging struct {
	Limit  pageSize `default:"25" placeholder:"N" help:"Most items of the page, 1 to 100."`
	Cursor string   `help:"Go on after the page before, as it says."`
	All    bool     `help:"All pages, not one."`
}

// pageReader reads one page of a list.
type pageReader[T any] func(*client.Client, client.Paging, ...client.Option) (*client.Page[T], error)

// list reads a page of a list, or all pages, and prints it.
func list[T any](ctx context.Context, a *app, r *remote, p paging, n noun[T], read pageReader[T]) error {
	api, err := r.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	at := client.Paging{Limit: int(p.Limit), Cursor: p.Cursor}
	if p.All {
		at.Limit = maxPage
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
	return n.printPage(a, r.output, raw, all)
}

// readOn adds all further pages to a page, and writes the document that all of them
// would be.
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

// printPage prints a page of a list.
func (n noun[T]) printPage(a *app, o output, raw client.Response, p *client.Page[T]) error {
	if o.JSON {
		return document(a.out, raw.Body)
	}
	t := newTable(n.head...)
	for i := range p.Data {
		x := &p.Data[i]
		if o.Quiet && !o.Plain {
			fmt.Fprintln(a.out, clean(n.key(x)))
			continue
		}
		t.row(n.row(x)...)
	}
	if err := o.table(a, t); err != nil {
		return err
	}
	if len(p.Data) == 0 {
		o.say(a, "Nothing found.")
	}
	if p.HasMore {
		o.say(a, "There is more: --cursor %s", clean(p.NextCursor))
	}
	return nil
}

// table prints a table for people, or its rows as records.
func (o output) table(a *app, t *table) error {
	if o.Plain {
		return t.plain(a.out)
	}
	return a.show(t)
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

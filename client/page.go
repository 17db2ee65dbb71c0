package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Page is one page of a list.
type Page[T any] struct {
	Data       []T    `json:"data"`
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor"` // "" on the last page; ListEvents always sets it
}

// UnmarshalJSON reads a page; each item keeps its JSON.
func (p *Page[T]) UnmarshalJSON(text []byte) error {
	var w struct {
		Data       []json.RawMessage `json:"data"`
		HasMore    bool              `json:"has_more"`
		NextCursor string            `json:"next_cursor"`
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*p = Page[T]{Data: make([]T, len(w.Data)), HasMore: w.HasMore, NextCursor: w.NextCursor}
	for i := range w.Data {
		if err := decode(w.Data[i], &p.Data[i]); err != nil {
			return err
		}
	}
	return nil
}

// Paging selects a page: at most Limit items (1 to 100, 0 for the server's default of 25) after
// the previous page's cursor.
type Paging struct {
	Limit  int
	Cursor string
}

// mostItems is the maximum number of items per page.
const mostItems = 100

// query builds a query string; it omits unset parameters.
type query url.Values

func (q query) text(name, value string) {
	if value != "" {
		url.Values(q).Set(name, value)
	}
}

func (q query) number(name string, value int64) {
	if value != 0 {
		url.Values(q).Set(name, strconv.FormatInt(value, 10))
	}
}

func (q query) instant(name string, value time.Time) {
	if !value.IsZero() {
		url.Values(q).Set(name, value.UTC().Format(time.RFC3339Nano))
	}
}

func (q query) flag(name string, value bool) {
	if value {
		url.Values(q).Set(name, "true")
	}
}

func (q query) paging(p Paging) {
	q.number("limit", int64(p.Limit))
	q.text("cursor", p.Cursor)
}

// on appends the query to a path.
func (q query) on(path string) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + url.Values(q).Encode()
}

// list reads one page.
func list[T any](ctx context.Context, c *Client, path string, q query, options []Option) (*Page[T], error) {
	return send[Page[T]](ctx, c, http.MethodGet, q.on(path), nil, options)
}

// each walks all items of a list, page by page, until the caller stops or an error occurs. The
// pages have 100 items.
func each[T any](page func(Paging) (*Page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		at := Paging{Limit: mostItems}
		for {
			p, err := page(at)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Data {
				if !yield(&p.Data[i], nil) {
					return
				}
			}
			if !p.HasMore || p.NextCursor == "" || p.NextCursor == at.Cursor {
				return
			}
			at.Cursor = p.NextCursor
		}
	}
}

// Each walks all items of a list, page by page, until the caller stops or an error
// occurs. A method that walks a list is shorter; this function is for pages
// that need options:
//
//	for o, err := range client.Each(func(p client.Paging) (*client.Page[client.Order], error) {
//		return c.ListOrders(ctx, filter, p, client.Record(&raw))
//	}) { … }
func Each[T any](page func(Paging) (*Page[T], error)) iter.Seq2[*T, error] { return each(page) }

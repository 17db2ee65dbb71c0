package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tenor/client"
)

// target is an operation of the API.
type target struct {
	method, path string
	body         any // nil: none
}

// post is an operation that changes something; the parts of its path are escaped.
func post(body any, parts ...string) target { return target{http.MethodPost, pathOf(parts...), body} }

// pathOf joins the parts of a path below /v1.
func pathOf(parts ...string) string {
	path := "/v1"
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}

// onPage adds a page, and filters that are set, to a path.
func onPage(path string, p client.Paging, filters ...string) string {
	q := url.Values{"limit": {strconv.Itoa(p.Limit)}}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	for i := 0; i+1 < len(filters); i += 2 {
		if filters[i+1] != "" {
			q.Set(filters[i], filters[i+1])
		}
	}
	return path + "?" + q.Encode()
}

// answerOf makes a call and reads its answer; one without a body is the zero value.
func answerOf[T any](ctx context.Context, api *client.Client, t target, o ...client.Option) (*T, error) {
	r, err := api.Do(ctx, t.method, t.path, t.body, o...)
	if err != nil {
		return nil, err
	}
	x := new(T)
	if len(r.Body) == 0 {
		return x, nil
	}
	if err := json.Unmarshal(r.Body, x); err != nil {
		return nil, fmt.Errorf("read the answer of %s %s: %w", t.method, t.path, err)
	}
	return x, nil
}

// get reads a resource.
func get[T any](ctx context.Context, api *client.Client, path string, o ...client.Option) (*T, error) {
	return answerOf[T](ctx, api, target{http.MethodGet, path, nil}, o...)
}

// actOn makes a change and prints what came of it: say gives the sentence for people.
func actOn[T any](ctx context.Context, a *app, c *change, n noun[T], t target, say func(*T) string) error {
	if c.DryRun {
		return foresee(ctx, a, c, n, t)
	}
	return act(ctx, a, c, n, func(api *client.Client, o ...client.Option) (*T, error) {
		return answerOf[T](ctx, api, t, o...)
	}, say)
}

// foresee prints what a change would do.
func foresee[T any](ctx context.Context, a *app, c *change, n noun[T], t target) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	var p client.Preview
	if _, err := api.Do(ctx, t.method, t.path, t.body, client.Record(&raw), client.DryRun(&p)); err != nil {
		return err
	}
	if err := json.Unmarshal(raw.Body, &p); err != nil {
		return fmt.Errorf("read the dry run of %s %s: %w", t.method, t.path, err)
	}
	x := new(T)
	if err := json.Unmarshal(p.Result, x); err != nil {
		return fmt.Errorf("read the dry run of %s %s: %w", t.method, t.path, err)
	}
	return n.foretell(a, c.output, raw, x, &p)
}

// bodyOr is the body of an answer, or what stands for one that has none.
func bodyOr(raw client.Response, other string) []byte {
	if len(raw.Body) > 0 {
		return slices.Clone(raw.Body)
	}
	return []byte(other)
}

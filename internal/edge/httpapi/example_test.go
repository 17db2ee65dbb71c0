package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/rest"
)

// The types of the noun. A request's tags are its schema.
type (
	createNote struct {
		Text   string       `json:"text" required:"true" minLength:"1" maxLength:"40" doc:"What to remember." example:"Ship on Monday"`
		Amount money.Amount `json:"amount" minimum:"0.01" doc:"What it is about." example:"1200.00"`
	}
	changeNote struct {
		Text rest.Opt[string] `json:"text" nullable:"true" maxLength:"40"` // absent ≠ null
	}
	note struct {
		ID     string       `json:"id" prefix:"note_"`
		Text   string       `json:"text"`
		Amount money.Amount `json:"amount"`
	}
	noteID struct {
		ID string `path:"id" prefix:"note_"`
	}
)

// notes holds what the handlers need: a map here, in the product an engine that takes
// commands and a store to read from.
type notes struct{ kept map[string]note }

// operations returns the noun's rows of the table.
func (n *notes) operations() []rest.Operation {
	return []rest.Operation{
		{ID: "createNote", Method: "POST", Path: "/v1/note", Tag: "Notes", Summary: "Write a note", Scopes: []string{"orders:write"},
			Success: 201, Response: note{}, Problems: []string{"limit_exceeded"}, Endpoint: rest.Handle(n.create)},
		{ID: "updateNote", Method: "PATCH", Path: "/v1/note/{id}", Tag: "Notes", Summary: "Change a note", Scopes: []string{"orders:write"},
			Response: note{}, ETag: true, Endpoint: rest.Handle(n.update)},
	}
}

func (n *notes) create(_ *rest.Call, _ *rest.None, b *createNote) (rest.Answer, error) {
	if len(n.kept) > 0 {
		return rest.Answer{}, rest.NewProblem("limit_exceeded", "There is room for only one note.")
	}
	x := note{ID: "note_1", Text: b.Text, Amount: b.Amount}
	n.kept[x.ID] = x
	return rest.Created("/v1/note/"+x.ID, x), nil
}

func (n *notes) update(_ *rest.Call, p *noteID, b *changeNote) (rest.Answer, error) {
	x, ok := n.kept[p.ID]
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	if b.Text.Set {
		x.Text = b.Text.Value // "" after null
	}
	return rest.Tagged(x)
}

type oneClient struct{}

func (oneClient) Authenticate(context.Context, [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{ClientID: "cli_1", Tenant: "mch_1", Scopes: []string{"orders:write"}}, true, nil
}

// How to add a noun: types with tags, handlers, rows.
func Example_operation() {
	n := &notes{kept: map[string]note{}}
	api, err := httpapi.New(rest.Config{BaseURL: "https://api.example.com", Authenticator: oneClient{},
		CursorKey: make([]byte, 32), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now}, n.operations())
	if err != nil {
		panic(err)
	}
	send := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header = http.Header{"Authorization": {"Bearer t"}, "Content-Type": {"application/json"}, "X-Request-Id": {"r"}}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	send("POST", "/v1/note", `{"text":"Ship on Monday","amount":"1200"}`)
	send("PATCH", "/note/note_1", `{"text":null}`)
	send("POST", "/v1/note", `{"amount":0}`)
	// Output:
	// 201 {"id":"note_1","text":"Ship on Monday","amount":1200.00}
	// 200 {"id":"note_1","text":"","amount":1200.00}
	// 422 {"type":"https://api.example.com/docs/errors/validation_failed","title":"The request does not match the operation's schema.","status":422,"detail":"The request does not match the operation's schema.","instance":"/v1/requests/r","code":"validation_failed","request_id":"r","errors":[{"pointer":"/amount","code":"below_minimum","detail":"The value is below 0.01."},{"pointer":"/text","code":"required","detail":"The member is missing."}]}
}

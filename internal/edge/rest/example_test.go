package rest_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"tenor/internal/edge/rest"
)

// The types of the API. Their tags are its schema: what is checked is what is documented.
type (
	newBook struct {
		Title string `json:"title" required:"true" minLength:"1" maxLength:"80" doc:"As on its cover." example:"Moby-Dick"`
		Pages int    `json:"pages" minimum:"1" maximum:"9999" default:"1" doc:"How many." example:"635"`
	}
	book struct {
		ID    string `json:"id" prefix:"book_"`
		Title string `json:"title"`
		Pages int    `json:"pages"`
	}
	bookID struct {
		ID string `path:"id" prefix:"book_" doc:"The book."`
	}
)

// shelf has what the handlers need.
type shelf struct{ books map[string]book }

// operations returns the rows of the table: each gives a route, the checks of its requests,
// and its part of the OpenAPI document.
func (s *shelf) operations() []rest.Operation {
	return []rest.Operation{
		{ID: "addBook", Method: "POST", Path: "/books", Tag: "Books", Summary: "Add a book", Scopes: []string{"books:write"},
			Success: 201, Response: book{}, Problems: []string{"shelf_full"}, Endpoint: rest.Handle(s.add)},
		{ID: "getBook", Method: "GET", Path: "/books/{id}", Tag: "Books", Summary: "Look at a book", Scopes: []string{"books:read"},
			Response: book{}, ETag: true, Endpoint: rest.Handle(s.get)},
	}
}

func (s *shelf) add(_ *rest.Call, _ *rest.None, b *newBook) (rest.Answer, error) {
	if len(s.books) > 0 {
		return rest.Answer{}, rest.NewProblem("shelf_full", "There is room for only one book.")
	}
	x := book{ID: "book_1", Title: b.Title, Pages: b.Pages}
	s.books[x.ID] = x
	return rest.Created("/books/"+x.ID, x), nil
}

func (s *shelf) get(_ *rest.Call, p *bookID, _ *rest.None) (rest.Answer, error) {
	x, ok := s.books[p.ID]
	if !ok {
		return rest.Answer{}, rest.NotFound()
	}
	return rest.Tagged(x)
}

// reader is the only client of the API. A real authenticator looks up the token by its
// hash.
type reader struct{}

func (reader) Authenticate(context.Context, [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{ClientID: "reader", Tenant: "town", Scopes: []string{"books:read", "books:write"}}, true, nil
}

// An API of two operations, with one code of its own.
func Example() {
	s := &shelf{books: map[string]book{}}
	api, err := rest.New(rest.Config{
		BaseURL: "https://books.example", Authenticator: reader{}, CursorKey: make([]byte, 32), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Contract: rest.Contract{Codes: rest.WithOwnCodes(rest.Code{Name: "shelf_full", Status: 409, Title: "The shelf is full."})},
	}, s.operations())
	if err != nil {
		panic(err)
	}
	send := func(method, path, body string, headers ...string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header = http.Header{"Authorization": {"Bearer t"}, "Content-Type": {"application/json"}, "X-Request-Id": {"r"}}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		fmt.Println(strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)))
	}
	send("POST", "/books", `{"title":"Moby-Dick","pages":635}`)
	send("GET", "/books/book_1", "")
	send("GET", "/books/book_1", "", "If-None-Match", "*")
	send("POST", "/books", `{"title":"Emma"}`)
	send("POST", "/books", `{"pages":0}`)

	_, document, err := api.OpenAPI(rest.Info{Title: "Books", Version: "1"})
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Contains(string(document), "operationId: \"addBook\""), strings.Contains(string(document), "maxLength: 80"))
	// Output:
	// 201 {"id":"book_1","title":"Moby-Dick","pages":635}
	// 200 {"id":"book_1","title":"Moby-Dick","pages":635}
	// 304
	// 409 {"type":"https://books.example/errors/shelf_full","title":"The shelf is full.","status":409,"detail":"There is room for only one book.","instance":"/requests/r","code":"shelf_full","request_id":"r"}
	// 422 {"type":"https://books.example/errors/validation_failed","title":"The request does not match the operation's schema.","status":422,"detail":"The request does not match the operation's schema.","instance":"/requests/r","code":"validation_failed","request_id":"r","errors":[{"pointer":"/pages","code":"below_minimum","detail":"The value is below 1."},{"pointer":"/title","code":"required","detail":"The member is missing."}]}
	// true true
}

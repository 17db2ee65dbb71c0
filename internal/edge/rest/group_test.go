package rest

import (
	"reflect"
	"testing"
)

// A row keeps its own values, and takes the rest from its group.
func TestGroup(t *testing.T) {
	own := []string{"shelf_full"}
	rows := Group{
		Tag: "Shelves", Method: "POST", Reads: "shelves:read", Writes: "shelves:write", Response: widget{}, ETag: true, DryRun: widget{}, Problems: []string{"not_found"},
	}.With([]Operation{
		{ID: "addShelf", Problems: own[:1:1]},
		{ID: "getShelf", Method: "GET"},
		{ID: "listShelves", Method: "GET", Tag: "Lists", Scopes: []string{"lists:read"}, Response: None{}},
		{ID: "seeShelf", Method: "GET", Public: true, Problems: []string{"not_found"}},
		{ID: "emptyShelf", Success: 204},
	})
	want := []Operation{
		{ID: "addShelf", Method: "POST", Tag: "Shelves", Scopes: []string{"shelves:write"}, Response: widget{}, ETag: true, DryRun: widget{}, Problems: []string{"shelf_full", "not_found"}},
		{ID: "getShelf", Method: "GET", Tag: "Shelves", Scopes: []string{"shelves:read"}, Response: widget{}, ETag: true, Problems: []string{"not_found"}},
		{ID: "listShelves", Method: "GET", Tag: "Lists", Scopes: []string{"lists:read"}, Response: None{}, Problems: []string{"not_found"}},
		{ID: "seeShelf", Method: "GET", Tag: "Shelves", Public: true, Response: widget{}, ETag: true, Problems: []string{"not_found"}},
		{ID: "emptyShelf", Method: "POST", Tag: "Shelves", Scopes: []string{"shelves:write"}, Success: 204, Problems: []string{"not_found"}},
	}
	for i := range want {
		if !reflect.DeepEqual(rows[i], want[i]) {
			t.Errorf("%s: %+v\nwant %+v", want[i].ID, rows[i], want[i])
		}
	}
}

package storetest

import (
	"context"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/ulid"
)

// logged is one row of the request log.
func logged(n byte, merchant string, at time.Time) store.RequestRow {
	return store.RequestRow{
		ID: ulid.New(store.RequestPrefix, at, [10]byte{n}), RequestID: "req_" + string(rune('a'+n)), At: at, Took: 1500 * time.Microsecond, Node: "n1",
		Operation: "createOrder", Method: "POST", Path: "/v1/order", Query: "a=b", Status: 201, Client: "cli_1", Merchant: merchant,
		RequestType: "application/json", RequestSize: 12, RequestBody: []byte(`{"amount":1}`),
		ResponseType: "application/json", ResponseSize: 2, ResponseBody: []byte(`{}`),
	}
}

// testRequests stores calls, finds them by filter, and deletes old ones.
func testRequests(t *testing.T, b store.Backend) {
	ctx, at := context.Background(), time.Date(2026, 1, 15, 12, 0, 0, 123_000, time.UTC)
	rows := make([]store.RequestRow, 7)
	for i := range rows {
		merchant := "mch_1"
		if i%2 == 1 {
			merchant = ""
		}
		rows[i] = logged(byte(i), merchant, at.Add(time.Duration(i)*time.Millisecond+time.Duration(i)*time.Microsecond))
	}
	rows[2].Key, rows[3].Key, rows[4].Key = "k", "k", "k"
	rows[3].Client, rows[4].Replayed, rows[4].Seq, rows[4].Marks = "cli_2", true, 7, []byte(`{"/a":"0"}`)
	rows[5].Status, rows[5].Code, rows[5].Method, rows[5].Operation = 404, "not_found", "GET", "getOrder"
	rows[6].RequestID, rows[6].DryRun, rows[6].RequestBody, rows[6].ResponseBody = rows[0].RequestID, true, nil, nil
	for _, part := range [][]store.RequestRow{rows[4:], rows[:5], nil} { // one comes twice, and an old one late
		if err := b.PutRequests(ctx, part); err != nil {
			t.Fatal(err)
		}
	}
	list := func(what string, f store.RequestFilter, p store.Page, want ...int) {
		t.Helper()
		wanted := []store.RequestRow{}
		for _, i := range want {
			wanted = append(wanted, rows[i])
		}
		equal(t, what, wanted, append([]store.RequestRow{}, must(store.ListRequests(ctx, b, f, p))(t)...))
	}
	all := store.Page{Limit: 100}
	list("all", store.RequestFilter{}, all, 6, 5, 4, 3, 2, 1, 0)
	list("the second page", store.RequestFilter{}, store.Page{Limit: 2, AfterID: rows[5].ID}, 4, 3)
	list("of a merchant", store.RequestFilter{Merchant: "mch_1"}, all, 6, 4, 2, 0)
	list("a merchant's second page", store.RequestFilter{Merchant: "mch_1"}, store.Page{Limit: 1, AfterID: rows[4].ID}, 2)
	list("of a class", store.RequestFilter{Class: 4}, all, 5)
	list("of a method", store.RequestFilter{Method: "GET"}, all, 5)
	list("of an operation", store.RequestFilter{Operation: "getOrder"}, all, 5)
	list("of a client", store.RequestFilter{Client: "cli_2"}, all, 3)
	list("of a key", store.RequestFilter{Key: "k", Merchant: "mch_1"}, all, 4, 2)
	list("of a request id", store.RequestFilter{RequestID: rows[0].RequestID}, all, 6, 0)
	list("of a span", store.RequestFilter{From: rows[2].At, To: rows[4].At}, all, 3, 2)
	list("of a merchant's span", store.RequestFilter{Merchant: "mch_1", From: rows[1].At, To: rows[2].At.Add(time.Microsecond)}, all, 2)

	one := func(merchant, id string, want int) {
		t.Helper()
		row, found, err := store.RequestByID(ctx, b, merchant, id)
		if err != nil || found != (want >= 0) || found && row.ID != rows[want].ID {
			t.Errorf("request %s for %q: %v, %v, %v", id, merchant, row.ID, found, err)
		}
	}
	one("", rows[1].ID, 1)
	one("mch_1", rows[1].ID, -1)
	one("mch_1", rows[0].RequestID, 6) // the newest
	one("", "req_none", -1)
	equal(t, "of a key, in order", []store.RequestRow{rows[2], rows[4]}, must(store.RequestsOfKey(ctx, b, "cli_1", "k", 9))(t))
	equal(t, "the first of a key", []store.RequestRow{rows[2]}, must(store.RequestsOfKey(ctx, b, "cli_1", "k", 1))(t))

	for n, want := range map[int]time.Time{1: rows[6].At, 3: rows[4].At, 7: rows[0].At, 8: {}} {
		if at := must(store.RequestAt(ctx, b, n))(t); !at.Equal(want) {
			t.Errorf("row %d is of %v instead of %v", n, at, want)
		}
	}
	if n := must(b.SweepRequests(ctx, rows[3].At, 2))(t); n != 2 {
		t.Errorf("%d are swept instead of 2", n)
	}
	if n := must(b.SweepRequests(ctx, rows[3].At, 9))(t); n != 1 {
		t.Errorf("%d are swept instead of 1", n)
	}
	list("what is left", store.RequestFilter{}, all, 6, 5, 4, 3)
}

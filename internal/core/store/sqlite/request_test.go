package sqlite

import (
	"context"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
)

// TestRequestPlans asks SQLite how it reads the request log: each list by an index and in
// its order, without sorting, however many calls there are.
func TestRequestPlans(t *testing.T) {
	db := open(t)
	defer db.Close()
	ctx, at := context.Background(), time.Unix(9, 0)
	list := func(f store.RequestFilter, after string) func() error {
		return func() error {
			_, err := store.ListRequests(ctx, db, f, store.Page{Limit: 2, AfterID: after})
			return err
		}
	}
	const key, merchant = "sqlite_autoindex_requests_1", "requests_merchant"
	for what, x := range map[string]struct {
		read  func() error
		index string
	}{
		"all":                   {list(store.RequestFilter{}, ""), key},
		"the next page":         {list(store.RequestFilter{}, "log_1"), key},
		"of an operation":       {list(store.RequestFilter{Operation: "createOrder", Class: 4, Client: "cli_1", Key: "k"}, ""), key},
		"of a span":             {list(store.RequestFilter{From: at, To: at.Add(time.Hour)}, ""), key},
		"of a merchant":         {list(store.RequestFilter{Merchant: "mch_1", Method: "GET"}, ""), merchant},
		"a merchant's next":     {list(store.RequestFilter{Merchant: "mch_1"}, "log_1"), merchant},
		"of a request id":       {list(store.RequestFilter{RequestID: "req_1", Merchant: "mch_1"}, ""), "requests_request"},
		"of a key":              {func() error { _, err := store.RequestsOfKey(ctx, db, "cli_1", "k", 9); return err }, "requests_key"},
		"one by a caller's id":  {func() error { _, _, err := store.RequestByID(ctx, db, "mch_1", "req_1"); return err }, "requests_request"},
		"the last that is kept": {func() error { _, err := store.RequestAt(ctx, db, 1000); return err }, key},
	} {
		plan := planOfRead(t, db, x.read)
		if !strings.Contains(plan, x.index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s is read so: %s", what, plan)
		}
	}
}

package httpapi_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/resource"
)

// bigList is the number of rows in the list.
const bigList = 100_000

var bigStock = flag.Int("reconciled-orders", 10_000, "orders with which TestBigReconciliation compares its list, at least 20 and at most 100,000")

// stock creates n orders with numbers for the library's first company.
func (l *library) stock(tb testing.TB, n int) {
	tb.Helper()
	actor := credit.Actor{Client: "cli_shop", Merchant: l.merchant}
	tickets := make([]*engine.Ticket, 0, 4*engine.MaxBatch)
	for i := range n {
		t, err := l.engine.Enqueue(context.Background(), engine.Request{Actor: actor, Seed: seed(), Command: lending.CreateOrder{
			Company: l.companies[0], Amount: money.MustParse("10.00").Add(money.Amount(i)), MerchantOrderID: fmt.Sprintf("PO-%06d", i)}})
		if err != nil {
			tb.Fatal(err)
		}
		if tickets = append(tickets, t); len(tickets) < cap(tickets) && i < n-1 {
			continue
		}
		for _, t := range tickets {
			<-t.Done()
			if r, err := t.Result(); err != nil || r.Rejection != nil {
				tb.Fatalf("%v, %v", r.Rejection, err)
			}
		}
		tickets = tickets[:0]
	}
}

// watched measures the heap on demand, after a garbage collection.
type watched struct{ least, most uint64 }

func (w *watched) look() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if w.least == 0 {
		w.least = m.HeapAlloc
	}
	w.most = max(w.most, m.HeapAlloc)
}

// grown is the most that the heap grew, in MiB.
func (w *watched) grown() float64 { return float64(w.most-min(w.least, w.most)) / (1 << 20) }

// watchedStore measures the heap while a snapshot is read, and how long the snapshot is
// open.
type watchedStore struct {
	store.Backend
	heap *watched
	open time.Duration
}

func (s *watchedStore) View(ctx context.Context, fn func(store.View) error) error {
	return s.Backend.View(ctx, func(v store.View) error {
		start := time.Now()
		defer func() { s.open = time.Since(start) }()
		return fn(watchedView{v, s.heap})
	})
}

type watchedView struct {
	store.View
	heap *watched
}

func (v watchedView) List(q store.Query, fn func(row any) error) error {
	v.heap.look()
	err := v.View.List(q, fn)
	v.heap.look()
	return err
}

// rows writes a list as it is read, and measures the heap now and then.
type rows struct {
	n, next int
	row     func(i int) string
	left    string
	heap    *watched
}

func (r *rows) Read(b []byte) (int, error) {
	if r.left == "" && r.next == r.n {
		return 0, io.EOF
	}
	if r.left == "" {
		if r.next%20_000 == 0 {
			r.heap.look()
		}
		r.left = r.row(r.next)
		r.next++
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

// A list of 100,000 rows is compared with the orders of a shop on SQLite in bounded memory:
// tens of bytes a row, whatever the form of the list. One row in ten has another amount,
// most have no order, and ten orders have no row.
func TestBigReconciliation(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine asks one thing after the other: nothing for the race detector")
	}
	orders := *bigStock
	l := newLibrary(t, 1)
	l.stock(t, orders)
	form := map[string]func(i int) string{
		"text/csv": func(i int) string {
			i += 10
			return fmt.Sprintf("PO-%06d,%s,%s\n", i, money.MustParse("10.00").Add(money.Amount(i-i%10/9)), "created")
		},
		"application/json": func(i int) string {
			i += 10
			return fmt.Sprintf(`{"merchant_order_id":"PO-%06d","amount":%s,"status":"created"},`, i, money.MustParse("10.00").Add(money.Amount(i-i%10/9)))
		},
	}
	for media, row := range form {
		heap := &watched{}
		backend := &watchedStore{Backend: l.backend, heap: heap}
		service := *l.service
		service.Store = backend
		api, err := httpapi.New(l.config, httpapi.Table(&service))
		if err != nil {
			t.Fatal(err)
		}
		head, tail := "merchant_order_id,amount,status\n", ""
		if media == "application/json" {
			head, tail = "[", `{"merchant_order_id":"nobody's","amount":1,"status":"CREATED"}]`
		}
		body := &rows{n: bigList, row: row, heap: heap}
		r := httptest.NewRequest("POST", "/v1/reconciliations", io.MultiReader(strings.NewReader(head), body, strings.NewReader(tail)))
		r.Header.Set("Authorization", "Bearer shop")
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		heap.look()
		start := time.Now()
		api.ServeHTTP(w, r)
		took := time.Since(start)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %.500s", media, w.Code, w.Body)
		}
		got, err := resource.Decode[resource.Reconciliation](w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		known := orders - 10
		want := resource.Reconciliation{AsOfSeq: got.AsOfSeq, Rows: bigList, Matched: known * 9 / 10, AmountMismatch: known / 10,
			MissingHere: bigList - known, MissingThere: 10 + 10, Truncated: true} // the library has ten orders without numbers
		if media == "application/json" {
			want.Rows, want.MissingHere = want.Rows+1, want.MissingHere+1
		}
		shown := len(got.Differences)
		got.Differences = nil
		if fmt.Sprint(got) != fmt.Sprint(want) || shown != 10_000 {
			t.Errorf("%s: %+v with %d differences, want %+v", media, got, shown, want)
		}
		t.Logf("%s: %d rows and %d orders in %v, the snapshot open for %v, %.1f MiB held at most", media, bigList, orders, took, backend.open, heap.grown())
		if grown := heap.grown(); grown > 24 {
			t.Errorf("%s: the heap grew by %.1f MiB", media, grown)
		}
	}
}

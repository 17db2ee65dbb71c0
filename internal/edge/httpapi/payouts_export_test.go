package httpapi_test

import (
	"encoding/csv"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// row holds the columns of the export that the tests check.
type row struct {
	line, payout, status, order, number, updated          string
	gross, discount, refunds, repaid, clawback, collected money.Amount
	net                                                   money.Amount
}

// exported reads an export of a span.
func (x *months) exported(who string, since, before time.Time) (out []row) {
	x.t.Helper()
	q := url.Values{}
	for name, at := range map[string]time.Time{"updated_since": since, "updated_before": before} {
		if !at.IsZero() {
			q.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	r := x.must(200, who, "GET", "/v1/payouts/export?"+q.Encode(), "", "Accept", "text/csv")
	rows, err := csv.NewReader(strings.NewReader(r.raw)).ReadAll()
	if err != nil {
		x.t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	for _, f := range rows[1:] {
		m := func(name string) money.Amount { return money.MustParse(f[at[name]]) }
		out = append(out, row{
			f[at["line_id"]], f[at["payout_id"]], f[at["status"]], f[at["order_key"]], f[at["merchant_order_id"]], f[at["updated_at"]],
			m("gross"), m("discount"), m("refunds"), m("repaid"), m("clawback"), m("collected"), m("net"),
		})
	}
	return out
}

// Scorecard F5: exports of consecutive spans neither overlap nor omit anything, the rows of
// a payout add up to it, and the amounts paid out and netted match the ledger to the cent.
func TestPayoutExport(t *testing.T) {
	seed := *statementSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 100_000
	}
	t.Logf("seed %d", seed)
	x := &months{matrix: newMatrix(t), rng: rand.New(rand.NewPCG(seed, 5))}
	x.company = x.house.company
	x.paidOut(x.house.a) // it has an account
	last, kept, seen := time.Time{}, map[string]row{}, map[string]bool{}
	take := func() {
		t.Helper()
		until := x.business()
		for _, r := range x.exported("ops", last, until) {
			if seen[r.line+r.updated] {
				t.Errorf("row %s of %s came twice", r.line, r.updated)
			}
			seen[r.line+r.updated], kept[r.line] = true, r
		}
		last = until
	}
	day := x.zone.Date(x.business())
	for range 40 {
		for range x.rng.IntN(4) {
			x.something()
		}
		x.play(day, 16, 0)
		x.may("", merchants.PayMerchant{Merchant: x.house.a})
		x.turn()
		if x.rng.IntN(3) == 0 {
			take()
		}
		day++
		x.play(day, 9, 0)
	}
	x.play(day, 10, 0)
	take()
	all, sums := x.exported("a", time.Time{}, time.Time{}), map[string]row{}
	if len(all) != len(kept) {
		t.Errorf("%d rows in all, %d by and by", len(all), len(kept))
	}
	total := row{}
	for _, r := range all {
		if kept[r.line] != r {
			t.Errorf("row %+v was told as %+v", r, kept[r.line])
		}
		s := sums[r.payout]
		s.net, s.gross = s.net.Add(r.net), s.gross.Add(r.gross)
		sums[r.payout] = s
		if r.status == "SENT" || r.status == "SETTLED" {
			total.net, total.clawback, total.collected = total.net.Add(r.net), total.clawback.Add(r.clawback), total.collected.Add(r.collected)
		}
	}
	for id, s := range sums {
		p := x.must(200, "a", "GET", "/v1/payouts/"+id, "").body
		if amount(t, p["net"]) != s.net || amount(t, p["gross"]) != s.gross {
			t.Errorf("payout %s of %v: its rows come to %s", id, p["net"], s.net)
		}
	}
	paid, netted := x.posted("MERCHANT_PAYOUT_INITIATED", ledger.MerchantPayable), x.posted("CLAWBACK_NETTED", ledger.MerchantPayable)
	if paid != total.net || netted != total.clawback || paid == 0 || len(all) < 5 {
		t.Errorf("%d rows: paid out %s, in the ledger %s; clawbacks %s, in the ledger %s", len(all), total.net, paid, total.clawback, netted)
	}
	if r := x.must(200, "b", "GET", "/v1/payouts/export", ""); r.raw != `{"data":[],"has_more":false,"next_cursor":null}` {
		t.Errorf("another merchant: %s", r.raw)
	}
	x.must(400, "a", "GET", "/v1/payouts/export?updated_before=2099-01-01T00:00:00Z", "")
}

// posted sums an event's lines on an account.
func (x *months) posted(event string, a ledger.Account) (sum money.Amount) {
	x.t.Helper()
	err := x.backend.View(x.t.Context(), func(v store.View) error {
		return store.EachEntryOf(v, store.BookFilter{From: calendar.None, To: calendar.None, Merchant: x.house.a}, func(e store.EntryRow) error {
			for _, p := range e.Postings {
				if e.Event == event && p.Account == a {
					sum = sum.Add(p.Amount)
				}
			}
			return nil
		})
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return sum
}

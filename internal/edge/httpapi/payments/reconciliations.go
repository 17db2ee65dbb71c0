package payments

import (
	"context"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

const (
	// maxListBody is the maximum size of a list in bytes.
	maxListBody = 64 << 20
	// maxDifferences is how many differences an answer shows; all are counted.
	maxDifferences = 10_000
	// maxAsked is the maximum number of orders checked against a list.
	maxAsked = 1_000_000
	// numbersAtOnce is how many order numbers are looked up together.
	numbersAtOnce = 1000
)

type reconciliationQuery struct {
	CreatedFrom *calendar.Date `query:"created_from" doc:"The list is complete for orders created on or after this business date." example:"2026-01-01"`
	CreatedTo   *calendar.Date `query:"created_to" doc:"The list is complete for orders created on or before this business date." example:"2026-01-31"`
}

// Check refuses a reversed range.
func (q *reconciliationQuery) Check(report func(name, code, detail string)) {
	if q.CreatedFrom != nil && q.CreatedTo != nil && *q.CreatedFrom > *q.CreatedTo {
		report("created_to", "reversed", "created_to is before created_from.")
	}
}

// Reconciliations returns the operation that compares a merchant's own list with the books.
func (s API) Reconciliations() []rest.Operation {
	return []rest.Operation{{
		ID: "reconcile", Method: "POST", Path: "/v1/reconciliations", Tag: "Reports", Summary: "Reconcile the merchant's list of orders with the books",
		Doc: "Takes CSV (RFC 4180) whose first line names the columns, `merchant_order_id,amount,status` in any order, or a JSON array, up to 64 MiB and 1,000,000 rows. " +
			"For CSV, errors have `line` and `column` instead of a pointer. " +
			"Orders are found by `merchant_order_id`; if several match, the one that is not CANCELED, otherwise the newest. " +
			"Amounts are compared with the order's `amount`, or its `captured_amount` once captured; statuses in any case. " +
			"`created_from` and `created_to` set the dates for which the list should be complete: every order created then that is not CANCELED. " +
			"Everything is read in one snapshot. Nothing is changed, so an Idempotency-Key is accepted but not stored. " +
			"Only one reconciliation per merchant runs at a time.",
		Scopes: []string{"reports:read"}, TenantOnly: true, Reads: true, MaxBody: maxListBody, Consumes: []string{rest.MediaJSON, rest.MediaCSV},
		Problems: []string{rest.CodeMalformedCSV}, Stream: reconciliationRow{}, Response: resource.Reconciliation{}, Endpoint: rest.Handle(s.reconcile),
	}}
}

func (s API) reconcile(c *rest.Call, q *reconciliationQuery, _ *rest.None) (rest.Answer, error) {
	list, err := readList(c)
	if err != nil {
		return rest.Answer{}, err
	}
	var from, to time.Time
	if q.CreatedFrom != nil {
		from = s.Zone.Start(*q.CreatedFrom)
	}
	if q.CreatedTo != nil {
		to = s.Zone.Start(*q.CreatedTo + 1)
	}
	ctx, cancel := context.WithTimeout(c.Context(), rest.StreamTimeout)
	defer cancel()
	r := &reconciler{list: list, merchant: c.Principal.Tenant, out: resource.Reconciliation{Rows: list.count, Differences: []resource.Difference{}}}
	if err := s.Store.View(ctx, func(v store.View) error {
		r.out.AsOfSeq = v.Seq()
		if err := r.rows(v); err != nil {
			return err
		}
		return r.missing(v, from, to)
	}); err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{Body: &r.out, AsOfSeq: r.out.AsOfSeq}, nil
}

// reconciler compares a list with the books.
type reconciler struct {
	list     *ownList
	merchant string
	out      resource.Reconciliation
}

// rows compares every row with the order that has its number.
func (r *reconciler) rows(v store.View) error {
	numbers := make([]string, 0, numbersAtOnce)
	for from := 0; from < r.list.count; from += numbersAtOnce {
		to := min(from+numbersAtOnce, r.list.count)
		numbers = numbers[:0]
		for i := from; i < to; i++ {
			if !r.list.row(i).duplicate {
				numbers = append(numbers, string(r.list.number(i)))
			}
		}
		found, err := store.OrdersNumbered(v, r.merchant, numbers)
		if err != nil {
			return err
		}
		ours := make(map[string]*store.OrderBrief, len(found))
		for i := range found {
			if o := &found[i]; counts(o, ours[o.Number]) {
				ours[o.Number] = o
			}
		}
		for i := from; i < to; i++ {
			r.row(i, ours)
		}
	}
	return nil
}

// counts reports whether an order, rather than another, is the one with their number: a
// number is free again once its order is CANCELED.
func counts(o, other *store.OrderBrief) bool {
	if other == nil || o.Status != credit.OrderCanceled {
		return true
	}
	return other.Status == credit.OrderCanceled && (o.CreatedAt.After(other.CreatedAt) || o.CreatedAt.Equal(other.CreatedAt) && o.Key > other.Key)
}

// row compares one row.
func (r *reconciler) row(i int, orders map[string]*store.OrderBrief) {
	x, o := r.list.row(i), orders[string(r.list.number(i))]
	switch {
	case x.duplicate:
		r.differ(&r.out.Duplicates, "duplicate", i, nil)
		return
	case o == nil:
		r.differ(&r.out.MissingHere, "missing_here", i, nil)
		return
	}
	amount, status := x.amount == final(o), orderStatuses[x.status] == o.Status
	if !amount {
		r.differ(&r.out.AmountMismatch, "amount_mismatch", i, o)
	}
	if !status {
		r.differ(&r.out.StatusMismatch, "status_mismatch", i, o)
	}
	if amount && status {
		r.out.Matched++
	}
}

// final is the amount that a list is compared with: the captured amount, once there is one.
func final(o *store.OrderBrief) money.Amount {
	if o.Captured != 0 {
		return o.Captured
	}
	return o.Amount
}

// noRow is the row index for an order missing from the list.
const noRow = -1

// differ counts a difference, and shows it while there is room.
func (r *reconciler) differ(count *int, kind string, row int, o *store.OrderBrief) {
	*count++
	if len(r.out.Differences) == maxDifferences {
		r.out.Truncated = true
		return
	}
	d := resource.Difference{Kind: kind}
	if row != noRow {
		x, number, n := r.list.row(row), string(r.list.number(row)), row+1
		d.MerchantOrderID, d.Row, d.Theirs = &number, &n, resource.NewOrderSide(x.amount, orderStatuses[x.status])
	}
	if o != nil {
		key, number := o.Key, o.Number // copies, so that the batch they were read with can be freed
		d.OrderKey, d.Ours = &key, resource.NewOrderSide(final(o), o.Status)
		if number != "" {
			d.MerchantOrderID = &number
		}
	}
	r.out.Differences = append(r.out.Differences, d)
}

// missing finds orders of a time span that the list lacks.
func (r *reconciler) missing(v store.View, from, to time.Time) error {
	asked := 0
	return store.EachBrief(v, r.merchant, from, to, func(o store.OrderBrief) error {
		if asked++; asked > maxAsked {
			return rest.InvalidParameter("created_from", fmt.Sprintf("The range holds more than %d orders; narrow it.", maxAsked))
		}
		if o.Status != credit.OrderCanceled && (o.Number == "" || !r.list.has(o.Number)) {
			r.differ(&r.out.MissingThere, "missing_there", noRow, &o)
		}
		return nil
	})
}

package payments

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/ui/web"
)

type payoutExportQuery struct {
	UpdatedSince  *time.Time `query:"updated_since" doc:"Payouts changed at or after this instant." example:"2026-01-15T00:00:00Z"`
	UpdatedBefore *time.Time `query:"updated_before" doc:"Payouts changed before this instant, not in the future. Consecutive spans neither overlap nor leave gaps." example:"2026-01-16T00:00:00Z"`
}

// Check refuses a reversed span.
func (q *payoutExportQuery) Check(report func(name, code, detail string)) {
	if q.UpdatedSince != nil && q.UpdatedBefore != nil && q.UpdatedSince.After(*q.UpdatedBefore) {
		report("updated_before", "reversed", "updated_before is before updated_since.")
	}
}

// exportPayoutsOperation is the export of payouts, part of Payouts.
func (s API) exportPayoutsOperation() rest.Operation {
	return rest.Operation{
		ID: "exportPayouts", Method: "GET", Path: "/v1/payouts/export", Tag: "Payouts", Summary: "Export payouts, a row for each order",
		Doc: "As CSV or JSON, on one page, newest payout first. The rows of a payout add up to its amounts. Row IDs are stable: a row that appears again because its payout changed replaces the earlier one. " +
			"The response is streamed; a truncated one is incomplete.",
		Scopes: []string{"payouts:read"}, Response: resource.List[resource.PayoutRow]{}, Produces: []string{rest.MediaJSON, rest.MediaCSV}, Endpoint: rest.Handle(s.exportPayouts),
	}
}

func (s API) exportPayouts(c *rest.Call, q *payoutExportQuery, _ *rest.None) (rest.Answer, error) {
	if q.UpdatedBefore != nil && q.UpdatedBefore.After(s.Now()) {
		return rest.Answer{}, rest.InvalidParameter("updated_before", "The instant is in the future.")
	}
	write, contentType := WriteList[resource.PayoutRow], rest.MediaJSON
	if c.Accepted == rest.MediaCSV {
		write, contentType = writePayoutCSV, rest.MediaCSV+"; charset=utf-8"
	}
	return rest.Answer{ContentType: contentType, Stream: func(begin func(asOf int64) io.Writer) error {
		done, ok := c.Streaming()
		if !ok {
			return rest.Unavailable(rest.CodeOverloaded, 0)
		}
		defer done()
		ctx, cancel := context.WithTimeout(c.Context(), rest.ExportTimeout)
		defer cancel()
		if err := engine.Settle(ctx, s.Submit); err != nil { // nothing in progress will be dated earlier
			return serve.Failure(err)
		}
		return s.Store.View(ctx, func(v store.View) error {
			return write(begin(v.Seq()), func(fn func(*resource.PayoutRow) error) error {
				return eachPayoutRow(v, c.Principal.Tenant, q, fn)
			})
		})
	}}, nil
}

// eachPayoutRow walks the lines of payouts that changed in a span.
func eachPayoutRow(v store.View, merchant string, q *payoutExportQuery, fn func(*resource.PayoutRow) error) error {
	for page := (store.Page{Limit: 200}); ; {
		list, err := store.ListPayouts(v, store.PayoutFilter{Merchant: merchant}, page)
		if err != nil {
			return err
		}
		for _, p := range list {
			if q.UpdatedSince != nil && p.UpdatedAt.Before(*q.UpdatedSince) || q.UpdatedBefore != nil && !p.UpdatedAt.Before(*q.UpdatedBefore) {
				continue
			}
			if err := rowsOf(v, p, fn); err != nil {
				return err
			}
		}
		if len(list) < page.Limit {
			return nil
		}
		last := list[len(list)-1]
		page.AfterAt, page.AfterID = last.CreatedAt, last.ID
	}
}

// rowsOf walks the lines of one payout.
func rowsOf(v store.View, p *credit.Payout, fn func(*resource.PayoutRow) error) error {
	lines, err := linesOf(v, p.ID)
	if err != nil {
		return err
	}
	state := credit.NewState()
	var k credit.Keys
	for _, l := range lines {
		if l.Order != "" {
			k.Orders = append(k.Orders, l.Order)
		}
	}
	if err := v.Load(state, k); err != nil {
		return err
	}
	for _, l := range lines {
		number := ""
		if o := state.Orders[l.Order]; o != nil {
			number = o.MerchantOrderID
		}
		row := resource.NewPayoutRow(p, l, number)
		if err := fn(&row); err != nil {
			return err
		}
	}
	return nil
}

// WriteList writes resources as one page of a list.
func WriteList[T any](w io.Writer, each func(fn func(*T) error) error) error {
	out := bufio.NewWriter(w)
	before := `{"data":[`
	if err := each(func(x *T) error {
		text, err := serve.Encode(x)
		if err != nil {
			return err
		}
		_, _ = out.WriteString(before) // Flush returns the error
		before = ","
		_, err = out.Write(text)
		return err
	}); err != nil {
		return err
	}
	if before != "," {
		_, _ = out.WriteString(before)
	}
	_, _ = out.WriteString(`],"has_more":false,"next_cursor":null}`)
	return out.Flush()
}

// payoutColumns is the first line of the CSV. New columns are only added at the end.
func payoutColumns() []string {
	return []string{
		"line_id", "payout_id", "payout_date", "status", "merchant_id", "kind", "order_key", "merchant_order_id", "source", "gross", "discount",
		"refunds", "repaid", "clawback", "collected", "net", "currency", "settled_at", "updated_at",
	}
}

func writePayoutCSV(w io.Writer, each func(fn func(*resource.PayoutRow) error) error) error {
	out := csv.NewWriter(w)
	if err := out.Write(payoutColumns()); err != nil {
		return err
	}
	if err := each(func(r *resource.PayoutRow) error {
		settled := ""
		if r.SettledAt != nil {
			settled = r.SettledAt.Format(time.RFC3339Nano)
		}
		return out.Write([]string{
			r.LineID, r.PayoutID, r.PayoutDate.String(), r.Status, r.MerchantID, r.Kind, serve.Deref(r.OrderKey), web.PlainCell(serve.Deref(r.MerchantOrderID)), r.Source,
			r.Gross.String(), r.Discount.String(), r.Refunds.String(), r.Repaid.String(), r.Clawback.String(), r.Collected.String(), r.Net.String(),
			r.Currency, settled, r.UpdatedAt.Format(time.RFC3339Nano),
		})
	}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/client"
)

// compare reads the final state of the scenario and compares it with its statement.
func (r *run) compare(ctx context.Context) error {
	r.step, r.saying = 0, "The final state is compared with the expected state."
	want := r.s.Statement
	for _, part := range []func(context.Context, Statement) error{r.orders, r.checkouts, r.silence, r.schedules, r.payments, r.payouts, r.company, r.books} {
		if err := part(ctx, want); err != nil {
			return err
		}
	}
	for _, name := range sorted(want.Received) {
		key := textOf(r.kept[name], "key")
		_ = r.hook.until(ctx, r.Patience, func() bool { return r.hook.known[key].status == want.Received[name] }) // what comes too late shows as a difference
		r.differ("received order "+name, want.Received[name], r.hook.status(key))
	}
	return nil
}

// read reads as the lender.
func (r *run) read(ctx context.Context, path string) (json.RawMessage, error) {
	return ask[json.RawMessage](ctx, r.script, call{as: asLender, method: "GET", path: path})
}

func (r *run) orders(ctx context.Context, want Statement) error {
	for _, name := range sorted(want.Orders) {
		o, err := r.read(ctx, "/v1/order/"+textOf(r.kept[name], "key"))
		if err != nil {
			return err
		}
		r.members("order "+name+": ", o, want.Orders[name])
	}
	return nil
}

func (r *run) checkouts(ctx context.Context, want Statement) error {
	for _, name := range sorted(want.Checkouts) {
		x, err := ask[json.RawMessage](ctx, r.script, call{as: asShop, method: "GET", path: "/v1/checkouts/" + textOf(r.kept[name], "id")})
		if err != nil {
			return err
		}
		r.members("checkout "+name+": ", x, want.Checkouts[name])
	}
	return nil
}

func (r *run) schedules(ctx context.Context, want Statement) error {
	for _, name := range sorted(want.Schedules) {
		s, err := r.read(ctx, "/payments/schedule/"+textOf(r.kept[name], "key"))
		if err != nil {
			return err
		}
		got := table(s, "installments", "due_date", "amount", "status")
		var rows [][]string
		for _, x := range want.Schedules[name] {
			due, err := r.fill(x[0], false)
			if err != nil {
				return err
			}
			rows = append(rows, []string{due, x[1], x[2]})
		}
		r.rows("installment of "+name, rows, got)
	}
	return nil
}

func (r *run) payments(ctx context.Context, want Statement) error {
	p, err := r.read(ctx, "/v1/companies/"+r.result.CompanyID+"/payments?limit=100")
	if err != nil {
		return err
	}
	got := table(p, "data", "created_at", "attempt", "amount", "method", "status")
	slices.SortFunc(got, slices.Compare)
	for i, x := range got {
		got[i] = append(x[2:], x[1])
	}
	var rows [][]string
	for _, x := range want.Payments {
		rows = append(rows, x[:])
	}
	r.rows("payment", rows, got)
	return nil
}

func (r *run) payouts(ctx context.Context, want Statement) error {
	p, err := ask[json.RawMessage](ctx, r.script, call{as: asShop, method: "GET", path: "/v1/payouts?limit=100"})
	if err != nil {
		return err
	}
	got := table(p, "data", "net", "status")
	slices.Reverse(got)
	var rows [][]string
	for _, x := range want.Payouts {
		rows = append(rows, x[:])
	}
	r.rows("payout", rows, got)
	return nil
}

func (r *run) company(ctx context.Context, want Statement) error {
	c, err := r.read(ctx, "/v2/companies/"+r.result.CompanyID)
	if err == nil {
		r.members("company: ", c, want.Company)
	}
	return err
}

// books adds up what was posted for the merchant and for the company, account by account. Such
// entries have no other participants: both were created for this run.
func (r *run) books(ctx context.Context, want Statement) error {
	text, err := r.read(ctx, fmt.Sprintf("/v1/operator/ledger/entries?from=%04d-01-01", r.year))
	if err != nil {
		return err
	}
	var list struct{ Data []client.Entry }
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("read the entries: %w", err)
	}
	sums := map[string]int64{}
	for _, e := range list.Data {
		if !slices.ContainsFunc(e.Postings, func(p client.Posting) bool {
			return p.MerchantID == r.result.MerchantID || strconv.FormatInt(p.CompanyID, 10) == r.result.CompanyID
		}) {
			continue
		}
		for _, p := range e.Postings {
			debit, _ := p.Debit.Cents() // absent on the other side
			credit, _ := p.Credit.Cents()
			sums[strconv.Itoa(p.Account)] += debit - credit
		}
	}
	for account, cents := range sums {
		if cents == 0 {
			delete(sums, account)
		}
	}
	for _, account := range sorted(want.TrialBalance) {
		r.differ("account "+account, want.TrialBalance[account], string(client.OfCents(sums[account])))
	}
	for _, account := range sorted(sums) {
		if _, expected := want.TrialBalance[account]; !expected {
			r.differ("account "+account, "0.00", string(client.OfCents(sums[account])))
		}
	}
	return nil
}

// table extracts columns from a list in a document.
func table(document json.RawMessage, list string, columns ...string) [][]string {
	var out [][]string
	for i := 0; ; i++ {
		if _, more := member(document, fmt.Sprintf("%s.%d", list, i)); !more {
			return out
		}
		var row []string
		for _, c := range columns {
			row = append(row, textOf(document, fmt.Sprintf("%s.%d.%s", list, i, c)))
		}
		out = append(out, row)
	}
}

// rows compares two tables row by row.
func (r *run) rows(what string, want, got [][]string) {
	for i := range max(len(want), len(got)) {
		text := func(rows [][]string) string {
			if i < len(rows) {
				return strings.Join(rows[i], " ")
			}
			return "(none)"
		}
		r.differ(fmt.Sprintf("%s %d", what, i+1), text(want), text(got))
	}
}

package verify

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// storedColumns checks the columns that repeat another column or another row. Lists and
// loads find rows by them, and no record shows them: the columns of a money event next to
// its JSON, the merchant of a payment's order, the owners of loans, installments, fees,
// entries, touches and links, and the lookups of lists (AU1, AU7, F34).
func storedColumns(r *run) error {
	for _, walk := range []func(*run) error{storedMoney, storedTouches, storedLoans, storedPayments, storedEntries, storedLinks, storedLookups} {
		if err := walk(r); err != nil {
			return err
		}
	}
	return nil
}

// eachStored decodes the rows of a table and reports each column whose value that loses,
// because another column holds the same data and wins.
func eachStored[T any](r *run, t *store.Table[T], invariant string, object func(*T) string, fn func(*T)) error {
	s := t.Schema()
	return r.view.Stored(t.Schema(), func(values []store.Value) error {
		row, err := t.Decode(values)
		if err != nil {
			return err
		}
		var lost []difference
		for i, v := range t.Encode(row, nil) {
			if s.Types[i] != store.JSON && v.Compare(values[i]) != 0 {
				lost = append(lost, difference{s.Columns[i], show(s.Types[i], values[i]), show(s.Types[i], v)})
			}
		}
		r.columns(invariant, object(row), t.Name, lost)
		fn(row)
		return r.each(0)
	})
}

// says records a violation unless a column equals what it repeats.
func says[V comparable](r *run, invariant, object, column string, stored, want V) {
	if stored != want {
		r.broken(invariant, object, "%s is %v, must be %v", column, stored, want)
	}
}

func storedMoney(r *run) error {
	type place struct {
		q int64
		n int
	}
	seen := map[place]string{}
	return eachStored(r, &store.MoneyEvents, "F34", func(x *store.MoneyRow) string { return "money event " + x.ID }, func(x *store.MoneyRow) {
		at := place{x.Q, x.N}
		if other, twice := seen[at]; twice || x.N < 0 {
			r.broken("F34", "money event "+x.ID, "has number %d of commit %d, as does %q", x.N, x.Q, other)
		}
		seen[at] = x.ID
	})
}

func storedTouches(r *run) error {
	object := func(x *store.TouchRow) string { return "history " + x.Order }
	return eachStored(r, &store.MoneyTouches, "F34", object, func(x *store.TouchRow) {
		company := store.CompanyID(x.Order)
		if o := r.orders[x.Order]; o != nil {
			company = o.company
		}
		says(r, "AU1", object(x), "money_touches.company_id of "+x.Event, x.Company, company)
	})
}

// storedLoans checks that loans, their rows and their fees have the company and merchant of
// their order, and that fees are numbered from 0.
func storedLoans(r *run) error {
	check := func(object, table, order string, company int64, merchant *string) {
		o := r.orders[order]
		if o == nil || !o.hasLoan {
			r.broken("AU1", object, "has a row in %s without a loan", table)
			return
		}
		says(r, "AU1", object, table+".company_id", company, o.company)
		if merchant != nil {
			says(r, "AU1", object, table+".merchant_id", *merchant, o.merchant)
		}
	}
	loan := func(x *store.LoanRow) string { return "loan " + x.Key }
	if err := eachStored(r, &store.Loans, "AU7", loan, func(x *store.LoanRow) {
		check(loan(x), "loans", x.Key, x.Company, &x.Merchant)
	}); err != nil {
		return err
	}
	row := func(x *store.InstallmentRow) string { return fmt.Sprintf("row %d of %s", x.Number, x.Order) }
	if err := eachStored(r, &store.Installments, "AU7", row, func(x *store.InstallmentRow) {
		check(row(x), "installments", x.Order, x.Company, &x.Merchant)
	}); err != nil {
		return err
	}
	fees := map[string]int{}
	fee := func(x *store.FeeRow) string { return "fee " + x.ID }
	return eachStored(r, &store.Fees, "AU7", fee, func(x *store.FeeRow) {
		check(fee(x), "fees", x.Order, x.Company, nil)
		says(r, "AU7", fee(x), "fees.n", x.N, fees[x.Order])
		fees[x.Order]++
	})
}

// storedPayments checks that a payment is listed for the merchant of the order it names.
func storedPayments(r *run) error {
	object := func(x *store.PaymentRow) string { return "payment " + x.ID }
	return eachStored(r, &store.Payments, "AU7", object, func(x *store.PaymentRow) {
		want := ""
		if o := r.orders[x.Order]; x.Order != "" && o != nil {
			want = o.merchant
		}
		says(r, "AU1", object(x), "payments.order_merchant_id", x.OrderMerchant, want)
	})
}

// storedEntries checks that an entry has its commit's company and instant.
func storedEntries(r *run) error {
	type made struct{ company, at int64 } // at in microseconds since 1970
	of := map[int64]made{}
	object := func(x *store.EntryHead) string { return "entry " + x.ID }
	if err := eachStored(r, &store.Entries, "AU7", object, func(x *store.EntryHead) {
		m, found := of[x.Q]
		if !found {
			m = made{x.Company, x.At.UnixMicro()}
			of[x.Q] = m
		}
		says(r, "AU1", object(x), "entries.company_id", x.Company, m.company)
		says(r, "AU7", object(x), "entries.at", x.At.UnixMicro(), m.at)
	}); err != nil {
		return err
	}
	return store.EachAudit(r.view, 0, func(q int64, a store.Audit) error {
		if m, posted := of[q]; posted {
			says(r, "AU1", fmt.Sprint("commit ", q), "entries.company_id", m.company, a.Company)
			says(r, "AU7", fmt.Sprint("commit ", q), "entries.at", m.at, a.At.UnixMicro())
		}
		return r.ctx.Err()
	})
}

// storedLookups checks that the columns by which lists find rows match the rows.
func storedLookups(r *run) error {
	for _, n := range store.Nouns {
		s := n.Schema()
		if s.Lookups == 0 {
			continue
		}
		kept := len(s.Columns) - s.Lookups
		err := r.view.Stored(s, func(values []store.Value) error {
			row, err := n.Decode(values)
			if err != nil {
				return err
			}
			var wrong []difference
			for i, v := range n.Encode(row, nil)[kept:] {
				if at := kept + i; v.Compare(values[at]) != 0 {
					wrong = append(wrong, difference{s.Columns[at], show(s.Types[at], values[at]), show(s.Types[at], v)})
				}
			}
			r.columns("AU7", n.Label(row), s.Name, wrong)
			return r.each(0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// storedLinks checks that a merchant's list shows a company at the position of its
// creation.
func storedLinks(r *run) error {
	object := func(x *store.LinkRow) string {
		return fmt.Sprintf("link of company %d and merchant %s", x.Company, x.Merchant)
	}
	return eachStored(r, &store.CompanyMerchants, "AU1", object, func(x *store.LinkRow) {
		c := r.companies[x.Company]
		if c == nil {
			c = &credit.Company{}
		}
		says(r, "AU1", object(x), "company_merchants.created_at", x.CreatedAt.UnixMicro(), c.CreatedAt.UnixMicro())
	})
}

package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenor/internal/credit"
	"tenor/internal/money"
	"tenor/internal/store"
)

// tied is what the story of a company leaves whose credit pays on all its orders.
type tied struct {
	company  int64
	own, due string // orders: that of the payment, and that which its credit has paid
	over     string // the payment of which credit was left
}

// tie opens a company with two orders, one of each shop.
func (b *book) tie() (x tied) {
	b.t.Helper()
	x.company = b.must(operator, credit.CreateCompany{
		Title: "Linden Mill", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("5000.00"), Merchants: []string{b.shops[0].Merchant, b.shops[1].Merchant},
	}).(*credit.Company).ID
	for i, key := range []*string{&x.own, &x.due} {
		*key = b.must(b.shops[i], credit.CreateOrder{Company: x.company, Amount: money.MustParse("300.00"), Installments: 3, Authorize: true}).(*credit.Order).Key
		b.must(b.shops[i], credit.UpdateOrder{Order: *key, Status: credit.OrderCaptured})
	}
	return x
}

// useCredit lets the company pay too much for one order, and agree to what its credit
// then pays of the other one (F36).
func (b *book) useCredit(x *tied) {
	b.t.Helper()
	x.over = b.must(operator, payment(x.own, "400.00")).(*credit.Payment).ID
	on := true
	b.must(operator, credit.SetAutopay{Company: x.company, Credit: &on})
	b.must(operator, credit.ServiceOrder{Order: x.due})
	b.read(func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Payments: []string{x.over}}); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.Payments[x.over].Allocations, func(a credit.Allocation) bool { return a.Order == x.due }) {
			b.t.Fatal("no credit was used")
		}
		return nil
	})
}

// That orders are tied lets no money of one of them pay another: without the use of
// credit that has moved it there the payment itself is named (PA4).
func TestTiedTampersNameThePayment(t *testing.T) {
	dir := t.TempDir()
	clean := filepath.Join(dir, "clean.db")
	names := makeClean(t, clean)
	for i, x := range tiedTampers {
		file := filepath.Join(dir, fmt.Sprint("tied", i, ".db"))
		copyFile(t, clean, file)
		change(t, file, names.Replace(x.sql))
		named := slices.ContainsFunc(verifyFile(t, file).Violations, func(v Violation) bool {
			return v.Invariant == "PA4" && strings.Contains(v.Detail, "without a use of its credit")
		})
		if !named {
			t.Errorf("%s is not named", x.what)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

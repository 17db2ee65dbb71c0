package storetest

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// testSharedAccounts lists the accounts that were added at a second company: not if the
// first one adds it again, not before the instant, and no card.
func testSharedAccounts(t *testing.T, b store.Backend) {
	var c credit.Changes
	for i := range 4 {
		c.Companies = append(c.Companies, &credit.Company{ID: int64(60 + i), Status: credit.CompanyApproved, CreatedAt: wall(0), Version: 1})
	}
	add := func(n int, company int64, number string) *credit.PaymentMethod {
		m := &credit.PaymentMethod{
			ID: fmt.Sprintf("pm_same%d", n), Company: company, Merchant: "mch_1", Type: credit.ACH, Status: credit.MethodActive, FirstSettled: calendar.None, CreatedAt: wall(n), Version: 1,
			Bank: &credit.BankAccount{Last4: "1111", AccountType: "CHECKING", HolderType: `"fingerprint":"same_1"`, Sealed: []byte{1}, Fingerprint: number},
		}
		if number == "" {
			m.Type, m.Bank, m.Card = credit.Card, nil, &credit.CardAccount{Token: "tok_1", Last4: "4242"}
		}
		c.Methods = append(c.Methods, m)
		return m
	}
	first := add(100, 60, "same_1")
	early := add(101, 61, "same_1")
	add(102, 60, "same_2")
	add(103, 60, "same_2") // the same company again
	add(104, 61, "")
	add(105, 62, "")
	again := add(106, 60, "same_1") // another company has had it meanwhile
	third := add(107, 62, "same_1")
	gone := add(108, 63, "same_2")
	gone.Status, gone.DisabledReason = credit.MethodDisabled, credit.DisabledRemoved
	commit(t, b, batchOf(b, c))
	at := func(m *credit.PaymentMethod) (time.Time, string) { return m.CreatedAt, m.ID }
	for since, want := range map[int][]*credit.PaymentMethod{101: {early, again, third, gone}, 102: {again, third, gone}, 109: nil} {
		view(t, b, func(v store.View) {
			walk(t, fmt.Sprint("shared since ", since), expected(items(want, at), func(any) bool { return true }), func(p store.Page) ([]item, error) {
				list, err := store.ListSharedAccounts(v, wall(since), p)
				return items(list, at), err
			})
		})
	}
	view(t, b, func(v store.View) {
		equal(t, "same account", []*credit.PaymentMethod{first, early, again, third}, must(store.ListSameAccount(v, "same_1"))(t))
		equal(t, "an account of nobody", 0, len(must(store.ListSameAccount(v, "same_3"))(t)))
	})
}

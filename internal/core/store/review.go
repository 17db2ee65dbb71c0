package store

import (
	"time"

	"tenor/internal/domain/credit"
)

// MaxSame limits the list of methods with one account.
const MaxSame = 100

// ListSharedAccounts lists the bank accounts that a company added at or after an instant
// when another company already had the same account, newest first (F41.1).
func ListSharedAccounts(v View, since time.Time, p Page) ([]*credit.PaymentMethod, error) {
	q := newest(MethodNoun, "created_at", p)
	q.Index = "payment_methods_added"
	q.holds("fingerprint", IsNot, Value{Null: true})
	q.Where = append(q.Where, Cond{Other: &Other{
		From: MethodNoun, Index: "payment_methods_account", Same: []Pair{{"fingerprint", "fingerprint"}}, Differs: []Pair{{"company_id", "company_id"}},
		Earlier: []Pair{{"created_at", "created_at"}, {"id", "id"}},
	}})
	q.since("created_at", since)
	return list(v, MethodNoun, q)
}

package verify

import (
	"maps"
	"slices"

	"tenor/internal/domain/credit"
)

// positions compares each merchant's position with the sum of all postings (LG3): the
// limits of F41.6 and F41.12 depend on it.
func positions(r *run) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(r.merchants)), keysAtOnce) {
		s := credit.NewState()
		if err := r.view.Load(s, credit.Keys{Positions: ids}); err != nil {
			return err
		}
		for _, id := range ids {
			object, stored, sum := "merchant "+id, s.Position(id), r.position[id]
			r.equal("LG3", object, "principal of orders", stored.Principal, sum.Principal)
			r.equal("LG3", object, "1200", stored.Clawback, sum.Clawback)
			r.equal("LG3", object, "1210", stored.Collected, sum.Collected)
			r.equal("LG3", object, "2000", stored.Payable, sum.Payable)
			if err := r.each(0); err != nil {
				return err
			}
		}
	}
	return nil
}

package postgres

import (
	"fmt"
	"time"

	"tenor/internal/core/store"
)

// Numbered implements store.BriefView.
func (v *view) Numbered(merchant string, numbers []string) ([]store.OrderBrief, error) {
	var out []store.OrderBrief
	c := over(ordersByNumber, texts(numbers), every(&store.OrderBriefs, func(r *store.OrderBrief) { out = append(out, *r) }), text(merchant))
	if err := v.run(c); err != nil {
		return nil, fmt.Errorf("orders of %d numbers: %w", len(numbers), err)
	}
	return out, nil
}

// EachBrief implements store.BriefView.
func (v *view) EachBrief(merchant string, from, to time.Time, fn func(store.OrderBrief) error) error {
	var l list
	l.where = append(l.where, "merchant_id = "+l.arg(text(merchant)))
	l.compare("created_at", ">=", store.Micros(from))
	l.compare("created_at", "<", store.Micros(to))
	err := all(v, &store.OrderBriefs, l.clause()+" ORDER BY created_at, order_key",
		func(r *store.OrderBrief) error { return fn(*r) }, l.args...)
	if err != nil {
		return fmt.Errorf("walk orders: %w", err)
	}
	return nil
}

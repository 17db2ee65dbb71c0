package sqlite

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
)

// Numbered implements store.BriefView.
func (v *view) Numbered(merchant string, numbers []string) ([]store.OrderBrief, error) {
	var out []store.OrderBrief
	err := v.exec(ordersByNumber, distinct(numbers), func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.OrderBriefs, s)
		if err == nil {
			out = append(out, *row)
		}
		return err
	}, text(merchant))
	if err != nil {
		return nil, fmt.Errorf("orders of %d numbers: %w", len(numbers), err)
	}
	return out, nil
}

// distinct are texts, each once and none empty.
func distinct(list []string) texts {
	seen := make(map[string]bool, len(list))
	out := make(texts, 0, len(list))
	for _, s := range list {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// EachBrief implements store.BriefView.
func (v *view) EachBrief(merchant string, from, to time.Time, fn func(store.OrderBrief) error) error {
	var l list
	l.where = append(l.where, "merchant_id = "+l.arg(text(merchant)))
	l.compare("created_at", ">=", store.Micros(from))
	l.compare("created_at", "<", store.Micros(to))
	sql := "SELECT " + columns(store.OrderBriefs.Schema(), "") + " FROM orders INDEXED BY orders_merchant" + l.clause() + " ORDER BY created_at, order_key"
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		row, err := scan(v.conn, &store.OrderBriefs, s)
		if err != nil {
			return err
		}
		return fn(*row)
	})
	if err != nil {
		return fmt.Errorf("walk orders: %w", err)
	}
	return nil
}

package node

import (
	"sync"

	"tenor/internal/core/store"
)

// alarmDamaged is the alarm for a commit whose events cannot be read: they are missing from lists
// and are not sent.
const alarmDamaged = "damaged"

// maxDamaged bounds the commits that are remembered as reported. With so many, the first ones say
// enough.
const maxDamaged = 1000

// once reports each commit once, however often lists pass over it.
func once(report store.Damaged) store.Damaged {
	var mu sync.Mutex
	reported := map[int64]bool{}
	return func(q int64, err error) {
		mu.Lock()
		defer mu.Unlock()
		if reported[q] || len(reported) >= maxDamaged {
			return
		}
		reported[q] = true
		report(q, err)
	}
}

package webhook

import (
	"math/rand"
	"time"
)

func b(t time.Time) {
	_ = rand.Int()
	_ = t.AddDate(0, 0, 3)
	_ = t.AddDate(1, 0, 0) // want: AddMonths
}

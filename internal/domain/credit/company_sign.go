package credit

import (
	"time"

	"tenor/internal/domain/calendar"
)

// SignedOnPaper is when a master agreement was signed that was signed on paper, and when the
// operator has recorded it. Who signed stands in the proof, which is sealed.
type SignedOnPaper struct {
	On calendar.Date `json:"on"`
	At time.Time     `json:"at"`
}

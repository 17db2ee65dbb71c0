package outcome

import (
	"slices"

	"tenor/internal/domain/credit"
)

// CheckEventTypes checks and sorts the types that an endpoint subscribes to; nil means every
// type.
func CheckEventTypes(list []credit.EventType) ([]credit.EventType, *credit.Rejection) {
	known := EventTypes()
	for _, t := range list {
		if !slices.Contains(known, t) {
			return nil, credit.ValidationFailed.Because("There is no such event type.")
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return credit.Sorted(list), nil
}

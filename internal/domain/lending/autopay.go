package lending

import (
	"slices"

	"tenor/internal/domain/credit"
)

// AutopayMethod lists the accounts that a loaded company's autopay debits.
func AutopayMethod(s *credit.State, company int64) (ids []string) {
	x := s.Companies[company]
	if x == nil {
		return nil
	}
	if x.Servicing.Autopay.Method != "" {
		ids = append(ids, x.Servicing.Autopay.Method)
	}
	for _, m := range x.Servicing.Mandates {
		if m.Method != "" && !slices.Contains(ids, m.Method) {
			ids = append(ids, m.Method)
		}
	}
	return ids
}

package credit

import "tenor/internal/domain/underwriting"

// Codes are reasons as an application keeps them.
func Codes(reasons []underwriting.Reason) []string {
	out := make([]string, len(reasons))
	for i, r := range reasons {
		out[i] = string(r)
	}
	return out
}

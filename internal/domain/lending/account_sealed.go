package lending

import (
	"cmp"

	"tenor/internal/domain/credit"
)

// AccountNumber is the hash that identifies an account when it is checked at a company.
func AccountNumber(b *credit.BankAccount) string { return cmp.Or(b.BareHash, b.Fingerprint) }

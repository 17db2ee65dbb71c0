package lending

import (
	"cmp"

	"tenor/internal/domain/credit"
)

// AccountNumber is what the account is told from others by, where it is checked at a company.
func AccountNumber(b *credit.BankAccount) string { return cmp.Or(b.BareHash, b.Fingerprint) }

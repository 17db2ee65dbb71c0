//archtest:room internal/domain/credit

package credit

import (
	"tenor/internal/core/store" // want: may not import
	"tenor/internal/domain/money"
)

var _ = []any{money.Parse, store.ErrFull}

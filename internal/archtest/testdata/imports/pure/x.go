//archtest:room internal/credit

package credit

import (
	"tenor/internal/money"
	"tenor/internal/store" // want: may not import
)

var _ = []any{money.Parse, store.ErrFull}

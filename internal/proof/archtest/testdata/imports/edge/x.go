//archtest:room internal/edge/httpapi

package httpapi

import (
	"fmt"

	"github.com/lib/pq"                // want: may not import the module
	"tenor/internal/core/store/sqlite" // want: may not import
	"tenor/internal/domain/credit"
	"tenor/internal/pages/console" // want: may not import
)

var _ = fmt.Sprint(credit.NotFound, console.New, sqlite.Open, pq.Open)

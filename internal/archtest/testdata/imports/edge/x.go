//archtest:room internal/httpapi

package httpapi

import (
	"fmt"

	"github.com/lib/pq"      // want: may not import the module
	"tenor/internal/console" // want: may not import
	"tenor/internal/credit"
	"tenor/internal/store/sqlite" // want: may not import
)

var _ = fmt.Sprint(credit.NotFound, console.New, sqlite.Open, pq.Open)

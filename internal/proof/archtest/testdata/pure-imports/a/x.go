//archtest:room internal/domain/ledger

package ledger

import (
	"context"      // want: may not import context
	"database/sql" // want: may not import database/sql
	"fmt"
	"log/slog"     // want: may not import log/slog
	"math"         // want: may not import math
	"math/rand/v2" // want: may not import math/rand/v2
	"net"          // want: may not import net
	"os"           // want: may not import os
	"sync"         // want: may not import sync
)

var _ = fmt.Sprint(context.TODO, sql.Open, slog.Info, math.Pi, rand.Int, net.Dial, os.Args, sync.NewCond)

package local

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/app/exit"
	"tenor/internal/core/engine"
	"tenor/internal/domain/credit"
)

// The lender is told what is known about a command that was not carried out.
func TestUnsettled(t *testing.T) {
	for _, x := range []struct {
		err  error
		code int
		want string
	}{
		{&credit.Rejection{Reason: credit.Reason{Code: "company_not_eligible", Status: 409}, Detail: "held"}, exit.Conflict, "held"},
		{fmt.Errorf("hold: %w", engine.ErrOutcomeUnknown), exit.Refused, "may or may not have been made"},
		{fmt.Errorf("hold: %w: 20 tries", engine.ErrNotCommitted), exit.Unavailable, "nothing was changed"},
		{fmt.Errorf("hold: %w", engine.ErrExpired), exit.Unavailable, "nothing was changed"},
		{fmt.Errorf("hold: %w", engine.ErrReadOnly), exit.Refused, "read-only"},
	} {
		err := unsettled(x.err)
		var f *exit.Failure
		if !errors.As(err, &f) || f.Code != x.code || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v becomes %v", x.err, err)
		}
	}
	if err := unsettled(nil); err != nil {
		t.Errorf("nothing becomes %v", err)
	}
}

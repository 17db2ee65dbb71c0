package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tenor/internal/app/exit"
)

func TestConsent(t *testing.T) {
	for _, x := range []struct {
		answer string
		there  bool
		yes    bool
		code   int
	}{
		{"y\n", true, false, exit.Done}, {"YES\n", true, false, exit.Done}, {"n\n", true, false, exit.Canceled}, {"\n", true, false, exit.Canceled},
		{"", true, false, exit.Canceled}, {"y\n", false, false, exit.Usage}, {"", false, true, exit.Done},
	} {
		var errs bytes.Buffer
		a := testApp(nil, &errs)
		a.In, a.Interactive = strings.NewReader(x.answer), x.there
		err := Consent{Yes: x.yes}.Ask(a, false, "Cancel it?")
		code := exit.Done
		var f *exit.Failure
		if errors.As(err, &f) {
			code = f.Code
		}
		if code != x.code || x.there != (errs.String() == "Cancel it? [y/N] ") {
			t.Errorf("%q, somebody there %v, --yes %v: %d after %q, want %d", x.answer, x.there, x.yes, code, &errs, x.code)
		}
	}
}

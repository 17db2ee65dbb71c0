package operate

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/core/verify"
)

func TestVerdict(t *testing.T) {
	bad := verify.Report{Seq: 7, Violations: []verify.Violation{{Invariant: "LG3", Object: "1100 ord_1", Detail: "stored 5.00, postings say 4.00"}}, More: 2}
	for _, x := range []struct {
		r    verify.Report
		json bool
		code int
		want string
	}{
		{verify.Report{Seq: 7}, false, 0, "Clean at commit 7: 0 checks over 0 rows in 5ms.\n"},
		{bad, false, VerifyViolations, "LG3  1100 ord_1  stored 5.00, postings say 4.00\nand 2 more\n"},
		{bad, true, VerifyViolations, `{"seq":7,"checks":null,"violations":[{"invariant":"LG3","object":"1100 ord_1","detail":"stored 5.00, postings say 4.00"}],"more":2}` + "\n"},
	} {
		var out bytes.Buffer
		c := VerifyCommand{Output: terminal.Output{JSON: x.json}}
		err := c.tell(&terminal.App{Out: &out, Program: "tenor"}, x.r, 5*time.Millisecond)
		code := 0
		var f *exit.Failure
		if errors.As(err, &f) {
			code = f.Code
		}
		if code != x.code || out.String() != x.want {
			t.Errorf("exit code %d, printed %q; want %d, %q", code, &out, x.code, x.want)
		}
	}
}

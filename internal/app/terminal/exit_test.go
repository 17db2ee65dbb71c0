package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/edge/httpapi"
)

// Every status of the contract has an exit code, as in the manual's table.
func TestExitCodes(t *testing.T) {
	want := map[int]int{
		400: exit.Refused, 401: exit.Forbidden, 403: exit.Forbidden, 404: exit.NotFound, 405: exit.Refused, 406: exit.Refused, 409: exit.Conflict,
		412: exit.Conflict, 413: exit.Refused, 415: exit.Refused, 422: exit.Refused, 429: exit.Unavailable, 500: exit.Unavailable, 503: exit.Unavailable,
	}
	for _, c := range httpapi.Codes() {
		code, known := want[c.Status]
		if got := exit.OfStatus(c.Status); !known || got != code {
			t.Errorf("%s (%d): exit code %d, want %d", c.Name, c.Status, got, code)
		}
	}
}

func TestErrorsAreShown(t *testing.T) {
	for _, x := range []struct {
		err  error
		code int
		want string
	}{
		{&exit.Failure{Code: exit.Usage, Text: "wrong", Hint: "one\n  two"}, exit.Usage, "error: wrong\n  one\n    two\n"},
		{errors.New("Load order: timeout."), exit.Refused, "error: load order: timeout\n"},
		{fmt.Errorf("x: %w", &exit.Failure{Code: exit.Forbidden, Text: "mode", Err: errors.New("cause")}), exit.Forbidden, "error: mode: cause\n"},
		{&client.Problem{Status: 502, Detail: "the server answered 502 Bad Gateway"}, exit.Unavailable,
			"error: the server answered 502 Bad Gateway\n  Check that TENOR_URL is a Tenor server.\n"},
		{&repeatable{key: "k-1", err: &client.Problem{Code: "outcome_unknown", Status: 503, Detail: "Not known.", RequestID: "req_1", Type: "http://x/y"}}, exit.Unavailable,
			"error: not known\n  The server does not know yet whether the change was made.\n  It is safe to repeat the command with --retry-last, or with\n    --idempotency-key k-1\n  code outcome_unknown · request req_1 · http://x/y\n"},
		{&repeatable{key: "k-1", err: &client.Problem{Code: "order_locked", Status: 409, Detail: "Locked."}}, exit.Conflict,
			"error: locked\n  Only metadata and the merchant status can still change. Show the order:\n    tenor orders get ord_…\n  code order_locked\n"},
	} {
		var errs bytes.Buffer
		if code := testApp(nil, &errs).Fail(x.err, false); code != x.code || errs.String() != x.want {
			t.Errorf("%v: exit code %d\n%s\nwant %d\n%s", x.err, code, &errs, x.code, x.want)
		}
	}
}

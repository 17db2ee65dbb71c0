package terminal

import (
	"strings"
	"testing"

	"tenor/client"
	"tenor/internal/edge/httpapi"
)

// A place in a request is described the way people count.
func TestPlaces(t *testing.T) {
	for _, x := range []struct {
		at   client.FieldError
		want string
	}{
		{client.FieldError{Parameter: "limit"}, "limit"}, {client.FieldError{}, "the body"}, {client.FieldError{Pointer: "/amount"}, "amount"},
		{client.FieldError{Pointer: "/cart_items/0/price"}, "cart_items[0].price"}, {client.FieldError{Pointer: "/event_types/1"}, "event_types[1]"},
		{client.FieldError{Pointer: "/1"}, "row 2"}, {client.FieldError{Pointer: "/0/amount"}, "row 1, amount"},
		{client.FieldError{Line: 3, Column: "amount"}, "line 3, amount"}, {client.FieldError{Line: 1}, "line 1"},
	} {
		if got := placeOf(x.at); got != x.want {
			t.Errorf("%+v: %q, want %q", x.at, got, x.want)
		}
	}
	list := make([]client.FieldError, 12)
	if got := fieldErrors(list); strings.Count(got, "\n") != 10 || !strings.HasSuffix(got, "\nand 2 more") {
		t.Errorf("twelve errors: %q", got)
	}
}

// Codes that are self-explanatory and need no next step.
const plain = "malformed_request unknown_member unknown_parameter invalid_parameter invalid_header method_not_allowed " +
	"not_acceptable body_too_large unsupported_media_type idempotency_key_in_use validation_failed refund_window_closed limit_exceeded acceptance_required " +
	"checkout_not_accepted checkout_expired checkout_already_completed"

func TestEveryProblemHasANextStep(t *testing.T) {
	a := testApp(nil, nil)
	a.Subject = "ord_1"
	for _, c := range httpapi.Codes() {
		hint := a.hint(&client.Problem{Code: c.Name, Status: c.Status})
		if listed := strings.Contains(" "+plain+" ", " "+c.Name+" "); (hint == "") != listed {
			t.Errorf("%s: hint %q", c.Name, hint)
		}
	}
}

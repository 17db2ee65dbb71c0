package serve

import (
	"reflect"
	"strings"

	"tenor/internal/edge/rest"
)

// reasonOf is the reason in a body for the audit log: its member reason, or the code of a
// company's status with its text.
func reasonOf(c *rest.Call) string {
	body := reflect.Indirect(reflect.ValueOf(c.Decoded))
	if body.Kind() != reflect.Struct {
		return ""
	}
	text := func(name string) string {
		switch v := reflect.Indirect(body.FieldByName(name)); {
		case v.IsValid() && v.Kind() == reflect.String:
			return v.String()
		}
		return ""
	}
	if why := text("Reason"); why != "" {
		return why
	}
	if b, ok := body.Interface().(ReasonBody); ok {
		return strings.TrimSuffix(b.Code+": "+Deref(b.Message), ": ")
	}
	return ""
}

package resource

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// previousAttributes encodes old values as their members would have been encoded: the
// domain gives values of its own records.
func previousAttributes(old map[string]any) (map[string]jsontext.Value, error) {
	out := make(map[string]jsontext.Value, len(old))
	for name, v := range old {
		switch v.(type) {
		case credit.EndpointSecret, []credit.EndpointSecret, credit.ClientSecret, []credit.ClientSecret:
			return nil, fmt.Errorf("%s: %w", name, errSecret)
		}
		b, err := Encode(memberNamed(name, v))
		if err != nil {
			return nil, err
		}
		out[name] = b
	}
	return out, nil
}

// errSecret keeps a mistake in the domain from becoming a leak: receivers store what they
// are sent.
var errSecret = errors.New("an event must not contain a secret")

// memberNamed is member, except for the texts of a company that are never null.
func memberNamed(name string, v any) any {
	if s, ok := v.(string); ok && (name == "phone" || name == "email") {
		return s
	}
	return member(v)
}

// member turns a value of a record into the value of its member.
func member(v any) any {
	switch v := v.(type) {
	case time.Time:
		return instantIn(&v)
	case calendar.Date:
		return dateIn(&v)
	case []credit.CartItem:
		return convert(v, newCartItem)
	case *credit.Charges:
		return newCharges(v)
	case *credit.Address:
		return newAddress(v)
	case *credit.OrderTerms:
		return newTerms(v)
	case []credit.Refund:
		return convert(v, newRefund)
	case credit.CompanyAddress:
		return newCompanyAddress(&v)
	case []credit.Allocation:
		return convert(v, newAllocation)
	case []credit.PaymentRefund:
		return convert(v, newPaymentRefund)
	case *credit.Failure:
		return newFailure(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, m := range v {
			out[name] = member(m)
		}
		return out
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.String {
		return text(r.String())
	}
	return v
}

package orders

import (
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

// addressBody is an address of an order. Its parts are named like a company's address; the
// names that shops use, address1 and zip, are accepted too. Null means not given, because
// an order's response has null for a part that it lacks.
type addressBody struct {
	FirstName   string `json:"first_name" nullable:"true" doc:"First name." example:"Ada"`
	LastName    string `json:"last_name" nullable:"true" doc:"Last name." example:"Marsh"`
	CompanyName string `json:"company_name" nullable:"true" doc:"Company." example:"Alder Kitchens"`
	Email       string `json:"email" nullable:"true" format:"email" doc:"E-mail address." example:"ada@example.test"`
	PhoneNumber string `json:"phone_number" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	Street      string `json:"street" nullable:"true" doc:"Street and number." example:"12 Canal St"`
	Address1    string `json:"address1" nullable:"true" doc:"The same as street."`
	Address2    string `json:"address2" nullable:"true" doc:"Further line." example:"Floor 2"`
	City        string `json:"city" nullable:"true" doc:"City." example:"New York"`
	State       string `json:"state" nullable:"true" doc:"State." example:"NY"`
	PostalCode  string `json:"postal_code" nullable:"true" doc:"Postal code." example:"10013"`
	Zip         string `json:"zip" nullable:"true" doc:"The same as postal_code."`
	Country     string `json:"country" nullable:"true" doc:"Country." example:"US"`
}

// check reports parts given under both of their names with different values.
func (b *addressBody) check(at string, report func(name, code, detail string)) {
	if b == nil {
		return
	}
	differ := func(x, y string) bool { return x != "" && y != "" && x != y }
	reportTwice(at, differ(b.Street, b.Address1), differ(b.PostalCode, b.Zip), report)
}

func reportTwice(at string, street, code bool, report func(name, code, detail string)) {
	if street {
		report(at+"/address1", "exactly_one", "Give street or address1, not both with different values.")
	}
	if code {
		report(at+"/zip", "exactly_one", "Give postal_code or zip, not both with different values.")
	}
}

// stored is the address in its stored form, nil if none is given.
func (b *addressBody) stored() *credit.Address {
	if b == nil {
		return nil
	}
	either := func(x, y string) string {
		if x != "" {
			return x
		}
		return y
	}
	return &credit.Address{
		FirstName: b.FirstName, LastName: b.LastName, CompanyName: b.CompanyName, Email: b.Email, PhoneNumber: b.PhoneNumber,
		Address1: either(b.Street, b.Address1), Address2: b.Address2, City: b.City, State: b.State,
		Zip: either(b.PostalCode, b.Zip), Country: b.Country,
	}
}

type addressPatch struct {
	FirstName   rest.Opt[string] `json:"first_name" nullable:"true" doc:"First name." example:"Ada"`
	LastName    rest.Opt[string] `json:"last_name" nullable:"true" doc:"Last name." example:"Marsh"`
	CompanyName rest.Opt[string] `json:"company_name" nullable:"true" doc:"Company." example:"Alder Kitchens"`
	Email       rest.Opt[string] `json:"email" nullable:"true" format:"email" doc:"E-mail address." example:"ada@example.test"`
	PhoneNumber rest.Opt[string] `json:"phone_number" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	Street      rest.Opt[string] `json:"street" nullable:"true" doc:"Street and number." example:"12 Canal St"`
	Address1    rest.Opt[string] `json:"address1" nullable:"true" doc:"The same as street."`
	Address2    rest.Opt[string] `json:"address2" nullable:"true" doc:"Further line." example:"Floor 2"`
	City        rest.Opt[string] `json:"city" nullable:"true" doc:"City." example:"New York"`
	State       rest.Opt[string] `json:"state" nullable:"true" doc:"State." example:"NY"`
	PostalCode  rest.Opt[string] `json:"postal_code" nullable:"true" doc:"Postal code." example:"10013"`
	Zip         rest.Opt[string] `json:"zip" nullable:"true" doc:"The same as postal_code."`
	Country     rest.Opt[string] `json:"country" nullable:"true" doc:"Country." example:"US"`
}

// check reports parts given under both of their names with different values, including
// null.
func (p *addressPatch) check(at string, report func(name, code, detail string)) {
	differ := func(x, y rest.Opt[string]) bool { return x.Set && y.Set && x != y }
	reportTwice(at, differ(p.Street, p.Address1), differ(p.PostalCode, p.Zip), report)
}

// members returns the given parts, under their stored names.
func (p addressPatch) members() map[string]*string {
	m := map[string]*string{}
	for _, part := range []struct {
		name  string
		value rest.Opt[string]
	}{
		{"first_name", p.FirstName}, {"last_name", p.LastName}, {"company_name", p.CompanyName}, {"email", p.Email}, {"phone_number", p.PhoneNumber},
		{"address1", p.Address1}, {"address1", p.Street}, {"address2", p.Address2}, {"city", p.City}, {"state", p.State},
		{"zip", p.Zip}, {"zip", p.PostalCode}, {"country", p.Country},
	} {
		serve.Put(m, part.name, part.value)
	}
	return m
}

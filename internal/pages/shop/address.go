package shop

import (
	"net/http"
	"strconv"

	"tenor/internal/ui/design"
)

// place is an address to which the shop's one customer has goods delivered.
type place struct{ Company, Street, City, State, Zip string }

// places are the addresses to choose from, the default first: it is the billing address.
var places = []place{
	{"Alder Kitchens LLC", "27 Cannery Street", "Portland", "OR", "97209"},
	{"Alder Kitchens Commissary", "310 Dock Avenue", "Salem", "OR", "97301"},
}

// Line returns the address without the name.
func (p place) Line() string { return p.Street + ", " + p.City + ", " + p.State + " " + p.Zip }

// of returns the place in the API's format.
func (p place) of(email string) map[string]any {
	return map[string]any{
		"first_name": "Avery", "last_name": "Alder", "phone_number": "(503) 555-0142",
		"company_name": p.Company, "street": p.Street, "city": p.City, "state": p.State, "postal_code": p.Zip, "country": "US", "email": email,
	}
}

// addressPage asks where to deliver a cart.
func (s *Shop) addressPage(w http.ResponseWriter, r *http.Request) {
	c := s.cartOf(r)
	s.keep(w, c)
	v := s.page(r, "Deliver to", c)
	v.Title = design.Title{Text: "Deliver to"}
	v.Pay = design.Choices{Name: "to", Legend: "Where the goods go", LegendHidden: true}
	for i, p := range places {
		v.Pay.Choices = append(v.Pay.Choices, design.Choice{Value: strconv.Itoa(i), Text: p.Company, Detail: p.Line(), Icon: "truck", Chosen: i == c.To})
	}
	v.Acts = []design.Button{{Text: "Deliver here", Emphasis: design.Primary}, {Text: "Back", Href: "/shop/cart", Emphasis: design.Ghost}}
	s.send(w, r, http.StatusOK, "address-page", v)
}

// changeAddress changes where a cart is delivered.
func (s *Shop) changeAddress(w http.ResponseWriter, r *http.Request) {
	c := s.cartOf(r)
	for i := range places {
		if r.PostForm.Get("to") == strconv.Itoa(i) {
			c.To = i
		}
	}
	s.keep(w, c)
	http.Redirect(w, r, "/shop/cart", http.StatusSeeOther)
}

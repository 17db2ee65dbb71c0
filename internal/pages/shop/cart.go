package shop

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/money"
)

// product is one of the shop's three products. Shipping and tax are per piece.
type product struct {
	SKU, Name, Detail, Icon, Shelf string
	Price, Shipping, Tax           money.Amount
}

// products are everything the shop sells. A cart with one oven costs 1,200.00, the example of the
// documentation.
var products = []product{
	{"OVEN-HALF", "Convection oven", "Half size, 208 V · ships in 2 days", "microwave", "Ovens", money.MustParse("1050.00"), money.MustParse("60.00"), money.MustParse("90.00")},
	{"FRIDGE-UC27", "Undercounter refrigerator", "27 inches, stainless · ships in 5 days", "refrigerator", "Refrigeration", money.MustParse("2240.00"), money.MustParse("120.00"), money.MustParse("190.00")},
	{"PANS-12", "Sheet pans, case of 12", "Full size, aluminum · ships today", "cooking-pot", "Smallwares", money.MustParse("138.00"), money.MustParse("9.00"), money.MustParse("12.00")},
}

// line is a product in a cart.
type line struct {
	product
	Quantity int
}

// Sum returns the price of the line.
func (l line) Sum() money.Amount { return money.MulDiv(l.Price, int64(l.Quantity), 1) }

// cart is what a buyer is about to buy. Its ID is the remote_id of its checkout: whatever is
// pressed twice, a cart has one checkout.
type cart struct {
	ID    string
	To    int // index in places of its delivery address
	Lines []line
}

// most is how many of a product a cart can hold.
const most = 20

func newCart() cart { return cart{ID: "cart-" + rand.Text()} }

// Charges returns the totals of the cart.
func (c cart) Charges() (x charges) {
	for _, l := range c.Lines {
		n := int64(l.Quantity)
		x.Total, x.Shipping, x.Tax = x.Total.Add(l.Sum()), x.Shipping.Add(money.MulDiv(l.Shipping, n, 1)), x.Tax.Add(money.MulDiv(l.Tax, n, 1))
	}
	x.GrandTotal = x.Total.Add(x.Shipping).Add(x.Tax)
	return x
}

// Count returns the number of items in the cart.
func (c cart) Count() (n int) {
	for _, l := range c.Lines {
		n += l.Quantity
	}
	return n
}

// change adds pieces of a product, or removes them; unknown products change nothing.
func (c cart) change(sku string, by int) cart {
	i := slices.IndexFunc(products, func(p product) bool { return p.SKU == sku })
	if i < 0 {
		return c
	}
	c.Lines = slices.Clone(c.Lines)
	at := slices.IndexFunc(c.Lines, func(l line) bool { return l.SKU == sku })
	if at < 0 {
		c.Lines, at = append(c.Lines, line{product: products[i]}), len(c.Lines)
	}
	c.Lines[at].Quantity = min(max(c.Lines[at].Quantity+by, 0), most)
	c.Lines = slices.DeleteFunc(c.Lines, func(l line) bool { return l.Quantity == 0 })
	return c
}

// cookie encodes the cart for the browser: its ID, the delivery address if not the default, then
// products with quantities. A buyer gains nothing by changing it: prices are the shop's.
func (c cart) cookie() string {
	parts := []string{c.ID}
	if c.To > 0 {
		parts = append(parts, "to*"+strconv.Itoa(c.To))
	}
	for _, l := range c.Lines {
		parts = append(parts, l.SKU+"*"+strconv.Itoa(l.Quantity))
	}
	return strings.Join(parts, "/")
}

// readCart parses a cookie; anything not written by the shop gives a new cart.
func readCart(value string) cart {
	parts := strings.Split(value, "/")
	c := cart{ID: parts[0]}
	for _, p := range parts[1:] {
		sku, n, _ := strings.Cut(p, "*")
		count, err := strconv.Atoi(n)
		switch {
		case err != nil || count < 1 || count > most:
			return newCart()
		case sku == "to" && count < len(places):
			c.To = count
		default:
			c = c.change(sku, count)
		}
	}
	if secret, ok := strings.CutPrefix(c.ID, "cart-"); !ok || len(secret) != len(rand.Text()) || strings.Trim(secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" || c.cookie() != value {
		return newCart()
	}
	return c
}

// cartOf returns the cart of a request.
func (s *Shop) cartOf(r *http.Request) cart {
	if kept, err := r.Cookie(s.cookie); err == nil {
		return readCart(kept.Value)
	}
	return newCart()
}

// keep stores the cart in the browser.
func (s *Shop) keep(w http.ResponseWriter, c cart) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: c.cookie(), Path: "/shop", MaxAge: 7 * 24 * 3600, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

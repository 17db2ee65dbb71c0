//go:build linux

package nodetest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// What differs between two servers that did the same: generated IDs, and the time.
var (
	drawnID = regexp.MustCompile(`\b([a-z]{3})_[0-9A-Z]{26}\b`)
	moment  = regexp.MustCompile(`\b\d{4}-\d\d-\d\d(T[0-9:.]+Z)?`)
)

// plain removes what differs from a text.
func (n *names) plain(text string) string {
	text = moment.ReplaceAllString(drawnID.ReplaceAllString(text, "${1}_*"), "*")
	for i, id := range n.companies {
		text = strings.ReplaceAll(text, id, fmt.Sprint("company ", i+1))
	}
	return text
}

// plainAnswer returns what two servers must agree on.
func (n *names) plainAnswer(a answer) string {
	return n.plain(fmt.Sprintf("%d %s %s %s", a.Status, a.ETag, a.Location, a.Body))
}

// compare repeats the deeds of a trader on another server, one after the other and over a
// reliable network, and reports where responses and state differ.
func (x *trader) compare(c, twin *client, companies []string) (problems []string, err error) {
	there := &names{shop: x.shop, companies: companies}
	for _, d := range x.deeds {
		a, _, err := twin.until(there.request(d.act))
		if err == nil {
			err = there.learn(d.act, a)
		}
		if err != nil {
			return nil, err
		}
		if got, want := x.plainAnswer(d.answer), there.plainAnswer(a); got != want {
			problems = append(problems, fmt.Sprintf("%s of %s was answered\n%s, without mischief\n%s", d.what, d.key, got, want))
		}
	}
	if len(there.orders) != len(x.orders) {
		return append(problems, fmt.Sprintf("%d orders, without mischief %d", len(x.orders), len(there.orders))), nil
	}
	for i := range x.orders {
		for _, path := range []string{"/v1/order/%s", "/v1/order/%s/events?limit=100", "/payments?order_key=%s", "/payments/schedule/%s"} {
			here, _, err := c.until(request{Method: http.MethodGet, Path: fmt.Sprintf(path, x.orders[i])})
			if err != nil {
				return nil, err
			}
			other, _, err := twin.until(request{Method: http.MethodGet, Path: fmt.Sprintf(path, there.orders[i])})
			if err != nil {
				return nil, err
			}
			// The tag of a list depends on its bytes.
			here.ETag, other.ETag = "", ""
			if got, want := x.plainAnswer(here), there.plainAnswer(other); got != want {
				problems = append(problems, fmt.Sprintf("%s is\n%s, without mischief\n%s", fmt.Sprintf(path, x.orders[i]), got, want))
			}
		}
	}
	return problems, nil
}

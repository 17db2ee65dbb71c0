package sandboxui

import (
	"encoding/json"
	"strconv"

	"tenor/internal/ui/design"
)

// place is a destination from here.
type place struct {
	Icon, Text, Detail, Href string
	Tag                      string        // number of items there
	State                    *design.Badge // its state
}

// places are the destinations from the first page, with what is waiting there.
func (s *Screens) places(v *visit) ([]place, error) {
	mail := place{Icon: "mail", Text: s.say("mail.title"), Detail: s.say("place.mail.about"), Href: "/sandbox/mail"}
	switch n, err := v.count(pathOf("sandbox", "mail") + "?limit=" + strconv.Itoa(counted)); {
	case err == nil && n.n > 0:
		mail.Tag = n.String()
	case err != nil && !hidden(err):
		return nil, err
	}
	hooks, err := s.hooksPlace(v)
	if err != nil {
		return nil, err
	}
	return []place{
		{Icon: "store", Text: s.say("place.shop"), Detail: s.say("place.shop.about"), Href: "/shop"}, mail,
		{Icon: "user", Text: s.say("place.account"), Detail: s.say("place.account.about"), Href: "/account"}, hooks,
		{Icon: "list-tree", Text: s.say("requests.title"), Detail: s.say("place.requests.about"), Href: "/sandbox/requests"},
		{Icon: "book-open-text", Text: s.say("place.reference"), Detail: s.say("place.reference.about"), Href: "/docs/api"},
	}, nil
}

// hooksPlace says how many deliveries have arrived and how many are waiting, at all endpoints.
func (s *Screens) hooksPlace(v *visit) (place, error) {
	p := place{Icon: "webhook", Text: s.say("hooks.title"), Detail: s.say("place.hooks.none"), Href: "/sandbox/webhooks"}
	var endpoints list[struct {
		ID string `json:"id"`
	}]
	if err := v.get(pathOf("webhooks"), &endpoints); err != nil || len(endpoints.Data) == 0 {
		if err != nil && !hidden(err) {
			return p, err
		}
		return p, nil
	}
	var delivered, waiting tally
	for _, x := range endpoints.Data {
		for state, sum := range map[string]*tally{"SUCCEEDED": &delivered, "PENDING": &waiting} {
			n, err := v.count(pathOf("webhooks", x.ID, "deliveries") + "?state=" + state + "&limit=" + strconv.Itoa(counted))
			if err != nil {
				return p, err
			}
			sum.n, sum.more = sum.n+n.n, sum.more || n.more
		}
	}
	p.Detail = s.say("place.hooks", delivered, waiting)
	switch {
	case waiting.n > 0:
		p.State = &design.Badge{Tone: design.Warn, Text: s.say("place.hooks.waiting")}
	case delivered.n > 0:
		p.State = &design.Badge{Tone: design.Good, Text: s.say("place.hooks.ok")}
	}
	return p, nil
}

// counted is how far a list is counted.
const counted = 50

// tally is a count, or that there are more.
type tally struct {
	n    int
	more bool
}

// String returns the number, such as 50+ if there are more.
func (t tally) String() string {
	if t.more {
		return strconv.Itoa(t.n) + "+"
	}
	return strconv.Itoa(t.n)
}

// count counts the items on the first page of an API list.
func (v *visit) count(path string) (tally, error) {
	var page struct {
		list[json.RawMessage]
		HasMore bool `json:"has_more"`
	}
	err := v.get(path, &page)
	return tally{len(page.Data), page.HasMore}, err
}

package staff

import (
	"strconv"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
)

// AddNote writes a note about an object: an order, a company, a payment, an application or a
// merchant. Its text is sealed, because staff write what they are told; the log has only where it
// is. Result is the *Note.
type AddNote struct {
	Type    string          `json:"type"` // of the object
	ID      string          `json:"id"`
	Text    string          `json:"text"` // handle
	Secrets []credit.Secret `json:"-"`
}

func (AddNote) Name() string { return "note.add" }

// Keys requests the object.
func (c AddNote) Keys(*credit.State, credit.Env) (k credit.Keys) {
	switch c.Type {
	case "order":
		k.Orders = []string{c.ID}
	case "company":
		k.Companies = []int64{c.company()}
	case "payment":
		k.Payments = []string{c.ID}
	case "application":
		k.Records = []credit.RecordKey{{Noun: credit.NounApplication, ID: c.ID}}
	case "merchant":
		k.Merchants = []string{c.ID}
	}
	return k
}

func (c AddNote) company() int64 {
	id, err := strconv.ParseInt(c.ID, 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != c.ID {
		return 0
	}
	return id
}

// about is the company of the object; false if there is no such object.
func (c AddNote) about(s *credit.State) (company int64, found bool) {
	switch c.Type {
	case "order":
		if o := s.Orders[c.ID]; o != nil {
			return o.Company, true
		}
	case "company":
		return c.company(), s.Companies[c.company()] != nil
	case "payment":
		if p := s.Payments[c.ID]; p != nil {
			return p.Company, true
		}
	case "application":
		if x := s.Application(c.ID); x != nil {
			return x.Company, true
		}
	case "merchant":
		return 0, s.Merchants[c.ID] != nil
	}
	return 0, false
}

// Guard implements credit.Guarded.
func (c AddNote) Guard(*credit.State) credit.Guard {
	return credit.Guard{Permission: permit.Assist, Second: credit.Never, Of: credit.ObjectRef{Type: c.Type, ID: c.ID}}
}

func (c AddNote) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if _, found := c.about(s); !found || !e.Actor.Operator {
		return credit.NotFound.Because("There is nothing to write a note about.")
	}
	return nil
}

func (c AddNote) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if c.Text == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("A note must not be empty.")
	}
	d := credit.NewDraft(s, e)
	n := &credit.Note{RecordHead: d.NewRecord(credit.NounNote), By: e.Actor.Client, Text: c.Text}
	n.Company, _ = c.about(s)
	n.Of = c.Type + "/" + c.ID
	d.Changes.Secrets = c.Secrets
	return d.Done(credit.AddRecord(d, n), true), nil
}

package buyer

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
)

// Maximum lengths of texts in a case, in characters. The decisions see only handles, so the
// edges check them.
const (
	MaxCaseSubject = 200
	MaxCaseText    = 4000
)

// CaseWords is the text typed when a case was opened, as stored in the vault.
type CaseWords struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

// caseText is a note, or the reason of a decision, as stored in the vault.
type caseText struct {
	Text string `json:"text"`
}

// NewCase is a case that a person of a company opens: about an order, a payment, or
// neither.
type NewCase struct {
	Kind    credit.CaseKind
	What    credit.CaseMatter // "": not stated
	Order   string
	Payment string
	CaseWords
}

// ErrWords means that a text is empty, or too long.
var ErrWords = errors.New("buyer: the text is empty or too long")

// trimmed returns a text as it is stored.
func trimmed(text string, most int) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || len([]rune(text)) > most {
		return "", ErrWords
	}
	return text, nil
}

// CaseOpening returns the command that opens a case; the API uses it as is, the pages add
// the person.
func (d *Desk) CaseOpening(x NewCase) (c cases.OpenCase, err error) {
	words := x.CaseWords
	if words.Subject, err = trimmed(words.Subject, MaxCaseSubject); err != nil {
		return c, err
	}
	if words.Text, err = trimmed(words.Text, MaxCaseText); err != nil {
		return c, err
	}
	kept, err := d.Keep(words)
	return cases.OpenCase{Kind: x.Kind, What: x.What, Order: x.Order, Payment: x.Payment, Text: kept.ID, Secrets: []credit.Secret{kept}}, err
}

// CaseText seals a note, or the reason of a decision.
func (d *Desk) CaseText(text string) (credit.Secret, error) {
	text, err := trimmed(text, MaxCaseText)
	if err != nil {
		return credit.Secret{}, err
	}
	return d.Keep(caseText{text})
}

// OpenCase opens a case on behalf of a person who acts for a company. Calling it twice
// opens two: pages guard with Once. An error is ErrWords, or a rejection.
func (d *Desk) OpenCase(ctx context.Context, company int64, person string, x NewCase, address string) (*credit.Case, error) {
	c, err := d.CaseOpening(x)
	if err != nil {
		return nil, err
	}
	c.Company, c.Person = company, person
	return caseDone(d.do(ctx, c, address))
}

func caseDone(result any, err error) (*credit.Case, error) {
	if err != nil {
		return nil, err
	}
	return result.(*credit.Case), nil
}

// maxCaseList is how many cases a page lists.
const maxCaseList = 100

// Cases lists the cases that people of a company have opened, newest first. It omits
// merchants' cases about its orders: those are between the merchant and the lender.
func (d *Desk) Cases(ctx context.Context, company int64) (out []*credit.Case, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		p := store.Page{Limit: maxCaseList}
		for len(out) < maxCaseList {
			list, err := store.ListRecords(v, credit.NounCase, store.RecordFilter{Company: company}, p)
			if err != nil {
				return err
			}
			for _, r := range list {
				x := r.(*credit.Case)
				p.AfterAt, p.AfterID = x.CreatedAt, x.ID
				if x.Merchant == "" && len(out) < maxCaseList {
					out = append(out, x)
				}
			}
			if len(list) < p.Limit {
				break
			}
		}
		return nil
	})
	return out, err
}

// CaseView is a case with its texts, which are "" once erased.
type CaseView struct {
	*credit.Case
	Words     CaseWords
	Said      []CaseSaid // the notes, oldest first
	Why       string     // the reason of the decision, "" if withdrawn
	Documents []*credit.Document
}

// CaseSaid is a note as read.
type CaseSaid struct {
	At   time.Time
	By   credit.CaseSide
	Who  string // person or client
	Text string
}

// Case reads a case opened by a company's people, nil if there is none.
func (d *Desk) Case(ctx context.Context, company int64, id string) (out *CaseView, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		x, err := Load[*credit.Case](v, id)
		if err != nil || x == nil || x.Company != company || x.Merchant != "" {
			return err
		}
		out, err = d.ReadCase(v, x)
		return err
	})
	return out, err
}

// ReadCase decrypts the texts of a case.
func (d *Desk) ReadCase(v store.View, x *credit.Case) (*CaseView, error) {
	out := &CaseView{Case: x}
	read := func(handle string, into any) error {
		if handle == "" {
			return nil
		}
		if err := d.Read(v, handle, into); !errors.Is(err, ErrErased) {
			return err
		}
		return nil
	}
	if err := read(x.Text, &out.Words); err != nil {
		return nil, err
	}
	for _, n := range x.Notes {
		var t caseText
		if err := read(n.Text, &t); err != nil {
			return nil, err
		}
		out.Said = append(out.Said, CaseSaid{n.At, n.By, n.Who, t.Text})
	}
	if r := x.Resolution; r != nil {
		var t caseText
		if err := read(r.Text, &t); err != nil {
			return nil, err
		}
		out.Why = t.Text
	}
	for _, id := range x.Documents {
		doc, err := Load[*credit.Document](v, id)
		if err != nil {
			return nil, err
		}
		out.Documents = append(out.Documents, doc)
	}
	return out, nil
}

// NoteCase adds a person's note to a case of their company.
func (d *Desk) NoteCase(ctx context.Context, company int64, person, id, text, address string) (*credit.Case, error) {
	if err := d.ofCompany(ctx, company, id); err != nil {
		return nil, err
	}
	kept, err := d.CaseText(text)
	if err != nil {
		return nil, err
	}
	return caseDone(d.do(ctx, cases.AddCaseNote{Case: id, Person: person, Text: kept.ID, Secrets: []credit.Secret{kept}}, address))
}

// AttachCase adds a file to a case. Its bytes have been checked: an accepted type, and
// pictures re-encoded.
func (d *Desk) AttachCase(ctx context.Context, company int64, person, id string, file Paper, address string) (*credit.Document, error) {
	if err := d.ofCompany(ctx, company, id); err != nil {
		return nil, err
	}
	file.Kind = credit.DocumentUpload
	filed, secret := d.Filed(file)
	result, err := d.do(ctx, cases.AttachCaseDocument{Case: id, Person: person, Paper: filed, Secrets: []credit.Secret{secret}}, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Document), nil
}

// WithdrawCase ends a case at the request of the person who opened it, or of an owner.
// Repeating it has no effect.
func (d *Desk) WithdrawCase(ctx context.Context, company int64, person, id, address string) (*credit.Case, error) {
	if err := d.ofCompany(ctx, company, id); err != nil {
		return nil, err
	}
	return caseDone(d.do(ctx, cases.ResolveCase{Case: id, Person: person, Outcome: credit.CaseWithdrawn}, address))
}

// ofCompany checks that a case belongs to the company for which the session acts: a person
// of two companies cannot act in one session on what only the other company's page shows.
func (d *Desk) ofCompany(ctx context.Context, company int64, id string) error {
	return d.Store.View(ctx, func(v store.View) error {
		x, err := Load[*credit.Case](v, id)
		if err == nil && (x == nil || x.Company != company || x.Merchant != "") {
			err = &credit.Rejection{Reason: credit.NotFound, Detail: "There is no such case."}
		}
		return err
	})
}

// inCase adds what a letter says about a case: its subject matter, and nothing that was
// typed.
func (w *writer) inCase(x *credit.Case) error {
	w.data["kind"], w.data["case"], w.data["due"] = w.words.Say("case."+string(x.Kind)), x.ID, w.date(x.DueOn)
	if w.d.Base != "" {
		w.data["link"] = w.d.Base + "/account"
	}
	s := credit.NewState()
	var k credit.Keys
	if x.Order() != "" {
		k.Orders = []string{x.Order()}
	}
	if x.Payment() != "" {
		k.Payments = []string{x.Payment()}
	}
	if err := w.v.Load(s, k); err != nil {
		return err
	}
	w.data["about"] = w.words.Say("case.account")
	if o := s.Orders[x.Order()]; o != nil {
		w.data["about"] = w.words.Say("case.order", o.MerchantOrderID)
		if o.MerchantOrderID == "" {
			w.data["about"] = w.words.Say("case.order.of", w.day(o.CreatedAt))
		}
	}
	if p := s.Payments[x.Payment()]; p != nil {
		w.data["about"] = w.words.Say("case.payment", w.paidOn(p))
	}
	if r := x.Resolution; r != nil {
		w.data["outcome"] = w.words.Say("case." + string(r.Outcome))
	}
	return nil
}

// paidOn is the date by which the payer recognizes a payment.
func (w *writer) paidOn(p *credit.Payment) string {
	if p.EffectiveDate != calendar.None {
		return w.date(p.EffectiveDate)
	}
	return w.day(p.CreatedAt)
}

// Package mail derives the mail of companies and merchants: adverse-action notices,
// invoices, payout advices, statements, reversed debits and changes of bank accounts. A
// message is derived from the books on request: none of it is stored, so it can never
// contradict them.
//
// Nothing is sent from here. A sandbox shows the messages in its mailbox.
package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/statement"
)

// Kind is the kind of a message.
type Kind string

// The kinds of messages.
const (
	Notice    Kind = "NOTICE"        // of an adverse action (F28), to the company
	Invoice   Kind = "INVOICE"       // to the company
	Statement Kind = "STATEMENT"     // of a past month (F38), to the company
	Advice    Kind = "PAYOUT_ADVICE" // of a payout (F38), to the merchant
	Reversal  Kind = "REVERSAL"      // of an erroneous debit (F22), to the company
	// AccountChange: another bank account or contact of a merchant was requested (F41.12),
	// to its contact before the change.
	AccountChange Kind = "ACCOUNT_CHANGE"
)

// Envelope is a message that is not written yet.
type Envelope struct {
	ID     string // mail_…, derived from the message's subject: always the same
	Kind   Kind
	Date   time.Time // business time
	Object credit.ObjectRef

	company  int64
	merchant string
	month    calendar.Date // of a statement, its last day
	notice   *credit.Notice
	payment  *credit.Payment // of a reversal
	change   *credit.AccountNotice
}

// Message is a message as its recipient gets it.
type Message struct {
	Envelope
	To      string // address, "" if none is on record
	Name    string // of the company or merchant
	Subject string
	Text    string
	HTML    string // a self-contained page
}

// pageSize is how many records are read at a time.
const pageSize = 500

// Office writes the messages of one snapshot.
type Office struct {
	View   store.View
	Zone   calendar.Zone
	Today  calendar.Date
	Lender statement.Lender // as named on what it writes
	// Statement returns a company's statement of a past month, Facts what a payout's advice
	// shows in addition to its lines: the same as in the API.
	Statement func(company int64, month calendar.Date) (*statement.Company, error)
	Facts     func(x *credit.Payout, lines []*credit.PayoutLine) (statement.PayoutFacts, error)
	// Merchant is the viewer: it sees messages about its own orders and payouts, and about
	// companies linked to it, statements only of those linked to it alone. "": the lender,
	// who sees everything.
	Merchant string
}

// Envelopes lists all messages, in no order.
func (o Office) Envelopes() ([]Envelope, error) {
	var all []Envelope
	for _, collect := range []func(*[]Envelope) error{o.invoices, o.advices, o.notices, o.statements, o.reversals, o.changes} {
		if err := collect(&all); err != nil {
			return nil, fmt.Errorf("mail: %w", err)
		}
	}
	return all, nil
}

// Find returns the envelope with an identifier; false if there is none that the viewer may
// see.
func (o Office) Find(id string) (Envelope, bool, error) {
	all, err := o.Envelopes()
	if err != nil {
		return Envelope{}, false, err
	}
	if i := slices.IndexFunc(all, func(e Envelope) bool { return e.ID == id }); i >= 0 {
		return all[i], true, nil
	}
	return Envelope{}, false, nil
}

// idOf derives a message's identifier from its subject.
func idOf(kind Kind, about string) string {
	sum := sha256.Sum256([]byte(string(kind) + " " + about))
	return "mail_" + base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// each reads a list to its end, page by page.
func each[T any](read func(store.Page) ([]T, error), at func(T) (time.Time, string), fn func(T)) error {
	for page := (store.Page{Limit: pageSize}); ; {
		list, err := read(page)
		if err != nil {
			return err
		}
		for _, x := range list {
			fn(x)
		}
		if len(list) < page.Limit {
			return nil
		}
		page.AfterAt, page.AfterID = at(list[len(list)-1])
	}
}

func (o Office) invoices(all *[]Envelope) error {
	return each(func(p store.Page) ([]*credit.Invoice, error) {
		return store.ListInvoices(o.View, store.InvoiceFilter{Merchant: o.Merchant}, p)
	}, func(x *credit.Invoice) (time.Time, string) { return x.IssuedAt, x.ID }, func(x *credit.Invoice) {
		*all = append(*all, Envelope{ID: idOf(Invoice, x.ID), Kind: Invoice, Date: x.IssuedAt, Object: credit.ObjectRef{Type: "invoice", ID: x.ID}, company: x.Company, merchant: x.Merchant})
	})
}

func (o Office) advices(all *[]Envelope) error {
	return each(func(p store.Page) ([]*credit.Payout, error) {
		return store.ListPayouts(o.View, store.PayoutFilter{Merchant: o.Merchant}, p)
	}, func(x *credit.Payout) (time.Time, string) { return x.CreatedAt, x.ID }, func(x *credit.Payout) {
		*all = append(*all, Envelope{ID: idOf(Advice, x.ID), Kind: Advice, Date: x.CreatedAt, Object: credit.ObjectRef{Type: "payout", ID: x.ID}, merchant: x.Merchant})
	})
}

// linked returns the companies that the viewer may see, by number.
func (o Office) linked() (map[int64]*credit.Company, error) {
	out := map[int64]*credit.Company{}
	err := each(func(p store.Page) ([]*credit.Company, error) { return store.ListCompanies(o.View, o.Merchant, p) },
		func(x *credit.Company) (time.Time, string) { return x.CreatedAt, store.CompanyKey(x.ID) },
		func(x *credit.Company) { out[x.ID] = x })
	return out, err
}

func (o Office) notices(all *[]Envelope) error {
	companies, err := o.linked()
	if err != nil {
		return err
	}
	return each(func(p store.Page) ([]*credit.Notice, error) {
		return store.ListNotices(o.View, store.NoticeFilter{DueFrom: calendar.None, DueTo: calendar.None}, p)
	},
		func(x *credit.Notice) (time.Time, string) { return x.ActionAt, x.ID }, func(x *credit.Notice) {
			if companies[x.Company] == nil || x.Erased() {
				return
			}
			at := x.ActionAt
			if !x.SentAt.IsZero() {
				at = x.SentAt
			}
			*all = append(*all, Envelope{ID: idOf(Notice, x.ID), Kind: Notice, Date: at, Object: credit.ObjectRef{Type: "notice", ID: x.ID}, company: x.Company, notice: x})
		})
}

// reversals are sent when a debit is reversed, whatever happens to it afterwards.
func (o Office) reversals(all *[]Envelope) error {
	return each(func(p store.Page) ([]*credit.Payment, error) {
		return store.ListPayments(o.View, store.PaymentFilter{Merchant: o.Merchant, Status: credit.PaymentReturned, From: calendar.None, To: calendar.None}, p)
	}, func(x *credit.Payment) (time.Time, string) { return x.CreatedAt, x.ID }, func(x *credit.Payment) {
		if r, ok := x.Reversal(); ok {
			*all = append(*all, Envelope{ID: idOf(Reversal, r.ID), Kind: Reversal, Date: r.CreatedAt, Object: credit.ObjectRef{Type: "payment", ID: x.ID}, company: x.Company, payment: x})
		}
	})
}

// changes are sent when they are requested, whatever becomes of them.
func (o Office) changes(all *[]Envelope) error {
	merchants, err := store.AllMerchants(o.View)
	for _, m := range merchants {
		if o.Merchant != "" && o.Merchant != m.ID {
			continue
		}
		for i := range m.Account.Told {
			x := &m.Account.Told[i]
			*all = append(*all, Envelope{
				ID: idOf(AccountChange, m.ID+" "+x.At.UTC().Format(time.RFC3339Nano)), Kind: AccountChange, Date: x.At, Object: credit.ObjectRef{Type: "merchant", ID: m.ID}, merchant: m.ID, change: x,
			})
		}
	}
	return err
}

// span is the period in which a company had a statement every month.
type span struct{ first, last calendar.Date }

// statements are sent on the first day after each month in which a company owed something,
// from its first capture on.
func (o Office) statements(all *[]Envelope) error {
	companies, err := o.linked()
	if err != nil {
		return err
	}
	spans := map[int64]*span{}
	if err := each(func(p store.Page) ([]*credit.Order, error) {
		return store.ListOrders(o.View, store.OrderFilter{Merchant: o.Merchant, CapturedFrom: calendar.None, CapturedTo: calendar.None}, p)
	}, func(x *credit.Order) (time.Time, string) { return x.CreatedAt, x.Key }, func(x *credit.Order) {
		if c := companies[x.Company]; x.CapturedAt.IsZero() || c == nil || o.Merchant != "" && len(c.Linked) > 1 {
			return
		}
		s := spans[x.Company]
		if s == nil {
			s = &span{first: x.CaptureDate, last: x.CaptureDate}
			spans[x.Company] = s
		}
		s.first, s.last = min(s.first, x.CaptureDate), max(s.last, o.Zone.Date(x.UpdatedAt))
		if companies[x.Company].Outstanding > 0 {
			s.last = o.Today
		}
	}); err != nil {
		return err
	}
	for id, s := range spans {
		for end := s.first.EndOfMonth(); end < o.Today && end <= s.last.EndOfMonth(); end = (end + 1).EndOfMonth() {
			about := strconv.FormatInt(id, 10) + "/" + monthOf(end)
			*all = append(*all, Envelope{
				ID: idOf(Statement, about), Kind: Statement, Date: o.Zone.Start(end + 1), company: id, month: end,
				Object: credit.ObjectRef{Type: "statement", ID: about},
			})
		}
	}
	return nil
}

// monthOf formats the month of a date: 2026-01.
func monthOf(day calendar.Date) string { return day.String()[:7] }

// Open writes a message.
func (o Office) Open(e Envelope) (Message, error) {
	m := Message{Envelope: e}
	state := credit.NewState()
	keys := credit.Keys{}
	if e.company != 0 {
		keys.Companies = []int64{e.company}
	}
	if e.merchant != "" {
		keys.Merchants = []string{e.merchant}
	}
	if err := o.View.Load(state, keys); err != nil {
		return Message{}, fmt.Errorf("mail %s: %w", e.ID, err)
	}
	paper, err := o.paper(e, state)
	if err != nil {
		return Message{}, fmt.Errorf("mail %s: %w", e.ID, err)
	}
	if c := state.Companies[e.company]; c != nil {
		m.To, m.Name = c.Email, c.Name
	} else if x := state.Merchants[e.merchant]; x != nil {
		m.Name = x.Name
	}
	if e.change != nil {
		m.To = e.change.To
	}
	m.Subject = paper.Title
	if e.Kind == Statement {
		m.Subject = "Statement of " + statement.Day(e.month.StartOfMonth()) + " to " + statement.Day(e.month)
	}
	var page bytes.Buffer
	if err := paper.HTML(&page); err != nil {
		return Message{}, fmt.Errorf("mail %s: %w", e.ID, err)
	}
	m.HTML, m.Text = page.String(), text(paper)
	return m, nil
}

// paper returns a message's paper.
func (o Office) paper(e Envelope, s *credit.State) (statement.Paper, error) {
	switch e.Kind {
	case Invoice:
		return o.invoicePaper(e, s)
	case Advice:
		return o.advicePaper(e, s)
	case Reversal:
		return o.reversalPaper(e, s)
	case AccountChange:
		return statement.AccountChangePaper(e.change, s.Merchants[e.merchant].Name, o.Lender, o.Zone.Date(e.Date)), nil
	case Statement:
		x, err := o.Statement(e.company, e.month.StartOfMonth())
		if err != nil || x == nil {
			return statement.Paper{}, fmt.Errorf("statement of %s: %v", e.Object.ID, err)
		}
		return x.Paper(o.Lender), nil
	}
	return o.noticePaper(e)
}

func (o Office) invoicePaper(e Envelope, s *credit.State) (statement.Paper, error) {
	if err := o.View.Load(s, credit.Keys{Invoices: []string{e.Object.ID}}); err != nil {
		return statement.Paper{}, err
	}
	i := s.Invoices[e.Object.ID]
	if err := o.View.Load(s, credit.Keys{Orders: []string{i.Order}}); err != nil {
		return statement.Paper{}, err
	}
	return statement.InvoicePaper(i, s.Orders[i.Order], s.Companies[i.Company], o.Lender.Name, s.Merchants[i.Merchant].Name), nil
}

// maxLines is more than the lines of a payout: those that it pays, and parts of those that
// it deducts.
const maxLines = 2 * credit.MaxLines

func (o Office) advicePaper(e Envelope, s *credit.State) (statement.Paper, error) {
	if err := o.View.Load(s, credit.Keys{Payouts: []string{e.Object.ID}}); err != nil {
		return statement.Paper{}, err
	}
	lines, err := store.ListPayoutLines(o.View, store.LineFilter{Payout: e.Object.ID}, store.Page{Limit: maxLines})
	if err != nil {
		return statement.Paper{}, err
	}
	x := s.Payouts[e.Object.ID]
	facts, err := o.Facts(x, lines)
	if err != nil {
		return statement.Paper{}, err
	}
	return statement.PayoutPaper(x, lines, o.Lender.Name, s.Merchants[e.merchant].Name, facts), nil
}

func (o Office) reversalPaper(e Envelope, s *credit.State) (statement.Paper, error) {
	if err := o.View.Load(s, credit.Keys{Methods: []string{e.payment.MethodID}}); err != nil {
		return statement.Paper{}, err
	}
	return statement.ReversalPaper(e.payment, s.Methods[e.payment.MethodID], s.Companies[e.company], o.Lender.Name, o.Zone.Date(e.Date)), nil
}

// noticePaper is an adverse-action notice, dated as its message. If it cannot be sent yet,
// the paper says so instead: a notice with a gap is not a notice (F28).
func (o Office) noticePaper(e Envelope) (statement.Paper, error) {
	p, err := statement.PrintNotice(o.View, e.notice, o.Zone.Date(e.Date))
	var unset *statement.Unset
	if errors.As(err, &unset) {
		return statement.Paper{
			Title: "Not sent: a notice that is due by " + statement.Day(e.notice.DueOn), Facts: []statement.Fact{{Name: "Missing", Value: strings.Join(unset.Missing, ", ")}},
			Notes: []string{"The lender's settings lack what a notice of an adverse action must say. Set it with PATCH /v1/operator/lender."},
		}, nil
	}
	return p, err
}

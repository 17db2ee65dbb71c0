package statement

import (
	"errors"
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
)

// answerDays is how long the lender has to answer a request for further reasons (F28).
const answerDays = 30

// Unset lists what the lender has not set and an adverse-action notice must name. No such
// paper is made: without a regulator it would not be a notice.
type Unset struct {
	Missing []string // members of the lender's settings, such as regulator
}

// ErrErased means that a notice's content has been erased.
var ErrErased = errors.New("the notice's content was erased")

// Error returns one line.
func (x *Unset) Error() string {
	return "the lender's settings lack what a notice must state: " + strings.Join(x.Missing, ", ")
}

// PrintNotice makes the paper of a notice (F28) from a snapshot, dated on: the company and
// the status's reason are those of the commit that took the action, including for a notice
// whose reasons were requested. The lender is as named when the notice was sent; before
// that, and where that is unknown, as currently set. A lender without an address, or
// without a regulator, is an *Unset; an erased notice is ErrErased.
func PrintNotice(v store.View, n *credit.Notice, on calendar.Date) (Paper, error) {
	if n.Erased() {
		return Paper{}, ErrErased
	}
	state, of := credit.NewState(), n
	keys := credit.Keys{Companies: []int64{n.Company}, Lenders: []string{credit.TheLender}}
	if n.Asked != "" {
		keys.Notices = []string{n.Asked}
	}
	if err := v.Load(state, keys); err != nil {
		return Paper{}, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	if n.Asked != "" {
		if of = state.Notices[n.Asked]; of == nil {
			return Paper{}, fmt.Errorf("notice %s: notice %s, which it answers, does not exist", n.ID, n.Asked)
		}
	}
	q, err := store.SeqAt(v, of.ActionAt)
	if err != nil {
		return Paper{}, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	company, err := store.At(v, store.CompanyNoun, n.Company, q)
	if err != nil {
		return Paper{}, fmt.Errorf("notice %s: %w", n.ID, err)
	}
	if company == nil { // a history that begins later than the notice
		company = state.Companies[n.Company]
	}
	said := state.TheLender().Settings.NoticeLender()
	if n.Lender != nil {
		said = *n.Lender
	}
	return NoticePaper(n, of, company, said, on)
}

// NoticePaper is an adverse-action notice for the company (F28): what was done and when,
// the principal reasons, who did it, and the law with its regulator. Without recorded
// reasons it states the right to them. of is the notice of the action: n itself, or the one
// whose reasons the company has requested. The texts are those of Regulation B (12 CFR
// 1002.9(b)(1) and the forms of its appendix C), in the words of their version.
func NoticePaper(n, of *credit.Notice, c *credit.Company, by credit.NoticeLender, on calendar.Date) (Paper, error) {
	if missing := by.Missing(); missing != nil {
		return Paper{}, &Unset{missing}
	}
	action, known := actions()[of.Kind]
	if !known {
		return Paper{}, fmt.Errorf("notice %s: unknown action %q", n.ID, of.Kind)
	}
	words, known := wordsOf(by.Text)
	if !known {
		return Paper{}, fmt.Errorf("notice %s: unknown text version %d", n.ID, by.Text)
	}
	p := Paper{
		Title: "Notice: " + action, Subtitle: c.Name,
		Facts: []Fact{
			{"To", addressee(c)}, {"Account", key(c.ID)}, {"Date of this notice", Day(on)}, {"Action taken", strings.ToUpper(action[:1]) + action[1:] + "."},
			{"Date of the action", Day(of.ClockStart)}, {"Creditor", by.Creditor.Name}, {"Creditor's address", by.Creditor.Address},
		},
	}
	if n != of {
		p.Title = "Statement of reasons: " + action
		p.Facts = append(p.Facts, Fact{"Your request of", Day(n.ClockStart)})
	}
	if by.Contact != "" {
		p.Facts = append(p.Facts, Fact{"Contact", by.Contact})
	}
	t := Table{Caption: "Principal reasons", Columns: []Column{{"Reason", false, 1}}}
	for _, code := range n.Reasons {
		if text := reasonOf(code, c); text != "" {
			t.Rows = append(t.Rows, []string{text})
		}
	}
	if p.Tables = []Table{t}; len(t.Rows) == 0 {
		p.Tables = nil
		p.Notes = append(p.Notes, words.rightToReasons(by.Creditor, by.Contact))
	}
	p.Notes = append(p.Notes, words.equalCredit(by.Regulator))
	return p, nil
}

// actions returns how notices describe what was done.
func actions() map[credit.NoticeKind]string {
	return map[credit.NoticeKind]string{
		credit.NoticeLineDecrease: "your credit line was lowered",
		credit.NoticeSuspension:   "your credit line was suspended",
		credit.NoticeClosure:      "your account was closed",
		credit.NoticeRateIncrease: "your rates for new purchases were raised",
	}
}

// addressee is the recipient of a notice, with the registered name if known.
func addressee(c *credit.Company) string {
	name, a := c.Name, c.BillingAddress
	if c.LegalName != "" {
		name = c.LegalName
	}
	parts := []string{name}
	for _, part := range []string{a.Street, a.City, strings.TrimSpace(a.State + " " + a.PostalCode)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// words are a notice's legal texts, with placeholders for names and addresses.
type words struct{ right, law string }

// wordsOf returns the words of a version; see credit.NoticeText. Those of a version never
// change.
func wordsOf(version int) (w words, known bool) {
	if version != 1 {
		return words{}, false
	}
	return words{
		right: "You have the right to a statement of the specific reasons for this action. To obtain it, write to %s, within %d days of the day on which you get this notice. " +
			"We will send you a written statement of the reasons within %d days of receiving your request.",
		law: "Notice: The federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, " +
			"national origin, sex, marital status, age (provided the applicant has the capacity to enter into a binding contract); because all or part of the " +
			"applicant's income derives from any public assistance program; or because the applicant has in good faith exercised any right under the Consumer " +
			"Credit Protection Act. The federal agency that administers compliance with this law concerning this creditor is %s.",
	}, true
}

func (w words) rightToReasons(creditor credit.Party, contact string) string {
	from := creditor.Name + ", " + creditor.Address
	if contact != "" {
		from += ", " + contact
	}
	return fmt.Sprintf(w.right, from, compliance.AskDays, answerDays)
}

func (w words) equalCredit(regulator credit.Party) string {
	return fmt.Sprintf(w.law, regulator.Name+", "+regulator.Address)
}

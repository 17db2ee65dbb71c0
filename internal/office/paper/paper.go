// Package paper makes the papers that a buyer reads before accepting a financing and keeps
// afterwards: the disclosure in the form of the state (F21), the agreement of one order,
// and the master agreement that a company signs once. Each is a self-contained page and a
// PDF with the same words; the same input gives the same bytes.
//
//	paper.go      the input, and the papers
//	form.go       which rows the form of a state has
//	disclosure.go the figures of a disclosure in words
//	agreement.go  the agreements
//	words.go      the words: texts/LANGUAGE.KIND.VERSION.txt
//	page.go, pdf.go  how a paper looks
//
// No figure is computed here: all of them come from the [credit.Disclosure], which the
// schedule has made. Counsel must review the words before they are used.
package paper

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// Text is the version of the words for new papers.
const Text = lending.DisclosureText

// Refusals to make a paper.
var (
	// ErrLanguage means that there are no words in a language: show the English paper, and
	// say so.
	ErrLanguage = errors.New("paper: no texts in this language")
	// ErrInput means that the input is incomplete, or contradicts itself.
	ErrInput = errors.New("paper: insufficient or inconsistent input")
)

// Parties are the parties of a paper. Lender, Business, and for an order's papers Merchant
// and Order, are required; other empty ones are left out.
type Parties struct {
	Lender, LenderAddress, LenderContact string
	Merchant                             string
	Business, Signer, Title              string // who accepts, and as what
	Order                                string // its key
}

// Input is the data of an order's papers.
type Input struct {
	Parties
	Disclosure lending.Disclosure
	Amount     money.Amount  // of the order: what the disclosure says is provided
	On         calendar.Date // the date on which the papers are made
	Language   string        // such as en-US
	Master     bool          // include the master agreement
	Autopay    bool          // the buyer has chosen it
}

// Languages returns those that have words.
func Languages() []string { return []string{string(design.English)} }

// Make makes the papers of an order: the disclosure, the agreement, and the master
// agreement if requested, each first as HTML and then as PDF.
func Make(in Input) ([]buyer.Paper, error) {
	in.Parties = in.clean()
	switch {
	case in.Lender == "" || in.Merchant == "" || in.Business == "" || in.Order == "":
		return nil, fmt.Errorf("%w: lender, merchant, business or order is missing", ErrInput)
	case len(in.Disclosure.Rows) == 0 || in.Disclosure.Funding != in.Amount:
		return nil, fmt.Errorf("%w: the disclosure does not match the order's amount", ErrInput)
	}
	x := in.Disclosure
	disclosure, err := disclose(in)
	if err != nil {
		return nil, err
	}
	agreement, err := agree(in, "agreement")
	if err != nil {
		return nil, err
	}
	out, err := disclosure.papers(credit.DocumentDisclosure, x.Template, "disclosure-"+in.Order)
	if err != nil {
		return nil, err
	}
	more, err := agreement.papers(credit.DocumentAgreement, "", "agreement-"+in.Order)
	if err != nil {
		return nil, err
	}
	out = append(out, more...)
	if in.Master {
		if more, err = Master(in.Parties, in.On, in.Language); err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// Master makes only the master agreement, for a company that signs it without an order.
func Master(p Parties, on calendar.Date, language string) ([]buyer.Paper, error) {
	in := Input{Parties: p.clean(), On: on, Language: language}
	if in.Lender == "" || in.Business == "" {
		return nil, fmt.Errorf("%w: lender or business is missing", ErrInput)
	}
	in.Merchant, in.Order = "", "" // it is about every order
	x, err := agree(in, "master")
	if err != nil {
		return nil, err
	}
	return x.papers(credit.DocumentMaster, "", "master-agreement")
}

// papers prints a sheet in both formats.
func (x sheet) papers(kind, form, name string) ([]buyer.Paper, error) {
	var html, pdf bytes.Buffer
	if err := x.html(&html); err != nil {
		return nil, fmt.Errorf("paper: %s as HTML: %w", kind, err)
	}
	if err := x.pdf(&pdf); err != nil {
		return nil, fmt.Errorf("paper: %s as PDF: %w", kind, err)
	}
	p := buyer.Paper{Kind: kind, Template: form, Text: Text, Language: x.Language}
	page, file := p, p
	page.ContentType, page.Name, page.Data = "text/html; charset=utf-8", name+".html", html.Bytes()
	file.ContentType, file.Name, file.Data = "application/pdf", name+".pdf", pdf.Bytes()
	return []buyer.Paper{page, file}, nil
}

// clean makes each name one line of text that reads in one direction.
func (p Parties) clean() Parties {
	for _, s := range []*string{&p.Lender, &p.LenderAddress, &p.LenderContact, &p.Merchant, &p.Business, &p.Signer, &p.Title, &p.Order} {
		*s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(*s, "\ufffd"), func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
		}), " ")
	}
	return p
}

// reach is how to reach the lender.
func (p Parties) reach() string {
	out := p.Lender
	for _, s := range []string{p.LenderAddress, p.LenderContact} {
		if s != "" {
			out += ", " + s
		}
	}
	return strings.TrimSuffix(out, ".") + "."
}

// accepts is who accepts for the business.
func (p Parties) accepts() string {
	switch {
	case p.Signer == "":
		return p.Business
	case p.Title == "":
		return p.Signer + ", for " + p.Business + ","
	}
	return p.Signer + ", " + p.Title + ", for " + p.Business + ","
}

// Package letter contains the texts of mails: versioned templates, as text and as HTML, in
// one language each.
//
//	Latest  the version that new mails are written with
//	Fields  the data a version needs
//	Render  subject, text and HTML of a mail
//
// A version that has been sent never changes, so that a mail can be rendered again, word
// for word, from its stored data. Other words are another version.
//
// Letters load nothing and track nobody: no pictures, no tracking, at most one link, whose
// URL is also readable in the text. Their data is text, never markup: it cannot create
// tags, lines or headers.
package letter

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
)

// Template is the subject of a mail.
type Template string

// The templates.
const (
	Code             Template = "code"                         // six digits to sign in with
	SignInLink       Template = "sign_in_link"                 // a link to sign in with
	Approved         Template = "application_approved"         // the requested line
	CounterOffer     Template = "application_counter_offer"    // a lower line, and the notice of why (F28)
	Declined         Template = "application_declined"         // the notice of an adverse action (F28)
	NotPrequalified  Template = "prequalification_declined"    // the same for an estimate request
	ReportUsed       Template = "credit_report_notice"         // by post, to an owner who did not apply and whose report was used (F28)
	InReview         Template = "application_in_review"        // a person reviews it
	DocumentsWanted  Template = "application_documents_wanted" // the notice that it is incomplete (F28)
	Withdrawn        Template = "application_withdrawn"        // by the applicant
	Expired          Template = "application_expired"          // the requested documents did not arrive
	GoOn             Template = "approved_go_on"               // return to the checkout after a review
	CheckoutLink     Template = "checkout_link"                // an order that a merchant put together
	NotCompleted     Template = "checkout_not_completed"       // by the merchant, in time
	OwnerNeeded      Template = "owner_needed"                 // somebody who is not an owner wants to order
	AgreementCopy    Template = "agreement_copy"               // with the agreement as a file
	AgreementOnPaper Template = "agreement_on_paper"           // the master agreement, as recorded by the lender
	NewDisclosure    Template = "new_disclosure"               // of a capture with other figures than were disclosed (F21)
	Invitation       Template = "invitation"                   // to act for a company
	PeopleChanged    Template = "people_changed"               // who acts for a company
	DuplicateWarning Template = "duplicate_warning"            // a second application, to the owners of the first
	InstallmentDue   Template = "installment_due"              // in five days
	DebitTomorrow    Template = "debit_tomorrow"               // what will be debited, and what for
	PaymentReceived  Template = "payment_received"             // and what it paid
	PaymentReturned  Template = "payment_returned"             // by the bank
	PastDue          Template = "past_due"                     // what is past due
	StatementReady   Template = "statement_ready"              // of a month
	BankChanged      Template = "bank_account_changed"         // the debited account
	EmailChanged     Template = "email_changed"                // also to the previous address
	CaseOpened       Template = "case_opened"                  // a dispute or question was opened
	CaseAnswered     Template = "case_answered"                // it has something new to read
	CaseResolved     Template = "case_resolved"                // and how it ended
)

// Data is the members of one mail by name: each a string or a list of strings, formatted
// for the reader. A list may also be a []any of strings, as JSON decodes it.
type Data map[string]any

// Rendered is a mail as it is sent.
type Rendered struct {
	Subject string // one line of at most 78 characters
	Text    string // lines of at most 78 characters, except for longer words and URLs
	HTML    string // a whole page
}

// Templates lists all templates.
func Templates() []Template {
	var all []Template
	for _, s := range sheets {
		all = append(all, s.template)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Latest is the version of a template for new mails in a language; false if there is none
// in that language.
func Latest(t Template, lang string) (version int, ok bool) { return house().latest(t, lang) }

// Usual is the language in which every template exists. Legal texts in notices exist in no
// other until somebody has approved a translation.
const Usual = "en-US"

// In returns the language in which a version of a template is written for somebody who
// wants a language: that one if it exists, else the usual one.
func In(t Template, version int, lang string) string {
	if s, ok := house().sheet(t, version); ok && house().has(lang, s) {
		return lang
	}
	return Usual
}

// Fields returns the data that a version of a template takes; false if there is no such
// version.
func Fields(t Template, version int) ([]Field, bool) {
	s, ok := house().sheet(t, version)
	return s.fields(), ok
}

// Render renders a mail. Unknown members, missing required members, and members of the
// wrong kind are errors.
func Render(t Template, version int, lang string, data Data) (Rendered, error) {
	r, err := house().render(t, version, lang, data)
	if err != nil {
		return Rendered{}, fmt.Errorf("letter %s, version %d, %s: %w", t, version, lang, err)
	}
	return r, nil
}

// texts has a folder for each language. In it, each version of a template has a text file,
// whose first line is the subject, and an HTML file. frame.txt and frame.html contain the
// common parts, with versions of their own.
//
//go:embed texts
var texts embed.FS

// shelf is the collection of templates.
type shelf struct {
	files  fs.FS
	sheets []sheet
}

func house() shelf { return shelf{texts, sheets} }

func (s shelf) sheet(t Template, version int) (sheet, bool) {
	i := slices.IndexFunc(s.sheets, func(x sheet) bool { return x.template == t && x.version == version })
	if i < 0 {
		return sheet{}, false
	}
	return s.sheets[i], true
}

// file returns the file name of a version, or of the frame.
func file(lang string, t Template, version int, kind string) string {
	return "texts/" + lang + "/" + string(t) + "." + strconv.Itoa(version) + "." + kind
}

func (s shelf) latest(t Template, lang string) (version int, ok bool) {
	for _, x := range s.sheets {
		if x.template == t && x.version > version && s.has(lang, x) {
			version, ok = x.version, true
		}
	}
	return version, ok
}

// has reports whether a version exists in a language.
func (s shelf) has(lang string, x sheet) bool {
	_, err := fs.Stat(s.files, file(lang, x.template, x.version, "txt"))
	return err == nil
}

func (s shelf) render(t Template, version int, lang string, data Data) (r Rendered, err error) {
	x, ok := s.sheet(t, version)
	if !ok || !s.has(lang, x) {
		return r, fmt.Errorf("unknown template, version or language")
	}
	members, err := x.read(data)
	if err != nil {
		return r, err
	}
	if r.Subject, r.Text, err = s.text(x, lang, members); err != nil {
		return r, err
	}
	members["subject"] = r.Subject
	r.HTML, err = s.html(x, lang, members)
	return r, err
}

package letter

import (
	"cmp"
	"slices"
	"strings"
)

// sheet is a version of a template: the data it takes.
type sheet struct {
	template Template
	version  int
	// members are its fields separated by spaces: name, name=kind, and a ? suffix if
	// optional. A prefix before a colon is the field's group: a group is given completely
	// or not at all, and a nested one (a.b) only with its parent.
	members string
}

// everywhere is what all templates take: the lender's name and contact.
const everywhere = " lender=name contact?"

// notice is what a notice of an adverse action needs (F28).
const notice = " applied decided reasons=reasons creditor=name creditor_address agency=name agency_address"

// creditor is notice plus the report that was used, if any. The report is about an owner:
// it goes to nobody else.
const creditor = notice + report

// report is a notice's data about a credit report that was used.
const report = " report:owner=name report:bureau=name report:bureau_contact" +
	" report.score:score report.score:score_date report.score:score_range report.score:score_factors=factors"

// sheets are all versions of all templates. What has been sent is neither changed nor
// removed.
var sheets = []sheet{
	{Code, 1, "code=digits merchant=name?"},
	{SignInLink, 1, "link=link merchant=name?"},

	{Approved, 1, "business=name limit decided merchant=name? link=link?"},
	{CounterOffer, 1, "business=name requested limit accept_by? merchant=name? link=link?" + creditor},
	{Declined, 1, "business=name merchant=name?" + creditor},
	{NotPrequalified, 1, "business=name merchant=name?" + notice},
	{ReportUsed, 1, "business=name applied decided action creditor=name creditor_address merchant=name?" + report},
	{InReview, 1, "business=name by? merchant=name? link=link?"},
	{DocumentsWanted, 1, "business=name applied wanted=list due creditor=name creditor_address merchant=name? link=link?"},
	{Withdrawn, 1, "business=name date merchant=name?"},
	{Expired, 1, "business=name due merchant=name?"},

	{GoOn, 1, "business=name limit amount until merchant=name link=link"},
	{CheckoutLink, 1, "order? amount until merchant=name link=link"},
	{NotCompleted, 1, "business=name order? amount merchant=name"},
	{OwnerNeeded, 1, "person=name business=name amount until merchant=name link=link"},
	{AgreementCopy, 1, "agreement business=name person=name accepted order? merchant=name? link=link?" +
		" terms:funded terms:finance_charge terms:apr terms:total terms:payments terms:first_due"},
	{AgreementOnPaper, 1, "business=name person=name accepted link=link merchant=name?"},

	{NewDisclosure, 1, "business=name order captured disclosed funded finance_charge apr total payments first_due items=list merchant=name? link=link?"},

	{Invitation, 1, "person=name business=name role until link=link merchant=name?"},
	{Invitation, 2, "person=name business=name role link=link merchant=name?"},
	{PeopleChanged, 1, "person=name business=name role? changed_by=name date merchant=name?"},
	{DuplicateWarning, 1, "business=name date merchant=name?"},

	{InstallmentDue, 1, "business=name order installment amount due account? merchant=name? link=link?"},
	{InstallmentDue, 2, "business=name order installment amount due debit:account debit:debited merchant=name? link=link?"},
	{DebitTomorrow, 1, "business=name amount date account items=list fee? merchant=name? link=link?"},
	{DebitTomorrow, 2, "business=name amount date account items=list fee? merchant=name? link=link?"},
	{PaymentReceived, 1, "business=name amount date method outstanding? available? items=list? merchant=name? link=link?"},
	{PaymentReturned, 1, "business=name amount date account? reason fee? next? merchant=name? link=link?"},
	{PastDue, 1, "business=name amount since fees? items=list merchant=name? link=link?"},
	{StatementReady, 1, "business=name from to balance merchant=name? link=link?"},
	{BankChanged, 1, "business=name was? becomes date person=name? merchant=name?"},
	{BankChanged, 2, "business=name was? becomes? date person=name? merchant=name?"},
	{EmailChanged, 1, "was=email becomes=email date merchant=name?"},

	{CaseOpened, 1, "business=name kind case about due merchant=name? link=link?"},
	{CaseAnswered, 1, "business=name kind case about due merchant=name? link=link?"},
	{CaseResolved, 1, "business=name kind case about outcome merchant=name? link=link?"},
}

// Kind is the type of a member.
type Kind string

// The kinds of members.
const (
	Text    Kind = "text"    // one line; a longer one is cut
	Name    Kind = "name"    // a person's or business's name: shorter
	Email   Kind = "email"   // an address
	Link    Kind = "link"    // an http or https URL
	Digits  Kind = "digits"  // six of them
	List    Kind = "list"    // lines, 1 to 50
	Reasons Kind = "reasons" // lines, 1 to 4, as in a notice (F28)
	Factors Kind = "factors" // lines, 1 to 5, as in a credit score (15 USC 1681g)
)

// Field is a member that a template takes.
type Field struct {
	Name     string
	Kind     Kind
	Optional bool   // by itself; members of a group are optional together
	Group    string // "": none
}

// fields parses the members.
func (s sheet) fields() []Field {
	var all []Field
	for _, text := range strings.Fields(s.members + everywhere) {
		var f Field
		if group, rest, ok := strings.Cut(text, ":"); ok {
			f.Group, text = group, rest
		}
		text, f.Optional = strings.CutSuffix(text, "?")
		name, kind, _ := strings.Cut(text, "=")
		f.Name, f.Kind = name, cmp.Or(Kind(kind), Text)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}

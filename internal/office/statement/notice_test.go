package statement

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// onPaper is the visible text of a PDF: its strings, with one space between words.
func onPaper(t *testing.T, p Paper) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.PDF(&out); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, m := range regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`).FindAllSubmatch(out.Bytes(), -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // an uncompressed stream is not text
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range regexp.MustCompile(`(?s)\(((?:\\.|[^\\)])*)\) ?Tj`).FindAllSubmatch(text, -1) {
			words = append(words, strings.Fields(regexp.MustCompile(`\\(.)`).ReplaceAllString(string(s[1]), "$1"))...)
		}
	}
	return strings.Join(words, " ")
}

// onPage is the visible text of a page, with one space between words.
func onPage(t *testing.T, p Paper) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.HTML(&out); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(out.String(), "</head>")
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " "))), " ")
}

// noticing returns everything a notice needs.
func noticing() (*credit.Notice, *credit.Company, credit.LenderSettings) {
	day := calendar.MustParse("2026-02-04")
	n := &credit.Notice{ID: "ntc_1", Kind: credit.NoticeSuspension, Company: 1000000001, ActionAt: time.Date(2026, 2, 4, 15, 0, 0, 0, time.UTC), ClockStart: day, DueOn: day.AddDays(30), Reasons: []string{"returned_payments"}}
	c := &credit.Company{
		ID: 1000000001, Name: "Elm & Sons", LegalName: "Elm & Sons LLC", StatusCode: "returned_payments",
		BillingAddress: credit.CompanyAddress{Street: "10 Canal St", City: "New York", State: "NY", PostalCode: "10013", Country: "US"},
	}
	return n, c, credit.LenderSettings{
		Creditor:  credit.Party{Name: "First Lender, Inc.", Address: "1 Market Street, Albany, NY 12207"},
		Regulator: credit.Party{Name: "Federal Trade Commission", Address: "Equal Credit Opportunity, Washington, DC 20580"},
	}
}

// A notice states, on the page and on PDF, its recipient, what was done and when, why, who
// did it, and the law with its regulator (F28).
func TestNoticePaper(t *testing.T) {
	for kind, action := range map[credit.NoticeKind]string{
		credit.NoticeLineDecrease: "our credit line was lowered", credit.NoticeSuspension: "our credit line was suspended", credit.NoticeClosure: "our account was closed",
		credit.NoticeRateIncrease: "our rates for new purchases were raised",
	} {
		n, c, by := noticing()
		n.Kind, by.Contact = kind, "help@lender.example"
		p, err := NoticePaper(n, n, c, by.NoticeLender(), calendar.MustParse("2026-02-10"))
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string]string{"page": onPage(t, p), "PDF": onPaper(t, p)} {
			for _, want := range []string{
				"Notice: y" + action, "To Elm & Sons LLC, 10 Canal St, New York, NY 10013", "Account 1000000001", "Date of this notice Feb 10, 2026",
				"Action taken Y" + action + ".", "Date of the action Feb 4, 2026", "Creditor First Lender, Inc.", "Creditor's address 1 Market Street, Albany, NY 12207",
				"Contact help@lender.example", "Principal reasons Reason Payments to this creditor were returned by the bank of the business",
				"The federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, national origin, sex, marital status, age",
				"any right under the Consumer Credit Protection Act. The federal agency that administers compliance with this law concerning this creditor is " +
					"Federal Trade Commission, Equal Credit Opportunity, Washington, DC 20580.",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in\n%s", kind, form, want, text)
				}
			}
			if strings.Contains(text, "right to a statement") || strings.Contains(text, "Mar 6, 2026") {
				t.Errorf("%s, %s: it promises the reasons that it gives, or names the lender's own deadline:\n%s", kind, form, text)
			}
		}
	}
}

// Without a recorded reason the notice states the right to one, whom to ask and by when; a
// code that names who acted is not a reason.
func TestNoticeOfNoReason(t *testing.T) {
	for _, reasons := range [][]string{nil, {"closed_by_operator"}, {"manual_hold"}} {
		n, c, by := noticing()
		n.Reasons = reasons
		p, err := NoticePaper(n, n, c, by.NoticeLender(), n.ClockStart)
		if err != nil {
			t.Fatal(err)
		}
		want := "You have the right to a statement of the specific reasons for this action. To obtain it, write to First Lender, Inc., 1 Market Street, Albany, NY 12207, within 60 days " +
			"of the day on which you get this notice. We will send you a written statement of the reasons within 30 days of receiving your request."
		for form, text := range map[string]string{"page": onPage(t, p), "PDF": onPaper(t, p)} {
			if !strings.Contains(text, want) || strings.Contains(text, "Principal reasons") || strings.Contains(text, "Contact") {
				t.Errorf("%q, %s:\n%s", reasons, form, text)
			}
		}
	}
}

// Each code has its words: the policy's are those of F27.
func TestReasons(t *testing.T) {
	for _, x := range []struct{ code, words string }{
		{"credit_score", "Credit score of the owner or guarantor"},
		{"annual_revenue", "Annual revenue insufficient for the credit"},
		{"time_in_business", "Length of time in business"},
		{"bank_balance", "Insufficient average bank balance"},
		{"returned_items", "Returned items on the bank account"},
		{"business_credit_file", "Insufficient or adverse business credit history"},
		{"sanctions_match", "A name of the business is on a government sanctions list"},
		{"identity_unverified", "Unable to verify the identity of the business"},
		{"duplicate_application", "The tax number belongs to another account or application"},
		{"state_not_served", "We do not grant credit in the state of the business"},
		{"bankruptcy", "Bankruptcy of the business or an owner"},
		{"ownership_unverified", "Unable to verify who owns and controls the business"},
		{"past_due", "Delinquent obligations to this creditor"},
		{"charged_off", "An obligation to this creditor was charged off"},
		{"returned_payments", "Payments to this creditor were returned by the bank of the business"},
		{"compliance_review", "A bank account of the business is frozen"},
		{"insufficient_time_in_business", "The business is too young."}, // staff's own, with their words
		{"address_check", "Address check"},                              // and without
		{"Sales have halved.", "Sales have halved."},                    // not a code
		{"Übernahme", "Übernahme"},
		{"closed_by_operator", ""},
		{"", ""},
	} {
		c := &credit.Company{StatusCode: "insufficient_time_in_business", StatusMessage: " The business is too young. "}
		if got := reasonOf(x.code, c); got != x.words {
			t.Errorf("%s: %q", x.code, got)
		}
	}
}

// Without a creditor or a regulator there is no paper, and the error says what is missing.
func TestNoticeOfALenderWithoutSettings(t *testing.T) {
	for name, clear := range map[string]func(*credit.LenderSettings){
		"creditor.name":     func(x *credit.LenderSettings) { x.Creditor.Name = "" },
		"creditor.address":  func(x *credit.LenderSettings) { x.Creditor.Address = " " },
		"regulator.name":    func(x *credit.LenderSettings) { x.Regulator.Name = "" },
		"regulator.address": func(x *credit.LenderSettings) { x.Regulator.Address = "" },
		"creditor.name, creditor.address, regulator.name, regulator.address": func(x *credit.LenderSettings) { *x = credit.LenderSettings{} },
	} {
		n, c, by := noticing()
		clear(&by)
		p, err := NoticePaper(n, n, c, by.NoticeLender(), n.ClockStart)
		var unset *Unset
		if !errors.As(err, &unset) || strings.Join(unset.Missing, ", ") != name || !strings.HasSuffix(err.Error(), ": "+name) || p.Title != "" {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
	}
	n, c, by := noticing()
	n.Kind = "PROMOTION"
	if _, err := NoticePaper(n, n, c, by.NoticeLender(), n.ClockStart); err == nil {
		t.Error("a notice of nothing is made")
	}
}

// noticed is a view of a company that has changed since.
type noticed struct {
	store.View
	then, now *credit.Company
	by        credit.LenderSettings
	asked     *credit.Notice
}

// List is asked for the last batch before an instant.
func (v noticed) List(q store.Query, fn func(row any) error) error {
	return fn(&store.BatchRow{LastQ: q.Where[1].Value.Int / 1e6})
}

func (v noticed) At(_ store.Noun, _ store.Value, q int64) (any, error) {
	company := v.now
	if n, _, _ := noticing(); q == n.ActionAt.Unix() {
		company = v.then
	}
	row := store.CompanyNoun.Row(company, 1)
	return &row, nil
}

func (v noticed) Load(s *credit.State, k credit.Keys) error {
	s.Companies[k.Companies[0]] = v.now
	s.Lenders[k.Lenders[0]] = &credit.Lender{ID: k.Lenders[0], Settings: v.by}
	for _, id := range k.Notices {
		s.Notices[id] = v.asked
	}
	return nil
}

// The lender's data in a notice when it was sent stays in its paper forever, in the words
// of that time; an unsent one uses the current settings (F28).
func TestNoticeSaysWhatItSaid(t *testing.T) {
	n, c, by := noticing()
	first := onPage(t, must(NoticePaper(n, n, c, by.NoticeLender(), n.ClockStart))(t))
	said := by.NoticeLender()
	by = credit.LenderSettings{
		Creditor: credit.Party{Name: "Second Lender, Inc.", Address: "2 Market Street"}, Contact: "new@lender.example",
		Regulator: credit.Party{Name: "Farm Credit Administration", Address: "McLean, VA 22102"},
	}
	draft := onPage(t, must(PrintNotice(noticed{then: c, by: by}, n, n.ClockStart))(t))
	if !strings.Contains(draft, "Second Lender") || !strings.Contains(draft, "new@lender.example") || !strings.Contains(draft, "Farm Credit") || strings.Contains(draft, "First") {
		t.Errorf("before it is sent it does not say what is set:\n%s", draft)
	}
	n.SentAt, n.Lender = n.ActionAt, &said
	for _, now := range []credit.LenderSettings{by, {}} {
		if again := onPage(t, must(PrintNotice(noticed{then: c, by: now}, n, n.ClockStart))(t)); again != first {
			t.Errorf("it said\n%s\nand says now\n%s", first, again)
		}
	}
	said.Text = credit.NoticeText + 1
	if _, err := PrintNotice(noticed{then: c, by: by}, n, n.ClockStart); err == nil || !strings.Contains(err.Error(), "unknown text version") {
		t.Errorf("words that nobody has written are printed: %v", err)
	}
	for v := 1; v <= credit.NoticeText; v++ {
		if _, known := wordsOf(v); !known {
			t.Errorf("the words of version %d are lost", v)
		}
	}
}

// A company that requests the reasons of an action gets them with the action and its date,
// as the company was then (F28).
func TestFurtherReasons(t *testing.T) {
	of, c, by := noticing()
	n := &credit.Notice{
		ID: "ntc_2", Kind: credit.NoticeFurtherReasons, Asked: of.ID, Company: of.Company, ActionAt: of.ActionAt.Add(29 * 24 * time.Hour),
		ClockStart: of.ClockStart.AddDays(28), DueOn: of.ClockStart.AddDays(58), Reasons: []string{"credit_score", "Sales have halved."},
	}
	now := &credit.Company{ID: c.ID, Name: "Oak & Sons"}
	text := onPage(t, must(PrintNotice(noticed{then: c, now: now, by: by, asked: of}, n, n.ClockStart.AddDays(2)))(t))
	for _, want := range []string{
		"Statement of reasons: your credit line was suspended", "To Elm & Sons LLC", "Date of this notice Mar 6, 2026", "Action taken Your credit line was suspended.",
		"Date of the action Feb 4, 2026", "Your request of Mar 4, 2026", "Reason Credit score of the owner or guarantor Sales have halved.", "The federal Equal Credit Opportunity Act",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := PrintNotice(noticed{then: c, now: now, by: by}, n, n.ClockStart); err == nil || !strings.Contains(err.Error(), "ntc_1") {
		t.Errorf("reasons of nothing: %v", err)
	}
}

// The words of a version never change: other words need a new version.
func TestWordsOfNotices(t *testing.T) {
	for version, sum := range map[int]string{1: "2bb1c8bc795a42a0ffb6c8f55f6d3ae706b7c614b495f801691aad3a76a9c051"} {
		w, _ := wordsOf(version)
		said := w.rightToReasons(credit.Party{Name: "L", Address: "1"}, "c") + w.equalCredit(credit.Party{Name: "R", Address: "2"})
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(said))); got != sum {
			t.Errorf("the words of version %d are others: %s", version, got)
		}
	}
}

func must[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// The company and its reason are those of the action, whatever has happened since.
func TestNoticeTellsOfThen(t *testing.T) {
	n, then, by := noticing()
	n.Reasons, then.StatusCode, then.StatusMessage = []string{"vetting"}, "vetting", "The supplier could not be reached."
	now := &credit.Company{ID: then.ID, Name: "Oak & Sons"}
	p, err := PrintNotice(noticed{then: then, now: now, by: by}, n, n.ClockStart)
	if err != nil {
		t.Fatal(err)
	}
	if text := onPage(t, p); !strings.Contains(text, "The supplier could not be reached.") || strings.Contains(text, "Oak") {
		t.Errorf("it tells of another company:\n%s", text)
	}
	if p, err = PrintNotice(noticed{now: now, by: by}, n, n.ClockStart); err != nil || !strings.Contains(onPage(t, p), "Oak & Sons") {
		t.Errorf("of a company without a history: %v", err)
	}
}

package credit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/people"
)

// Each flaw of a case is described, whatever caused it (RC2).
func TestCaseFlaws(t *testing.T) {
	at := time.Date(2026, 1, 10, 15, 0, 0, 0, time.UTC)
	sound := func() *credit.Case {
		return &credit.Case{
			RecordHead: credit.RecordHead{ID: "case_1", Company: 7, Of: "ord_1", Status: credit.CaseWaiting, CreatedAt: at, UpdatedAt: at, Version: 2},
			Kind:       credit.CaseDispute, What: credit.CaseFee, Person: "per_1", Text: "sec_1", DueOn: calendar.MustParse("2026-02-09"),
			Notes: []credit.CaseNote{{At: at, By: credit.SideLender, Who: "ops", Text: "sec_2"}},
		}
	}
	end := func(by credit.CaseSide, as credit.CaseOutcome, text string) func(*credit.Case) {
		return func(x *credit.Case) {
			x.Status, x.NextAt = credit.CaseResolved, at
			x.Resolution = &credit.CaseResolution{At: at, By: by, Who: "somebody", Outcome: as, Text: text}
		}
	}
	merchants := func(x *credit.Case) { x.Person, x.Merchant = "", "mch_1" }
	for name, c := range map[string]struct { // unordered: each by itself
		change func(*credit.Case)
		flaw   string
	}{
		"as it is":                       {func(*credit.Case) {}, ""},
		"of a merchant":                  {merchants, ""},
		"upheld":                         {end(credit.SideLender, credit.CaseUpheld, "sec_3"), ""},
		"withdrawn":                      {end(credit.SideBuyer, credit.CaseWithdrawn, ""), ""},
		"about a payment":                {func(x *credit.Case) { x.Of = "pay_1" }, ""},
		"about the company":              {func(x *credit.Case) { x.Of = "" }, ""},
		"no kind":                        {func(x *credit.Case) { x.Kind = "COMPLAINT" }, "kind or subject is unknown"},
		"no company":                     {func(x *credit.Case) { x.Company = 0 }, "company or due date is missing"},
		"due on no day":                  {func(x *credit.Case) { x.DueOn = calendar.None }, "company or due date is missing"},
		"two have opened it":             {func(x *credit.Case) { x.Merchant = "mch_1" }, "must have exactly one opener: a person or a merchant"},
		"nobody has":                     {func(x *credit.Case) { x.Person = "" }, "must have exactly one opener: a person or a merchant"},
		"about an invoice":               {func(x *credit.Case) { x.Of = "inv_1" }, "subject is not an order or payment that this opener may choose"},
		"a merchant's about a payment":   {func(x *credit.Case) { merchants(x); x.Of = "pay_1" }, "subject is not an order or payment that this opener may choose"},
		"resolved without an end":        {func(x *credit.Case) { x.Status = credit.CaseResolved }, "status and resolution do not match"},
		"erased while it waits":          {func(x *credit.Case) { x.NextAt = at }, "status and resolution do not match"},
		"without its text":               {func(x *credit.Case) { x.Text = "" }, "text is missing, or kept past its retention"},
		"an empty note":                  {func(x *credit.Case) { x.Notes[0].Text = "" }, "a note is empty, or its author is not a party to the case"},
		"a merchant speaks in a buyer's": {func(x *credit.Case) { x.Notes[0].By = credit.SideMerchant }, "a note is empty, or its author is not a party to the case"},
		"a question upheld": {func(x *credit.Case) {
			end(credit.SideLender, credit.CaseUpheld, "sec_3")(x)
			x.Kind = credit.CaseQuestion
		}, "resolution is incomplete, or its outcome does not fit the kind"},
		"withdrawn by staff":    {end(credit.SideLender, credit.CaseWithdrawn, ""), "withdrawn by the other side, or decided by its opener"},
		"upheld by the buyer":   {end(credit.SideBuyer, credit.CaseUpheld, "sec_3"), "withdrawn by the other side, or decided by its opener"},
		"upheld without a word": {end(credit.SideLender, credit.CaseUpheld, ""), "resolution has no text"},
		"eleven documents":      {func(x *credit.Case) { x.Documents = make([]string, 11) }, "too many documents or notes"},
		"kept for too long":     {func(x *credit.Case) { end(credit.SideLender, credit.CaseUpheld, "sec_3")(x); x.NextAt = time.Time{} }, "text is missing, or kept past its retention"},
	} {
		x := sound()
		c.change(x)
		if got := credit.RecordFlaw(x); got != c.flaw {
			t.Errorf("%s: %q, want %q", name, got, c.flaw)
		}
	}
	for name, change := range map[string]func(*credit.Case){ // unordered: each by itself
		"due later":       func(x *credit.Case) { x.DueOn++ },
		"another subject": func(x *credit.Case) { x.Of = "ord_2" },
		"a note is gone":  func(x *credit.Case) { x.Notes = nil },
	} {
		x := sound()
		change(x)
		if x.Sound(sound()) == "" {
			t.Errorf("%s: is taken", name)
		}
	}
}

// A case is overdue from the day after its last one until it is resolved.
func TestCaseOverdue(t *testing.T) {
	due := calendar.MustParse("2026-02-09")
	for _, c := range []struct {
		status string
		today  calendar.Date
		want   bool
	}{{credit.CaseOpen, due, false}, {credit.CaseOpen, due + 1, true}, {credit.CaseWaiting, due + 1, true}, {credit.CaseResolved, due + 1, false}} {
		if x := (&credit.Case{RecordHead: credit.RecordHead{Status: c.status}, DueOn: due}); x.Overdue(c.today) != c.want {
			t.Errorf("%s on %s", c.status, c.today)
		}
	}
}

// The daily limits reset on the next day, and count separately for each side that opens cases.
func TestCaseBoundsOfADay(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("M", lending.DefaultSettings())
	x := w.buyer("A", "3000.00", shop)
	p := w.must(operator, people.ProvePerson{Email: "ann", Contact: "contact", Company: x.ID, Found: x.Email, Secrets: sealed("contact")}).(*credit.Person)
	n := 0
	opens := func(k credit.CaseKind) (string, *credit.Rejection) {
		n++
		text := "words " + time.Duration(n).String()
		ch, r := w.do(operator, cases.OpenCase{Company: x.ID, Person: p.ID, Kind: k, Text: text, Secrets: sealed(text)})
		if r != nil {
			return "", r
		}
		return ch.Result.(*credit.Case).ID, nil
	}
	limit := func(k credit.CaseKind, want string) {
		t.Helper()
		if _, r := opens(k); r == nil || r.Members["limit"] != want {
			t.Fatalf("%v, want %s", r, want)
		}
	}
	fill := func(k credit.CaseKind, count int, withdraw bool) {
		t.Helper()
		for range count {
			id, r := opens(k)
			if r != nil {
				t.Fatal(r)
			}
			if withdraw {
				w.must(operator, cases.ResolveCase{Case: id, Person: p.ID, Outcome: credit.CaseWithdrawn})
			}
		}
	}
	fill(credit.CaseQuestion, cases.MaxQuestionsDay, true)
	limit(credit.CaseQuestion, "questions_a_day")
	fill(credit.CaseDispute, cases.MaxCasesDay-cases.MaxQuestionsDay, true)
	limit(credit.CaseDispute, "cases_a_day")
	w.now = w.now.AddDate(0, 0, 1)
	fill(credit.CaseQuestion, cases.MaxOpenQuestions, false)
	limit(credit.CaseQuestion, "questions_open")
	fill(credit.CaseDispute, cases.MaxOpenCases-cases.MaxOpenQuestions, false)
	limit(credit.CaseDispute, "cases_open")
	if days := w.all.Companies[x.ID].Servicing.Cases.Days; len(days) != 1 || days[0].Cases != cases.MaxOpenCases {
		t.Errorf("%+v", days)
	}
}

// A case takes ten files, a day twenty, and each side fifty notes; the other side can still
// answer.
func TestCaseNotesAndFiles(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("M", lending.DefaultSettings())
	x := w.buyer("A", "3000.00", shop)
	p := w.must(operator, people.ProvePerson{Email: "ann", Contact: "contact", Company: x.ID, Found: x.Email, Secrets: sealed("contact")}).(*credit.Person)
	n := 0
	words := func() string { n++; return "words " + time.Duration(n).String() }
	open := func() string {
		text := words()
		return w.must(operator, cases.OpenCase{Company: x.ID, Person: p.ID, Kind: credit.CaseDispute, Text: text, Secrets: sealed(text)}).(*credit.Case).ID
	}
	note := func(id, person string) *credit.Rejection {
		text := words()
		_, r := w.do(operator, cases.AddCaseNote{Case: id, Person: person, Text: text, Secrets: sealed(text)})
		return r
	}
	file := func(id string) *credit.Rejection {
		text := words()
		_, r := w.do(operator, cases.AttachCaseDocument{Case: id, Person: p.ID, Paper: paper("", text), Secrets: sealed(text)})
		return r
	}
	refused := func(r *credit.Rejection, limit string) {
		t.Helper()
		if r == nil || r.Code != "limit_exceeded" || r.Members["limit"] != limit {
			t.Fatalf("%v, want %s", r, limit)
		}
	}
	one, two, three := open(), open(), open()
	for range credit.MaxCaseNotes {
		if r := note(one, p.ID); r != nil {
			t.Fatal(r)
		}
	}
	refused(note(one, p.ID), "notes")
	if r := note(one, ""); r != nil {
		t.Errorf("staff cannot answer: %v", r)
	}
	for _, id := range []string{one, two} {
		for range credit.MaxCaseDocuments {
			if r := file(id); r != nil {
				t.Fatal(r)
			}
		}
	}
	refused(file(one), "documents")
	refused(file(three), "documents_a_day")
}

// Files that come with questions take only some of the day's slots: a colleague who may only
// ask cannot keep an owner from proving a dispute.
func TestQuestionsLeaveRoomForFiles(t *testing.T) {
	var text strings.Builder
	text.WriteString("operator merchant M\noperator company A limit=3000.00 links=M\nbuyer prove ann company=A\nbuyer prove vic\n")
	text.WriteString("buyer role vic as=VIEWER company=A by=ann invite=yes\nbuyer answer vic company=A\n")
	text.WriteString("buyer asks P company=A person=vic\nbuyer asks Q company=A person=vic\nbuyer disputes D company=A person=ann\n")
	for i := range 6 {
		fmt.Fprintf(&text, "buyer attach p%d case=P person=vic\nbuyer attach q%d case=Q person=vic\n", i, i)
	}
	text.WriteString("buyer attach proof case=D person=ann\n----\n")
	got := newStory(t).tell(text.String())
	if n := strings.Count(got, "Ten documents were added to questions today"); n != 2 {
		t.Errorf("%d of twelve files of questions were refused", n)
	}
	if strings.Contains(got, "Twenty documents") || !strings.Contains(got, "DISPUTE of A, ann, due 2026-02-09, 1 documents") {
		t.Errorf("a dispute's file was not taken:\n%s", got)
	}
}

package mail

import (
	"strings"
	"testing"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/statement"
)

// A paper as text has its tables in columns, figures to the right.
func TestText(t *testing.T) {
	got := text(statement.Paper{
		Title: "Invoice 7", Subtitle: "Elm Street Dental", Facts: []statement.Fact{{Name: "Due", Value: "Feb 15, 2026"}, {Name: "Lender", Value: "Tenor"}, {Name: "Transfer"}},
		Tables: []statement.Table{{
			Caption: "Lines", Columns: []statement.Column{{Name: "What"}, {Name: "Amount", Figure: true}},
			Rows: [][]string{{"Käse", "$1,200.00"}, {"Paid", "-$7.00"}}, Total: []string{"Balance", "$1,193.00"},
		}},
		Notes: []string{"Thank you."},
	})
	want := `Invoice 7
Elm Street Dental

Due       Feb 15, 2026
Lender    Tenor
Transfer

Lines
What        Amount
Käse     $1,200.00
Paid        -$7.00
Balance  $1,193.00

Thank you.
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A notice names the action, its day, the reasons and the law; without reasons it says
// that they may be asked for.
func TestNotices(t *testing.T) {
	c := &credit.Company{ID: 1000000001, Name: "<Elm & Sons>"}
	day := calendar.MustParse("2026-02-04")
	for kind, title := range map[credit.NoticeKind]string{
		credit.NoticeLineDecrease: "Notice: your credit line was lowered", credit.NoticeSuspension: "Notice: your credit line was suspended", credit.NoticeClosure: "Notice: your account was closed",
	} {
		n := &credit.Notice{ID: "ntc_1", Kind: kind, Company: c.ID, ActionAt: time.Now(), ClockStart: day, DueOn: day.AddDays(30), Reasons: []string{"insufficient_time_in_business"}}
		p := noticePaper(n, c, "First Lender")
		body := text(p)
		for _, want := range []string{title, "<Elm & Sons>", "1000000001", "First Lender", "Feb 4, 2026", "insufficient time in business", "Equal Credit Opportunity Act"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q:\n%s", kind, want, body)
			}
		}
		var page strings.Builder
		if err := p.HTML(&page); err != nil || strings.Contains(page.String(), "<Elm") {
			t.Errorf("%v, or the name is HTML", err)
		}
		n.Reasons = nil
		if body := text(noticePaper(n, c, "First Lender")); !strings.Contains(body, "You may ask for the specific reasons") {
			t.Errorf("without reasons:\n%s", body)
		}
	}
}

// A message has the same identifier whenever it is looked at, and another than any other.
func TestIdentifiers(t *testing.T) {
	a, b := idOf(Invoice, "inv_1"), idOf(Advice, "inv_1")
	if a != idOf(Invoice, "inv_1") || a == b || !strings.HasPrefix(a, "mail_") || len(a) != len("mail_")+26 {
		t.Errorf("%s, %s", a, b)
	}
}

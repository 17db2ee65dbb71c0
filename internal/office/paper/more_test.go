package paper

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
	"tenor/internal/proof/webtest"
)

// Each form has the rows that its state requires, in order, and no others (F21).
func TestForms(t *testing.T) {
	like := []string{"Total funds provided", "Total funds disbursed", "Total to be paid", "Total cost of financing", "Manner and amount of payments", "Paying early"}
	for state, want := range map[string][]string{
		"CA": {"Funding provided", "Itemization", "Annual percentage rate (APR)", "Finance charge", "Total of payments", "Payment", "Term", "Paying early"},
		"NY": {"Amount financed", "Disbursement", "Finance charge", "Annual percentage rate (APR)", "Total of payments", "Term", "Payments", "Average monthly payment", "Fees that you can avoid", "Paying early", "Collateral"},
		"UT": like, "GA": like, "FL": like, "KS": like, "MO": like,
		"WA": {"Funding provided", "Itemization", "Recipient funds", "Annual percentage rate (APR)", "Finance charge", "Interest rate", "Total of payments", "Payment", "Average monthly payment", "Term", "Paying early", "Fees that you can avoid", "Collateral", "Guarantee", "Assumptions"},
	} {
		p := find(made(t, example(t, state)), credit.DocumentDisclosure, "text/html")
		var got []string
		for _, l := range lines(t, string(p.Data), "Cost of this financing") {
			got = append(got, l.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the rows %q", state, got)
		}
		signed := state == "CA" || state == "NY"
		if has := strings.Contains(string(p.Data), `<dl class="sign">`); has != signed {
			t.Errorf("%s has a line to sign on: %v", state, has)
		}
		if form := map[bool]string{true: "DEFAULT", false: state}[state == "WA"]; p.Template != form || p.Text != 1 || p.Language != "en-US" {
			t.Errorf("%s is filed as %s, words %d, %s", state, p.Template, p.Text, p.Language)
		}
	}
}

// A disclosure's text about fees and early payment matches its figures.
func TestSentences(t *testing.T) {
	for _, c := range []struct {
		plan           schedule.Plan
		rate           string
		change         func(*lending.Disclosure)
		want, wantNone string
	}{
		{schedule.Amortized, "0.120000", nil, "more than 10 days after its due date, we add one fee of 5% of the unpaid part, at most $25.00", "flat fee"},
		{schedule.Amortized, "0.120000", nil, "Returned payment: $25.00 if your bank", "no fee for the financing"},
		{schedule.Amortized, "0.120000", func(x *lending.Disclosure) { x.LateFeeRate, x.LateFeeGrace = 12_500, 3 }, "more than 3 days after its due date, we add one fee of 1.25%", "Late payment: no fee"},
		{schedule.Amortized, "0.120000", func(x *lending.Disclosure) { x.LateFeeCap = 0 }, "Late payment: no fee.", "we add one fee"},
		{schedule.Amortized, "0.120000", func(x *lending.Disclosure) { x.ReturnedPayment = 0 }, "Returned payment: no fee.", "Returned payment: $"},
		{schedule.Amortized, "0.120000", nil, "Finance charge for the time after that day is not owed", "flat fee"},
		{schedule.FlatFee, "0.010000", nil, "The rest of the flat fee is not owed", "Finance charge for the time"},
		{schedule.FlatFee, "0.010000", nil, "A flat fee of $72.00 takes the place of interest. It is an APR of 20.29%.", "Simple interest"},
		{schedule.Zero, "", nil, "you owe the principal that is unpaid and fees that are unpaid.", "finance charge up to that day"},
	} {
		in := input(disclosure(t, terms(c.plan, 6, c.rate, "WA"), "1200.00"))
		if c.change != nil {
			c.change(&in.Disclosure)
		}
		for _, p := range made(t, in) {
			if p.Kind == credit.DocumentDisclosure && strings.HasPrefix(p.ContentType, "text/html") {
				if page := string(p.Data); !strings.Contains(page, c.want) || strings.Contains(page, c.wantNone) {
					t.Errorf("%s: not %q, or %q", c.plan, c.want, c.wantNone)
				}
			}
		}
	}
}

// The agreement states how this order is repaid, and no other way.
func TestAgreement(t *testing.T) {
	in := example(t, "WA")
	with := string(find(made(t, in), credit.DocumentAgreement, "text/html").Data)
	in.Autopay = false
	without := string(find(made(t, in), credit.DocumentAgreement, "text/html").Data)
	for text, auto := range map[string]bool{"You authorize us to debit": true, "revoke this authorization": true, "You make each payment yourself": false} {
		if strings.Contains(with, text) != auto || strings.Contains(without, text) == auto {
			t.Errorf("%q is there with autopay: %v, without: %v", text, strings.Contains(with, text), strings.Contains(without, text))
		}
	}
	for _, want := range []string{"5 payments of $207.06, from February 15, 2026 to June 15, 2026", "$207.05 on July 15, 2026", "12.00%", "Avery Alder, Owner, for Alder Kitchens LLC, accepts", "help@lender.example"} {
		if !strings.Contains(with, want) {
			t.Errorf("the agreement lacks %q", want)
		}
	}
	if strings.Contains(strings.ToLower(with), "counsel") {
		t.Error("it tells what is for the lender alone")
	}
}

// The same input gives the same bytes, and another order gives others.
func TestSameBytes(t *testing.T) {
	a, b := made(t, example(t, "CA")), made(t, example(t, "CA"))
	in := example(t, "CA")
	in.Order = "ord_2"
	other := made(t, in)
	if len(a) != 6 {
		t.Fatalf("%d papers", len(a))
	}
	for i := range a {
		if !bytes.Equal(a[i].Data, b[i].Data) {
			t.Errorf("%s differs", a[i].Name)
		}
		if same := bytes.Equal(a[i].Data, other[i].Data); same != (a[i].Kind == credit.DocumentMaster) {
			t.Errorf("%s of another order is the same: %v", a[i].Name, same)
		}
	}
}

// bare is a paper without its stylesheet, which the strict reader does not read.
func bare(t testing.TB, p string) []webtest.Element {
	t.Helper()
	css, err := style()
	if err != nil {
		t.Fatal(err)
	}
	p = strings.Replace(p, "<style>"+css+"</style>\n", "", 1)
	return webtest.Read(t, strings.TrimPrefix(strings.TrimSpace(p), "<!doctype html>\n"))
}

// Names are text, whatever they contain: the page has the same tags, and both formats have
// the same figures. Braces in names stay as they are.
func TestHostileNames(t *testing.T) {
	plain := example(t, "NY")
	want := made(t, plain)
	for _, name := range append(webtest.Hostile(), "{total}", "{pages}", "<style></style>", "\x01", "Ağ ☃ 東京 \x00\x1b[2J", strings.Repeat("W", 300)) {
		in := plain
		in.Lender, in.LenderAddress, in.LenderContact, in.Merchant, in.Business, in.Signer, in.Title = "L "+name, name, name, "M "+name, "B "+name, "S "+name, "T "+name
		got := made(t, in)
		for i, p := range got {
			if strings.HasPrefix(p.ContentType, "text/html") {
				all := bare(t, string(p.Data))
				webtest.CheckSafe(t, p.Name, all)
				if a, b := webtest.Skeleton(all), webtest.Skeleton(bare(t, string(want[i].Data))); name != "\x01" && a != b {
					t.Errorf("%q: %s: %s", name, p.Name, webtest.Difference(a, b))
				}
				continue
			}
			if !bytes.HasPrefix(p.Data, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(p.Data), []byte("%%EOF")) {
				t.Errorf("%q: %s is no PDF", name, p.Name)
			}
		}
		checkFigures(t, in)
	}
	in := plain
	in.Business = "Alder {total}"
	if page := string(find(made(t, in), credit.DocumentAgreement, "text/html").Data); !strings.Contains(page, "Alder {total}") {
		t.Error("a name was filled in")
	}
	if text := pdfText(t, find(made(t, in), credit.DocumentAgreement, "application/pdf").Data); !strings.Contains(text, "Alder {total}") || !strings.Contains(text, "Page 1 of 2") {
		t.Error("the PDF has another name, or no number of pages")
	}
}

// Pages have a language and one title, their tables have headers, and no word of a
// catalogue is missing or unfilled.
func TestPagesAreWhole(t *testing.T) {
	left := regexp.MustCompile(`\{[a-z]+\}|>(?:[A-Z]+\.)?[a-z]+(?:\.[a-z]+)+<`)
	for _, state := range []string{"WA", "CA", "NY", "UT"} {
		for _, in := range []Input{example(t, state), input(disclosure(t, terms(schedule.FlatFee, 3, "0.010000", state), "900.00")), input(disclosure(t, terms(schedule.Net30, 1, "", state), "900.00"))} {
			for _, p := range made(t, in) {
				if !strings.HasPrefix(p.ContentType, "text/html") {
					continue
				}
				if m := left.FindString(string(p.Data)); m != "" {
					t.Errorf("%s has %q", p.Name, m)
				}
				count := map[string]int{}
				for _, e := range bare(t, string(p.Data)) {
					count[e.Name]++
					switch {
					case e.Name == "html" && e.Attr("lang") != "en-US", e.Name == "th" && e.Attr("scope") == "", e.Has("href"), e.Has("src"):
						t.Errorf("%s: <%s> is not as it should be", p.Name, e.Name)
					}
				}
				if count["h1"] != 1 || count["main"] != 1 || count["title"] != 1 || count["table"] != count["caption"] {
					t.Errorf("%s: %v", p.Name, count)
				}
			}
		}
	}
}

// Parties that are not named do not appear.
func TestWithoutSigner(t *testing.T) {
	in := example(t, "CA")
	in.Signer, in.Title, in.LenderAddress, in.LenderContact = "", "", "", ""
	for _, p := range made(t, in) {
		if page := string(p.Data); strings.HasPrefix(p.ContentType, "text/html") && (strings.Contains(page, "<dd></dd>\n</dl>\n<p class=\"lead") || strings.Contains(page, ", ,") || strings.Contains(page, ">Accepting<")) {
			t.Errorf("%s speaks of nobody", p.Name)
		}
	}
}

func TestRefusals(t *testing.T) {
	for what, change := range map[string]func(*Input){
		"no lender": func(in *Input) { in.Lender = " \n" }, "no business": func(in *Input) { in.Business = "" }, "no merchant": func(in *Input) { in.Merchant = "" },
		"no order": func(in *Input) { in.Order = "" }, "another amount": func(in *Input) { in.Amount++ }, "no disclosure": func(in *Input) { in.Disclosure = lending.Disclosure{}; in.Amount = 0 },
		"a form that is not there": func(in *Input) { in.Disclosure.Template = "TX" }, "other words": func(in *Input) { in.Disclosure.Text = 2 },
	} {
		in := example(t, "WA")
		change(&in)
		if out, err := Make(in); !errors.Is(err, ErrInput) || out != nil {
			t.Errorf("%s: %d papers, %v", what, len(out), err)
		}
	}
	in := example(t, "WA")
	in.Language = "xx-XX"
	if _, err := Make(in); !errors.Is(err, ErrLanguage) {
		t.Error(err)
	}
	if _, err := Master(Parties{Lender: "Example Lender"}, calendar.Of(2026, 1, 15), "en-US"); !errors.Is(err, ErrInput) {
		t.Error(err)
	}
}

// A company may sign the master agreement without an order.
func TestMaster(t *testing.T) {
	in := example(t, "WA")
	alone, err := Master(in.Parties, in.On, in.Language)
	if err != nil || len(alone) != 2 {
		t.Fatal(len(alone), err)
	}
	for i, p := range made(t, in)[4:] {
		if p.Kind != credit.DocumentMaster || !bytes.Equal(p.Data, alone[i].Data) {
			t.Errorf("%s differs", p.Name)
		}
	}
	if page := string(alone[0].Data); strings.Contains(page, in.Order) || strings.Contains(page, in.Merchant) {
		t.Error("it is about one order")
	}
}

// The policy lets a browser show a paper's own look, and nothing else.
func TestPolicy(t *testing.T) {
	page := string(made(t, example(t, "WA"))[0].Data)
	_, rest, _ := strings.Cut(page, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(Policy(), want) {
		t.Errorf("%s does not let %s", Policy(), want)
	}
}

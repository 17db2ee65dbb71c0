package letter

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/statement"
	"tenor/internal/proof/webtest"
)

// Every template exists, in a language in which everything does, with a latest version.
func TestEveryTemplateRenders(t *testing.T) {
	if n := len(Templates()); n != 32 {
		t.Errorf("%d templates", n)
	}
	for _, name := range Templates() {
		if v, ok := Latest(name, language); !ok || v < 1 {
			t.Errorf("%s: version %d, %v", name, v, ok)
		}
		if v, ok := Latest(name, "xx-XX"); ok {
			t.Errorf("%s: version %d of no language", name, v)
		}
	}
	for _, x := range written() {
		for _, full := range []bool{true, false} {
			r := renderIn(t, x.lang, x.sheet, full)
			checkText(t, x.name(), r)
			if page := checkPage(t, x.name(), r); !slices.ContainsFunc(page, func(e webtest.Element) bool { return e.Name == "html" && e.Attr("lang") == x.lang }) {
				t.Errorf("%s does not say its language", x.name())
			}
		}
	}
}

// checkText checks a text against what mail programs display well.
func checkText(t *testing.T, at string, r Rendered) {
	t.Helper()
	if n := utf8.RuneCountInString(r.Subject); n == 0 || n > 78 || strings.ContainsFunc(r.Subject, unicode.IsControl) || r.Subject != strings.TrimSpace(r.Subject) {
		t.Errorf("%s: subject %q", at, r.Subject)
	}
	if strings.Contains(r.Text, "\n\n\n") || strings.HasPrefix(r.Text, "\n") || !strings.HasSuffix(r.Text, "\n") || strings.Contains(r.Text, "<no value>") {
		t.Errorf("%s:\n%s", at, r.Text)
	}
	for _, line := range strings.Split(r.Text, "\n") {
		if utf8.RuneCountInString(line) > 78 && len(strings.Fields(strings.TrimPrefix(line, "- "))) > 1 {
			t.Errorf("%s: a line of %d: %s", at, utf8.RuneCountInString(line), line)
		}
		if strings.ContainsFunc(line, unicode.IsControl) || strings.TrimRight(line, " ") != line {
			t.Errorf("%s: line %q", at, line)
		}
	}
}

// checkPage checks that a page loads nothing, does nothing and links to at most one place.
func checkPage(t *testing.T, at string, r Rendered) []webtest.Element {
	t.Helper()
	all := webtest.Read(t, r.HTML)
	links := 0
	for _, e := range all {
		if !slices.Contains(strings.Fields("html head meta title style body main h1 h2 p ul li table tr th td a div"), e.Name) {
			t.Errorf("%s: has <%s>", at, e.Name)
		}
		for _, a := range e.Attrs {
			if !slices.Contains(strings.Fields("lang charset name content class href scope"), a[0]) {
				t.Errorf("%s: <%s> has the attribute %s", at, e.Name, a[0])
			}
		}
		switch e.Name {
		case "a":
			links++
			if !strings.Contains(r.Text, "\n"+e.Attr("href")+"\n") || !slices.ContainsFunc(all, func(p webtest.Element) bool { return p.Name == "p" && p.Text == e.Attr("href") }) {
				t.Errorf("%s: the address %s is not there to be read", at, e.Attr("href"))
			}
		case "style":
			if strings.ContainsAny(e.Text, "@<") || strings.Contains(e.Text, "url(") {
				t.Errorf("%s: the style loads something", at)
			}
		}
	}
	if links > 1 || strings.Contains(r.HTML, "ZgotmplZ") {
		t.Errorf("%s: %d links\n%s", at, links, r.HTML)
	}
	return all
}

// Each member is shown, in text and in HTML, and both contain the same words.
func TestTextAndPageSayTheSame(t *testing.T) {
	for _, x := range written() {
		for _, full := range []bool{true, false} {
			r := renderIn(t, x.lang, x.sheet, full)
			var page []string
			for _, e := range webtest.Read(t, r.HTML) {
				if e.Name != "style" && e.Name != "title" {
					page = append(page, e.Text)
				}
			}
			inPage, inText := words(strings.Join(page, " ")), words(r.Subject+" "+r.Text)
			if !slices.Equal(inPage, inText) {
				t.Errorf("%s: the page says\n%q\nthe text\n%q", x.name(), inPage, inText)
			}
		}
		r := renderIn(t, x.lang, x.sheet, true)
		for name, value := range sample(t, x.template, x.version, true) {
			list, _ := value.([]string)
			if text, ok := value.(string); ok {
				list = []string{text}
			}
			for _, text := range list {
				if flat := strings.Join(strings.Fields(r.Subject+" "+r.Text), " "); !strings.Contains(flat, text) {
					t.Errorf("%s does not show its member %s: %q", x.name(), name, text)
				}
			}
		}
	}
}

// words returns the words of a text, without the characters that only text needs.
func words(text string) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		if word = strings.TrimSuffix(word, ":"); word != "-" {
			out = append(out, word)
		}
	}
	return out
}

// hostile returns texts with a meaning for whatever displays or transports a mail.
func hostile() []string {
	return append(webtest.Hostile(), "x\r\nBcc: eve@evil.example", "x\n\n.\nMAIL FROM:<a@b.example>", "a\x00b\x1b[31mc\x07", "\u202etxet\u2066 a\u200bb\ufeff", "x\u2028y\u2029z", "bad \xff\xfe bytes", "Subject: other", "- not an item")
}

// Members create no tags, no lines and no headers: hostile values give the same page and as
// many paragraphs as harmless ones.
func TestNothingEscapes(t *testing.T) {
	for _, x := range sheets {
		harmless := webtest.Skeleton(checkPage(t, string(x.template), render(t, x, true)))
		for _, f := range x.fields() {
			for _, text := range hostile() {
				at := fmt.Sprintf("%s, %s %q", x.template, f.Name, text)
				data := sample(t, x.template, x.version, true)
				if list, ok := data[f.Name].([]string); ok {
					list = slices.Clone(list)
					list[0] = text
					data[f.Name] = list
				} else {
					data[f.Name] = text
				}
				r, err := Render(x.template, x.version, language, data)
				if f.Kind == Digits || f.Kind == Email || f.Kind == Link {
					if err == nil {
						t.Errorf("%s is shown", at)
					} else if strings.Contains(err.Error(), text) {
						t.Errorf("the error repeats %s", at)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", at, err)
					continue
				}
				checkText(t, at, r)
				page := checkPage(t, at, r)
				if got := webtest.Skeleton(page); got != harmless {
					t.Errorf("%s: %s", at, webtest.Difference(got, harmless))
				}
			}
		}
	}
}

// FuzzRender puts texts into a letter that shows strangers' names.
func FuzzRender(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text, text)
	}
	x, _ := house().sheet(OwnerNeeded, 1)
	harmless := webtest.Skeleton(webtest.Read(f, render(f, x, true).HTML))
	f.Fuzz(func(t *testing.T, person, amount string) {
		data := sample(t, OwnerNeeded, 1, true)
		data["person"], data["amount"] = person, amount
		r, err := Render(OwnerNeeded, 1, language, data)
		if err != nil {
			if clean(person) != "" && clean(amount) != "" {
				t.Fatal(err)
			}
			return
		}
		checkText(t, "fuzz", r)
		if got := webtest.Skeleton(checkPage(t, "fuzz", r)); got != harmless {
			t.Error(webtest.Difference(got, harmless))
		}
	})
}

// Data must match the sheet.
func TestDataErrors(t *testing.T) {
	for _, c := range []struct {
		template Template
		set      Data // nil removes a member
		want     string
	}{
		{Code, Data{"code": nil}, `member "code" is missing`},
		{Code, Data{"code": ""}, `member "code" is missing`},
		{Code, Data{"code": "12345"}, "six digits"},
		{Code, Data{"code": "12345x"}, "six digits"},
		{Code, Data{"code": "１２３４５６"}, "six digits"},
		{Code, Data{"code": 123456}, "not a string"},
		{Code, Data{"lender": " \r\n\u202e"}, `member "lender" is missing`},
		{Code, Data{"link": "https://x.example"}, `unknown member "link"`},
		{Code, Data{"subject": "x"}, `unknown member "subject"`},
		{SignInLink, Data{"link": "javascript:alert(1)"}, "not an http or https URL"},
		{SignInLink, Data{"link": "/c/x"}, "not an http or https URL"},
		{SignInLink, Data{"link": "https://"}, "not an http or https URL"},
		{SignInLink, Data{"link": "https://user:password@x.example"}, "not an http or https URL"},
		{SignInLink, Data{"link": "https://x.example/\u202e"}, "not an http or https URL"},
		{SignInLink, Data{"link": "https://x.example/ y"}, "not an http or https URL"},
		{SignInLink, Data{"link": "https://x.example/" + strings.Repeat("y", 2048)}, "not an http or https URL"},
		{EmailChanged, Data{"was": "nobody"}, "not an e-mail address"},
		{EmailChanged, Data{"was": "a@b.example>, <c@d.example"}, "not an e-mail address"},
		{Declined, Data{"reasons": nil}, `member "reasons" is missing`},
		{Declined, Data{"reasons": []string{}}, `member "reasons" is missing`},
		{Declined, Data{"reasons": []string{"1", "2", "3", "4", "5"}}, "5 lines, more than 4"},
		{Declined, Data{"reasons": []string{"1", "\u200b"}}, "a line is empty"},
		{Declined, Data{"reasons": "credit_score"}, "not a list"},
		{Declined, Data{"reasons": []any{"1", 2}}, "not a string"},
		{Declined, Data{"agency_address": nil}, `member "agency_address" is missing`},
		{Declined, Data{"bureau_contact": nil}, `member "bureau_contact" is missing`},
		{Declined, Data{"score_range": nil}, `member "score_range" is missing`},
		{Declined, Data{"bureau": nil, "bureau_address": nil, "bureau_phone": nil, "owner": nil}, `is missing`}, // a score without its report
		{AgreementCopy, Data{"apr": nil}, `member "apr" is missing`},
	} {
		data := sample(t, c.template, 1, true)
		for name, value := range c.set {
			if data[name] = value; value == nil {
				delete(data, name)
			}
		}
		if r, err := Render(c.template, 1, language, data); err == nil || !strings.Contains(err.Error(), c.want) || r != (Rendered{}) {
			t.Errorf("%s with %v: %v, not %q", c.template, c.set, err, c.want)
		}
	}
	for _, bad := range []struct {
		t       Template
		version int
		lang    string
	}{{"nothing", 1, language}, {Code, 0, language}, {Code, 99, language}, {Code, 1, "en"}, {Code, 1, ""}, {Code, 1, "../texts/en-US"}} {
		if _, err := Render(bad.t, bad.version, bad.lang, sample(t, Code, 1, true)); err == nil || !strings.Contains(err.Error(), "unknown template") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// Data stored as JSON gives the same letter.
func TestDataFromJSON(t *testing.T) {
	x, _ := house().sheet(Declined, 1)
	kept, err := json.Marshal(sample(t, Declined, 1, true))
	if err != nil {
		t.Fatal(err)
	}
	var data Data
	if err := json.Unmarshal(kept, &data); err != nil {
		t.Fatal(err)
	}
	if r, err := Render(Declined, 1, language, data); err != nil || r != render(t, x, true) {
		t.Errorf("%v: %s", err, r.Text)
	}
}

// A new version changes nothing about the previous one, and is the latest where it exists.
func TestVersions(t *testing.T) {
	files := fstest.MapFS{}
	for _, lang := range []string{language, "es-US"} {
		for _, name := range []string{"frame.txt", "frame.html", "code.1.txt", "code.1.html"} {
			text, err := fs.ReadFile(texts, "texts/"+language+"/"+name)
			if err != nil {
				t.Fatal(err)
			}
			files["texts/"+lang+"/"+name] = &fstest.MapFile{Data: text}
		}
	}
	files["texts/en-US/code.2.txt"] = &fstest.MapFile{Data: []byte("Subject: New\n\n{{.code}} {{.hint}}\n")}
	files["texts/en-US/code.2.html"] = &fstest.MapFile{Data: []byte("<p>{{.code}} {{.hint}}</p>")}
	two := shelf{files, append(slices.Clone(sheets), sheet{Code, 2, "code=digits hint"})}
	if v, ok := two.latest(Code, language); v != 2 || !ok {
		t.Errorf("latest %d, %v", v, ok)
	}
	if v, ok := two.latest(Code, "es-US"); v != 1 || !ok {
		t.Errorf("latest in Spanish %d, %v", v, ok)
	}
	data := sample(t, Code, 1, true)
	old, err := two.render(Code, 1, language, data)
	x, _ := house().sheet(Code, 1)
	if err != nil || old != render(t, x, true) {
		t.Errorf("the old version: %v\n%s", err, old.Text)
	}
	if _, err := two.render(Code, 1, language, Data{"code": "123456", "lender": "L", "hint": "h"}); err == nil {
		t.Error("the old version takes the new one's members")
	}
	if r, err := two.render(Code, 2, language, Data{"code": "123456", "lender": "L", "hint": "<h>"}); err != nil || r != (Rendered{"New", "123456 <h>\n", "<p>123456 &lt;h&gt;</p>"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// Each file belongs to a version, which has both; and a sheet has no duplicates.
func TestFilesAndSheets(t *testing.T) {
	want := map[string]bool{}
	for _, x := range sheets {
		for _, kind := range []string{"txt", "html"} {
			want[file(language, x.template, x.version, kind)] = true
		}
		seen := map[string]bool{"subject": true}
		for _, f := range x.fields() {
			if seen[f.Name] || f.Optional && f.Group != "" {
				t.Errorf("%s: member %+v", x.template, f)
			}
			seen[f.Name] = true
			if !slices.Contains([]Kind{Text, Name, Email, Link, Digits, List, Reasons, Factors}, f.Kind) {
				t.Errorf("%s: member %+v", x.template, f)
			}
		}
	}
	for _, x := range sheets { // the latest, and earlier ones that exist
		if version, _ := Latest(x.template, language); !slices.Contains(notices(), x.template) && (x.version == version || house().has(spanish, x)) {
			want[file(spanish, x.template, x.version, "txt")], want[file(spanish, x.template, x.version, "html")] = true, true
		}
	}
	for _, lang := range []string{language, spanish} {
		want["texts/"+lang+"/frame.txt"], want["texts/"+lang+"/frame.html"], want["texts/"+lang+"/words.json"] = true, true, true
	}
	have := map[string]bool{}
	if err := fs.WalkDir(texts, "texts", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have[path] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(have, want) {
		t.Errorf("files %q, sheets %q", slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
	if f, _ := Fields(Declined, 1); !slices.Contains(f, Field{"score_factors", Factors, false, "report.score"}) || !slices.Contains(f, Field{"contact", Text, true, ""}) || !slices.Contains(f, Field{"business", Name, false, ""}) {
		t.Errorf("fields %+v", f)
	}
	if f, ok := Fields(Code, 99); ok {
		t.Errorf("version 99: %+v", f)
	}
}

// notices returns the legally required ones. They exist only in the usual language.
func notices() []Template {
	return []Template{CounterOffer, Declined, NotPrequalified, ReportUsed, DocumentsWanted}
}

// A letter is written in the requested language, a notice in the usual one.
func TestIn(t *testing.T) {
	for _, c := range []struct {
		template Template
		version  int
		wish     string
		want     string
	}{
		{Code, 1, "es-US", "es-US"}, {Code, 1, "en-US", "en-US"}, {Code, 1, "", "en-US"}, {Code, 1, "fr-FR", "en-US"}, {Code, 9, "es-US", "en-US"},
		{Declined, 1, "es-US", "en-US"}, {Invitation, 1, "es-US", "en-US"}, {Invitation, 2, "es-US", "es-US"},
	} {
		if got := In(c.template, c.version, c.wish); got != c.want {
			t.Errorf("%s.%d for %q is written in %s", c.template, c.version, c.wish, got)
		}
	}
}

// The adverse-action notice has the legal wording of the lender's other notices (12 CFR
// 1002.9(b)(1)).
func TestEqualCreditWords(t *testing.T) {
	values := samples()
	n := &credit.Notice{Kind: credit.NoticeClosure}
	paper, err := statement.NoticePaper(n, n, &credit.Company{}, credit.NoticeLender{
		Text: 1, Creditor: credit.Party{Name: "C", Address: "A"},
		Regulator: credit.Party{Name: values["agency"].(string), Address: values["agency_address"].(string)},
	}, calendar.Of(2026, 3, 4))
	if err != nil {
		t.Fatal(err)
	}
	law := paper.Notes[len(paper.Notes)-1]
	for _, name := range []Template{Declined, CounterOffer, NotPrequalified} {
		x, _ := house().sheet(name, 1)
		if got := strings.Join(strings.Fields(render(t, x, false).Text), " "); !strings.Contains(got, law) || len(law) < 500 {
			t.Errorf("%s lacks %q", name, law)
		}
	}
}

func TestWrapped(t *testing.T) {
	long := strings.Repeat("word ", 20) + strings.Repeat("x", 90) + " end"
	got := wrapped("\n\n" + long + "\n\n\n\n- " + long + "\n    048213\n")
	want := strings.TrimSpace(strings.Repeat("word ", 15)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 5)) + "\n" + strings.Repeat("x", 90) + "\nend\n\n" +
		"- " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n  " + strings.TrimSpace(strings.Repeat("word ", 5)) + "\n  " + strings.Repeat("x", 90) + "\n  end\n    048213\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"  two\twords \r\n": "two words", "a\u202eb\u200bc\u00add": "abcd", "x\u2028y": "x y", "\xff": "\ufffd", "می\u200cخواهم": "می\u200cخواهم", "Ünï 👩\u200d💻": "Ünï 👩\u200d💻", "a\x00b": "a b",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	x, _ := house().sheet(Invitation, 1)
	data := sample(t, Invitation, 1, true)
	data["person"] = strings.Repeat("Ä", 1000)
	r, err := Render(x.template, x.version, language, data)
	if err != nil || utf8.RuneCountInString(r.Subject) != 78 || !strings.HasSuffix(r.Subject, "…") || strings.Count(r.Text, "Ä") > 3*120 {
		t.Errorf("%v: %q", err, r.Subject)
	}
}

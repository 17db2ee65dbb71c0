package letter

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the letters of testdata anew, to be read like code; what sums.txt has stays as it is")

// language is one in which every template exists.
const language = Usual

// spanish is one in which all templates exist except legal notices, whose translation
// nobody has approved, and versions that are no longer written.
const spanish = "es-US"

// samples are values for all members by name, as the owner of Elm Street Dental might read
// them.
func samples() map[string]any {
	return map[string]any{
		"lender": "Tenor Lending", "contact": "help@lender.example, +1 555 010 0199", "merchant": "Harbor Supply", "business": "Elm Street Dental LLC",
		"code": "048213", "link": "https://pay.lender.example/c/bcdfghjk?step=5&lang=en-US", "person": "Ana Flores",
		"limit": "$4,800.00", "requested": "$10,000.00", "accept_by": "May 31, 2026", "applied": "Mar 2, 2026", "decided": "Mar 4, 2026", "action": "Credit was declined",
		"reasons":  []string{"Credit score of the owner or guarantor", "Annual revenue insufficient for the credit", "Length of time in business", "Insufficient average bank balance"},
		"creditor": "Tenor Lending, Inc.", "creditor_address": "100 Main Street, Dover, DE 19901",
		"agency": "Federal Trade Commission", "agency_address": "Equal Credit Opportunity, Washington, DC 20580",
		"owner": "Ana Flores", "bureau": "Sandbox Credit Bureau", "bureau_contact": "200 Bureau Street, Wilmington, DE 19801, +1 800 555 0100",
		"score": "655", "score_date": "Mar 2, 2026", "score_range": "from 300 to 850",
		"score_factors": []string{"Proportion of balances to credit limits is too high", "Time since accounts were opened is too short"},
		"wanted":        []string{"Articles of organization", "The last three statements of the bank account"},
		"by":            "5 pm Eastern on Mar 3, 2026", "due": "Mar 17, 2026", "date": "Mar 12, 2026", "until": "Mar 11, 2026", "since": "Mar 1, 2026",
		"amount": "$1,200.00", "order": "A-1001", "installment": "2 of 6", "account": "6789", "items": []string{"Order A-1001, installment 2 of 6: $207.06", "Order A-1002, installment 1 of 3: $992.94"},
		"agreement": "Financing agreement of order A-1001", "accepted": "Mar 4, 2026 at 10:15 am Eastern",
		"funded": "$1,200.00", "finance_charge": "$42.35", "apr": "12.00%", "total": "$1,242.35", "payments": "5 monthly payments of $207.06, and a last one of $207.05", "first_due": "Apr 4, 2026",
		"role": "accept orders up to $5,000.00", "fee": "$25.00", "fees": "$15.00", "method": "check", "outstanding": "$828.23", "available": "$3,971.77",
		"reason": "Insufficient funds", "next": "Mar 17, 2026", "from": "Feb 1, 2026", "to": "Feb 28, 2026", "balance": "$1,035.29",
		"was": "1122", "debited": "Mar 18, 2026", "becomes": "6789", "changed_by": "Ben Ortiz",
		"captured": "Mar 9, 2026", "disclosed": "Mar 4, 2026",
		"kind": "dispute", "case": "case_01KAG7N5B3D1F9H7K5M3P1R9T7", "about": "order A-1001", "outcome": "Decided in your favor",
	}
}

// sample is data for a template: everything it can take, or only what is required.
func sample(t testing.TB, name Template, version int, full bool) Data {
	t.Helper()
	fields, ok := Fields(name, version)
	if !ok {
		t.Fatalf("%s has no version %d", name, version)
	}
	data, values := Data{}, samples()
	for _, f := range fields {
		value, known := values[f.Name]
		switch {
		case !known:
			t.Fatalf("%s: there is no sample of %s", name, f.Name)
		case f.Kind == Email:
			value = map[string]string{"was": "ana@elm.example", "becomes": "ana.flores@elmstreetdental.example"}[f.Name]
		case !full && (f.Optional || f.Group != ""):
			continue
		}
		data[f.Name] = value
	}
	return data
}

// render renders a sample.
func render(t testing.TB, x sheet, full bool) Rendered { return renderIn(t, language, x, full) }

func renderIn(t testing.TB, lang string, x sheet, full bool) Rendered {
	t.Helper()
	r, err := Render(x.template, x.version, lang, sample(t, x.template, x.version, full))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// letterIn is a version in a language.
type letterIn struct {
	sheet
	lang string
}

// name is its name in sums.txt: without a language for the usual one.
func (x letterIn) name() string {
	name := fmt.Sprintf("%s.%d", x.template, x.version)
	if x.lang == language {
		return name
	}
	return x.lang + "/" + name
}

// written returns all versions in all languages.
func written() (all []letterIn) {
	for _, lang := range []string{language, spanish} {
		for _, x := range sheets {
			if house().has(lang, x) {
				all = append(all, letterIn{x, lang})
			}
		}
	}
	return all
}

// The letters in testdata are meant to be read. Those in sums.txt have been sent, and never
// change: not even -rewrite changes them.
func TestGolden(t *testing.T) {
	sums := readSums(t)
	for _, x := range written() {
		name := x.name()
		all, least := renderIn(t, x.lang, x.sheet, true), renderIn(t, x.lang, x.sheet, false)
		files := map[string]string{
			name + ".txt":       "Subject: " + all.Subject + "\n\n" + all.Text,
			name + ".html":      all.HTML,
			name + ".least.txt": "Subject: " + least.Subject + "\n\n" + least.Text,
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{all.Subject, all.Text, all.HTML, least.Subject, least.Text, least.HTML}, "\x00")))
		got := hex.EncodeToString(sum[:])
		if kept, sent := sums[name]; sent && kept != got {
			t.Errorf("%s says something else than what was sent. Make another version of it, and leave this one, and the frame that it uses, as they were.\nIf no release has had this version, take its line out of testdata/sums.txt.", name)
			continue
		} else if *rewrite {
			sums[name] = got
		} else if !sent {
			t.Errorf("%s is not in testdata/sums.txt: write it with -rewrite", name)
		}
		for file, text := range files {
			file = filepath.Join("testdata", file)
			if x.lang == language {
				file = filepath.Join("testdata", language, filepath.Base(file))
			}
			if *rewrite {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || string(want) != text {
				t.Errorf("%s: %v, it is\n%s", file, err, text)
			}
		}
	}
	if *rewrite {
		writeSums(t, sums)
	}
	for name := range sums {
		if !slices.ContainsFunc(written(), func(x letterIn) bool { return x.name() == name }) {
			t.Errorf("%s was sent and is gone", name)
		}
	}
}

const sumsFile = "testdata/sums.txt"

func readSums(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(sumsFile)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			sums[name] = sum
		}
	}
	return sums
}

func writeSums(t *testing.T, sums map[string]string) {
	t.Helper()
	var b bytes.Buffer
	for _, x := range written() {
		fmt.Fprintf(&b, "%s %s\n", x.name(), sums[x.name()])
	}
	if err := os.WriteFile(sumsFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

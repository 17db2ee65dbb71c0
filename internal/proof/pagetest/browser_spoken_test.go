package pagetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/proof/browsertest"
)

var rewriteSpoken = flag.Bool("rewrite-spoken", false, "write anew what a screen reader is told of the pages")

// speech collects what a screen reader announces for pages, one after the other.
type speech struct {
	*patron
	text strings.Builder
}

func (s *speech) hears(path, name string) {
	s.t.Helper()
	s.Await(path)
	s.text.WriteString("== " + name + "\n" + strings.Join(s.Spoken(), "\n") + "\n\n")
}

// What a screen reader announces for each page of a checkout, and for the account's first page,
// is as reviewed and approved: role, name, state and description, in order. The walkthrough in
// docs/accessibility.md compares with the same file.
func TestSpokenInABrowser(t *testing.T) {
	t.Parallel()
	b, c := browsertest.Start(t), openShop(t)
	s := &speech{patron: visits(t, b, c, browsertest.View{})}
	x := c.sell(t, "ana@ruiz.example", 1200, nil)
	s.Go(x.url)
	s.hears("/c/", "0 start")
	s.Press("Continue")
	s.hears("/email", "1 e-mail")
	s.Press("Send the code")
	s.Put("code", "111111")
	s.Press("Continue")
	s.hears("/code", "1 code, wrong")
	s.Put("code", "000000")
	s.Press("Continue")
	s.Await("/business")
	s.Press("Continue")
	s.hears("/business", "2 business, without answers")
	s.Put("ein", "84-3190799", "revenue", "480,000", "formed", "3/2019")
	s.Press("Continue")
	s.hears("/you", "3 you")
	s.Put("first_name", "Ana", "last_name", "Ruiz", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209",
		"may_apply", "yes", "credit_check", "yes", "electronic", "yes")
	s.Press("Apply")
	s.hears("/decision", "4 decision")
	s.Press("Choose how to repay")
	s.hears("/terms", "5 terms")
	s.Put("plan", "6")
	s.Press("Continue")
	s.hears("/repay", "6 repay")
	s.Press("Continue")
	s.hears("/accept", "7 accept")
	s.Press("Accept and place order")
	s.hears("/accept", "7 accept, without answers")
	s.enters(c.sell(t, ready("02"), 200, fields{"mode": "link", "return_url": nil}).url).agrees().Press("Accept and place order")
	s.hears("/done", "8 done")
	s.Go(c.sell(t, "other@ruiz.example", 1200, nil).url + "/help")
	s.hears("/help", "help")
	s.signsIn(ready("01"))
	s.hears("/account", "account")
	golden(t, filepath.Join("testdata", "spoken.txt"), s.text.String())
}

// golden compares a text with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *rewriteSpoken {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(kept), "\n")
	page := ""
	for i, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "== ") {
			page = line[3:]
		}
		if i >= len(want) || want[i] != line {
			t.Fatalf("%s: line %d is %q and was %q; read it, and write the file anew with -rewrite-spoken", page, i+1, line, append(want, make([]string, i+1)...)[i])
		}
	}
}

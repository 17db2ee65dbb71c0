package main

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/seal"
	"tenor/internal/office/buyer"
	"tenor/internal/proof/smtptest"
)

// doctor calls the mail server named in the deployment's file, and gives advice if there is none.
func TestDoctorAsksTheMailServer(t *testing.T) {
	dir := t.TempDir()
	if err := openTestNode(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	server := smtptest.Start(t, smtptest.Options{Security: smtptest.Plain})
	with := railsIn(t, `{"mail":{"url":"`+server.URL()+`","from":"Lender <credit@lender.example>"}}`)
	statusOf(t, examine(t, exit.Done, "--data", dir, "--rails", with), "mail=ok")
	server.Fail(smtptest.Fault{At: smtptest.Hello, Times: 9, Code: 554, Text: "no"})
	statusOf(t, examine(t, exit.CheckFailed, "--data", dir, "--rails", with), "mail=failed")
	found := examine(t, exit.Done, "--data", dir)
	if statusOf(t, found, "mail=warning"); !strings.Contains(found["mail"].Text, "checkouts") {
		t.Errorf("%+v", found["mail"])
	}
}

// Invalid entries for mail and vendors are refused, and no secret is revealed.
func TestDeskParts(t *testing.T) {
	for _, c := range []struct{ text, wrong string }{
		{`{"mail":{"url":"http://mail.example","from":"a@b.example"}}`, "mail"},
		{`{"mail":{"url":"smtps://u@mail.example","password_file":"gone.key","from":"a@b.example"}}`, "mail"},
		{`{"underwriting":{"credit_bureau":{"url":"http://bureau.example","secret_file":"card.key"}}}`, "underwriting"},
		{`{"underwriting":{"credit_bureau":{"url":"https://bureau.example","secret_file":"gone.key"}}}`, "underwriting"},
	} {
		_, err := node.RailFlags{Rails: railsIn(t, c.text)}.Carriers(slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "sk_test") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// A live deployment without vendors queries none, and one answered by a sandbox's adapter would
// not start.
func TestLiveAsksNoSandbox(t *testing.T) {
	n := openTestNode(t, t.TempDir())
	defer n.Close()
	d, err := n.NewDesk("https://pay.lender.example/", n.Now, node.QuietLog(io.Discard))
	if err != nil || d.Sandbox || d.Facts.Bureau != nil || d.Base != "https://pay.lender.example" {
		t.Errorf("desk %+v: %v", d, err)
	}
	n.Facts.Sandbox = true
	if _, err := n.NewDesk("https://pay.lender.example", n.Now, node.QuietLog(io.Discard)); err == nil {
		t.Error("a live deployment starts with a sandbox's answers")
	}
}

// The limits on codes given to serve apply to the buyer's pages; without them, the pages use
// their defaults. The environment can set them as well.
func TestLimitsOfCodes(t *testing.T) {
	ring, err := seal.New(seal.Derive([]byte("the key of this test alone"), "codes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		env  string
		line []string
		want buyer.CodeLimits
	}{
		{"", nil, buyer.DefaultCodes()},
		{"", []string{"--codes", "3", "--network-codes", "300"}, buyer.CodeLimits{Pair: 3, Network: 300}},
		{"4", nil, buyer.CodeLimits{Pair: 4, Network: buyer.DefaultCodes().Network}},
		{"4", []string{"--codes=2"}, buyer.CodeLimits{Pair: 2, Network: buyer.DefaultCodes().Network}},
	} {
		if x.env != "" {
			t.Setenv("TENOR_CODES", x.env)
		}
		var grammar cli.Grammar
		parser, err := kong.New(&grammar, kong.Name("tenor"), cli.Vars(), kong.NoDefaultHelp())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(append([]string{"serve", "--data", t.TempDir()}, x.line...)); err != nil {
			t.Fatal(err)
		}
		if got := grammar.Serve.CodeLimits(); got != x.want {
			t.Errorf("TENOR_CODES=%s serve %v: %+v, want %+v", x.env, x.line, got, x.want)
		}
		n := &node.Node{Codes: grammar.Serve.CodeLimits(), Mode: node.Live, Ring: &ring}
		if d, err := n.NewDesk("https://pay.example", nil, nil); err != nil || d.Codes != x.want {
			t.Errorf("serve %v: the pages go by %+v, %v", x.line, d.Codes, err)
		}
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/terminal"
)

// For each kind of alarm, people are told the command that ends it or that shows what to decide,
// and the parser accepts it. Only for the kinds named here no command exists. The details are
// those that alarm.TestStories expects.
func TestAlarmCommands(t *testing.T) {
	none := "file_unsent file_unanswered return_rate mail_failed" // a mail's alarm says what the mail was about
	for _, kind := range terminal.FixedWords("alarm-kind") {
		command := operate.AlarmCommand(&client.Alarm{Kind: kind.Word, Subject: "1000000001"})
		if without := strings.Contains(none, kind.Word); without != (command == "") {
			t.Errorf("%s has the command %q", kind.Word, command)
		}
		if command != "" {
			takes(t, kind.Word, strings.NewReplacer(" ID", " 1000000002", " AMOUNT", " 60000.00").Replace(command))
		}
	}
	for _, x := range []struct{ kind, detail, want string }{
		{"mail_failed", "A mail (application_declined) about app_01KAG7N5B3D1F9H7K5M3P1R9T7 could not be delivered: 550 5.1.1.", "applications show app_01KAG7N5B3D1F9H7K5M3P1R9T7"},
		{"mail_failed", "A mail (checkout_link) about chk_01KAG7N5B3D1F9H7K5M3P1R9T7 could not be delivered: 550 5.1.1.", "checkouts show chk_01KAG7N5B3D1F9H7K5M3P1R9T7"},
		{"autopay_paused", "Debits of company 7 came back (R10), and its autopay is paused.", "companies autopay 7 --on --method ACCOUNT"},
		{"autopay_paused", "A debit of company 7 came back (R10); its autopay is off, and stays paused if somebody else turns it on.", "companies autopay 7 --off"},
		{"collection_stopped", "Autopay has stopped collecting 1 installment and 1 fee of the order of company 7.", "orders resume 7"},
		{"collection_stopped", "Autopay has stopped collecting 2 fees of the order of company 7.", "payments schedule 7"},
	} {
		if got := operate.AlarmCommand(&client.Alarm{Kind: x.kind, Subject: "7", Detail: x.detail}); got != x.want {
			t.Errorf("%s: %q, want %q", x.detail, got, x.want)
		}
		takes(t, x.kind, x.want)
	}
	const notice = "applications notice app_7 --format pdf -o app_7.pdf"
	if got := operate.AlarmCommand(&client.Alarm{Kind: "notice_due", Subject: "app_7", Next: "Post the owner's notice to their home, and record it."}); got != "applications notice app_7 --owner --format pdf -o app_7-owner.pdf" {
		t.Errorf("the owner's is printed by %q", got)
	}
	if got := operate.AlarmCommand(&client.Alarm{Kind: "notice_due", Subject: "app_7"}); got != notice {
		t.Errorf("the notice of an application: %q", got)
	}
	takes(t, "notice_due", notice)
}

// takes checks that the parser accepts a line, except for the files and IDs that the reader has
// to fill in.
func takes(t *testing.T, name, line string) {
	t.Helper()
	words := wordsOf(t, line)
	parser, err := kong.New(cli.PartFor(words), kong.Name("tenor"), cli.Vars(), kong.NoDefaultHelp(), kong.Bind(&terminal.App{}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(words)
	if err != nil && !strings.Contains(err.Error(), "no such file") && !strings.Contains(err.Error(), "is not a ") && !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("%s: %s: %v", name, line, err)
	}
}

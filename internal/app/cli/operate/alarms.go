package operate

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/office/alarm"
)

// AlarmsCommand is the command "alarms".
type AlarmsCommand struct {
	terminal.Remote
	Kind  terminal.WordFlag `placeholder:"KIND" help:"Only alarms of this kind, such as screening_open." complete:"alarm-kind"`
	Check bool              `help:"Exit with code 8 if there are any alarms, for monitoring."`
}

func (AlarmsCommand) Examples() []string {
	return []string{"alarms", "alarms --kind screening_open", "alarms --check -q"}
}

func (c *AlarmsCommand) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListAlarms(ctx, string(c.Kind), client.Record(&raw))
	if err != nil {
		return err
	}
	if c.JSON || c.Plain || c.Quiet || len(p.Data) == 0 {
		err = alarmNoun().PrintPage(a, c.Output, raw, p)
	} else {
		showAlarms(a, p.Data)
	}
	if err != nil || !c.Check || len(p.Data) == 0 {
		return err
	}
	return &exit.Failure{Code: exit.CheckFailed, Told: true}
}

func alarmNoun() terminal.Noun[client.Alarm] {
	return terminal.Noun[client.Alarm]{
		Head: []string{"KIND", "SUBJECT", "SINCE", "DUE", "DETAIL", "NEXT"},
		Row: func(x *client.Alarm) []any {
			return []any{x.Kind, x.Subject, terminal.Maybe(x.Since), terminal.Maybe(x.Due), x.Detail, x.Next}
		},
		Key: func(x *client.Alarm) string { return x.Subject },
	}
}

// showAlarms explains each alarm and what to do, with the command if there is one.
func showAlarms(a *terminal.App, list []client.Alarm) {
	for i, x := range list {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		head := []string{x.Kind, x.Subject}
		if x.Since != "" {
			head = append(head, "since "+x.Since)
		}
		if x.Due != "" {
			head = append(head, "due "+x.Due)
		}
		fmt.Fprintf(a.Out, "%s\n  %s\n  %s\n", terminal.Clean(strings.Join(head, "  ")), terminal.Clean(x.Detail), terminal.Clean(x.Next))
		if command := AlarmCommand(&x); command != "" {
			fmt.Fprintf(a.Out, "    %s %s\n", a.Program, terminal.Clean(command))
		}
	}
}

// AlarmCommand returns the command that ends an alarm, or that shows what to decide.
func AlarmCommand(x *client.Alarm) string {
	switch x.Kind {
	case "notice_due", "notice_overdue":
		return noticeCommand(x)
	case "screening_open", "screening_report":
		return "screenings get " + x.Subject
	case "late_return", "card_dispute", "bank_notice":
		return "ledger review " + x.Subject + " --note TEXT"
	case "account_missing":
		return "merchants account set " + x.Subject + " --routing NUMBER --account-file FILE --holder NAME --reason TEXT"
	case "clawback_unpaid":
		return "merchants account set " + x.Subject + " --routing NUMBER --account-file FILE --holder NAME --debits --reason TEXT"
	case "account_change":
		if strings.Contains(x.Next, "another client of the lender confirms") {
			return "merchants account confirm " + x.Subject + " --reason TEXT"
		}
		return "merchants account cancel " + x.Subject + " --reason TEXT"
	case "reported_payment_withdrawn":
		return "merchants get " + x.Subject
	case "account_at_several_companies":
		return "companies vouch-method COMPANY " + x.Subject + " --reason TEXT"
	case "merchant_debits", "payouts_held":
		return "payouts release " + x.Subject + " --reason TEXT"
	case "payouts_limited":
		return "merchants limits " + x.Subject + " --exposure AMOUNT --reason TEXT"
	case "application_review":
		return "applications show " + x.Subject
	case "case_overdue":
		return "cases show " + x.Subject
	case "mail_failed":
		return aboutCommand(x.Detail)
	case "receipt_unidentified":
		return "receipts identify " + x.Subject + " --company ID --reason TEXT"
	case "refund_owed":
		return "payments pay-refund " + x.Subject + " REFUND --method ACCOUNT --reason TEXT"
	case "credit_waiting":
		return "companies send-credit " + x.Subject + " --method ACCOUNT --reason TEXT"
	case "company_suspended":
		return "companies get " + x.Subject
	case "cards_stopped":
		return "companies release " + x.Subject + " --reason TEXT"
	case "autopay_paused":
		if strings.Contains(x.Detail, "its autopay is off") { // turning it off again ends the alarm
			return "companies autopay " + x.Subject + " --off"
		}
		return "companies autopay " + x.Subject + " --on --method ACCOUNT"
	case "collection_stopped":
		if !strings.Contains(x.Detail, "installment") { // fees alone are not resumed
			return "payments schedule " + x.Subject
		}
		return "orders resume " + x.Subject
	case "charge_off_proposed":
		return "orders charge-off " + x.Subject + " --reason TEXT"
	}
	return ""
}

// noticeCommand prints a notice that is due.
func noticeCommand(x *client.Alarm) string {
	what, owner, file := "notices get ", "", x.Subject
	if strings.HasPrefix(x.Subject, "app_") {
		what = "applications notice "
		if strings.Contains(x.Next, alarm.OwnerLetter) {
			owner, file = " --owner", x.Subject+"-owner"
		}
	}
	return what + x.Subject + owner + " --format pdf -o " + file + ".pdf"
}

// aboutCommand shows what a mail was about, "" if the alarm names nothing that can be shown.
func aboutCommand(detail string) string {
	for _, word := range strings.Fields(detail) {
		word = strings.TrimRight(word, ".:,")
		for prefix, command := range map[string]string{"app_": "applications show ", "chk_": "checkouts show ", "ord_": "orders get ", "case_": "cases show "} {
			if strings.HasPrefix(word, prefix) {
				return command + word
			}
		}
	}
	return ""
}

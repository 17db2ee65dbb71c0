package credit_test

import (
	"reflect"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// An approval's record says nothing that contradicts itself, names two different people once it is
// decided, and never becomes about another act (AU6, RC2).
func TestApprovalIsSound(t *testing.T) {
	at := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	waiting := func() *credit.Approval {
		return &credit.Approval{
			RecordHead: credit.RecordHead{ID: "apv_1", Of: "order/ord_1", Status: credit.ApprovalWaiting, NextAt: at}, Act: "order.refund", Payload: "{}",
			Permission: permit.Refund, Amount: 100, Basis: "version 1", Maker: "stf_1", Reason: "returned",
		}
	}
	ended := func(status, by string) func(*credit.Approval) {
		return func(a *credit.Approval) { a.Status, a.Checker, a.NextAt = status, by, time.Time{} }
	}
	for name, c := range map[string]struct {
		change func(*credit.Approval)
		want   string
	}{
		"as it is":              {func(*credit.Approval) {}, ""},
		"approved":              {ended(credit.ApprovalApproved, "stf_2"), ""},
		"declined":              {ended(credit.ApprovalDeclined, "cli_2"), ""},
		"withdrawn":             {ended(credit.ApprovalWithdrawn, "stf_1"), ""},
		"expired":               {ended(credit.ApprovalExpired, ""), ""},
		"approved by its maker": {ended(credit.ApprovalApproved, "stf_1"), "maker and checker are one"},
		"declined by its maker": {ended(credit.ApprovalDeclined, "stf_1"), "maker and checker are one"},
		"withdrawn by others":   {ended(credit.ApprovalWithdrawn, "stf_2"), "maker and checker are one"},
		"approved by nobody":    {ended(credit.ApprovalApproved, ""), "status and checker do not match"},
		"expired by somebody":   {ended(credit.ApprovalExpired, "stf_2"), "status and checker do not match"},
		"waits for ever":        {func(a *credit.Approval) { a.NextAt = time.Time{} }, "status and end do not match"},
		"about nothing":         {func(a *credit.Approval) { a.Payload = "" }, "has no act, permission or maker"},
		"of a merchant":         {func(a *credit.Approval) { a.Merchant = "mch_1" }, "belongs to a merchant or company"},
		"another sum":           {func(a *credit.Approval) { a.Amount++ }, "the act has changed"},
		"another act":           {func(a *credit.Approval) { a.Payload = `{"amount":9.00}` }, "the act has changed"},
		"another maker":         {func(a *credit.Approval) { a.Maker = "stf_3" }, "the act has changed"},
	} {
		a := waiting()
		c.change(a)
		if got := a.Sound(waiting()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What waits is a command as the audit log keeps it: it must hold nothing that the log does not
// keep, such as secrets.
func TestGuardedCommandsHaveNoSecrets(t *testing.T) {
	guarded := 0
	for _, c := range journal.Commands() {
		if _, ok := c.(credit.Guarded); !ok {
			continue
		}
		guarded++
		if note, is := c.(staff.AddNote); is && note.Guard(nil).Second == credit.Never {
			continue // a note never waits
		}
		for i := range reflect.TypeOf(c).NumField() {
			if f := reflect.TypeOf(c).Field(i); f.Tag.Get("json") == "-" {
				t.Errorf("%s can wait and holds %s, which is in no log", c.Name(), f.Name)
			}
		}
	}
	if guarded < 30 {
		t.Errorf("only %d commands take a permission", guarded)
	}
}

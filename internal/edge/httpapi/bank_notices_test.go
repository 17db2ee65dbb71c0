package httpapi_test

import (
	"context"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// A bank notice that matches nothing raises an alarm and is listed until somebody records
// what was done about it. That record stays, with who and when.
func TestBankNotices(t *testing.T) {
	h := newHouse(t)
	const path, alarms = "/v1/operator/bank_notices", "/v1/operator/alarms"
	first, second := h.bankNotice("in/returns.ach/1"), h.bankNotice("in/returns.ach/2")
	r := h.must(200, "ops", "GET", alarms+"?kind=bank_notice", "")
	if !strings.Contains(r.raw, first) || !strings.Contains(r.raw, "RETURN R03 of entry 0000077 of 12.50 with the account …0201 in the bank's file in/returns.ach (No Account)") {
		t.Errorf("alarms: %s", r.raw)
	}
	r = h.must(200, "ops", "GET", path+"?limit=1", "")
	if got := r.ids(); len(got) != 1 || got[0] != second || r.body["has_more"] != true {
		t.Errorf("the first page: %s", r.raw)
	}
	r = h.must(200, "ops", "GET", path+"?limit=1&cursor="+r.text("next_cursor"), "")
	if got := r.ids(); len(got) != 1 || got[0] != first || r.body["has_more"] != false {
		t.Errorf("the second page: %s", r.raw)
	}
	for _, want := range []string{`"from_file":"in/returns.ach"`, `"trace":77,"amount":12.50`, `"result":"unmatched","dispute_by":null,"reviewed_at":null`} {
		if r := h.must(200, "ops", "GET", path+"/"+first, ""); !strings.Contains(r.raw, want) {
			t.Errorf("%s is not in %s", want, r.raw)
		}
	}
	for body, code := range map[string]string{`{}`: "validation_failed", `{"note":""}`: "validation_failed", `{"note":7}`: "validation_failed", `{"note":"x","by":"me"}`: "unknown_member", `{`: "malformed_request"} {
		if r := h.call("ops", "POST", path+"/"+first+"/review", body); r.code() != code {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
	done := h.must(200, "ops", "POST", path+"/"+first+"/review", `{"note":"Not ours: the bank takes it back."}`)
	if again := h.must(200, "ops", "POST", path+"/"+first+"/review", `{"note":"something else"}`); again.raw != done.raw || done.text("reviewed_by") == "" || done.text("reviewed_at") == "" ||
		done.text("review_note") != "Not ours: the bank takes it back." {
		t.Errorf("reviewed: %s, again %s", done.raw, again.raw)
	}
	if r := h.must(200, "ops", "GET", alarms, ""); strings.Contains(r.raw, first) || !strings.Contains(r.raw, second) {
		t.Errorf("alarms: %s", r.raw)
	}
	if got := h.must(200, "ops", "GET", path+"?waiting=true", "").ids(); len(got) != 1 || got[0] != second {
		t.Errorf("waiting: %q", got)
	}
	if got := h.must(200, "ops", "GET", path, "").ids(); len(got) != 2 {
		t.Errorf("all: %q", got)
	}
}

// Notices that are already handled, not yet examined or nonexistent cannot be reviewed. Nor
// can an ID that no notice can have.
func TestNoBankNotice(t *testing.T) {
	h := newHouse(t)
	ctx := context.Background()
	var ids []string
	for _, result := range []string{store.NoticeDone, store.NoticeIgnored, ""} {
		n := store.BankNotice{Rail: credit.ACH, ID: "x/" + result, Kind: "ACK", Payload: []byte(`{}`), At: h.business()}
		if _, err := h.backend.PutNotice(ctx, n); err != nil {
			t.Fatal(err)
		}
		if result != "" {
			if err := h.backend.CloseNotice(ctx, n.Rail, n.ID, result, h.business()); err != nil {
				t.Fatal(err)
			}
		}
		ids = append(ids, n.Ref())
	}
	none := store.BankNotice{Rail: credit.Card, ID: "evt_1"}
	wire := store.BankNotice{Rail: credit.Wire, ID: "evt_1"}
	for _, id := range append(ids, none.Ref(), wire.Ref(), "bkn_A", "bkn_QUNI", "bkn_QUNIL3g=", "bkn_", "mtc_x", "x") {
		h.must(404, "ops", "GET", "/v1/operator/bank_notices/"+id, "")
		h.must(404, "ops", "POST", "/v1/operator/bank_notices/"+id+"/review", `{"note":"x"}`)
	}
	if r := h.must(200, "ops", "GET", "/v1/operator/bank_notices", ""); len(r.ids()) != 0 {
		t.Errorf("listed: %s", r.raw)
	}
}

package alarm_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/alarm"
)

// left stores a bank's message of a day, closes it, and returns its alarm's subject.
func (b *book) left(id, kind, transfer, code, result, payload string) string {
	b.t.Helper()
	n := store.BankNotice{Rail: credit.ACH, ID: id, Kind: kind, Transfer: transfer, Code: code, Payload: []byte(payload), At: b.now}
	if _, err := b.db.PutNotice(context.Background(), n); err != nil {
		b.t.Fatal(err)
	}
	if err := b.db.CloseNotice(context.Background(), n.Rail, n.ID, result, b.now); err != nil {
		b.t.Fatal(err)
	}
	return n.Ref()
}

// seen records that a person has reviewed a notice.
func (b *book) seen(ref string) {
	b.t.Helper()
	rail, id, ok := store.NoticeOfRef(ref)
	if !ok {
		b.t.Fatalf("%s is no identifier", ref)
	}
	if err := b.db.ReviewNotice(context.Background(), rail, id, "ann", "asked the bank", b.now); err != nil {
		b.t.Fatal(err)
	}
}

// A late return can be disputed within five banking days (F22); its alarm stays until
// somebody records what was done.
func TestLateReturn(t *testing.T) {
	b := newBook(t, "2026-01-21")
	b.put(credit.Changes{Companies: []*credit.Company{{ID: 7, Name: "Alder", Status: credit.CompanyApproved, Version: 1}}})
	trf := b.transfer(credit.TransferCredit, "R03")
	ref := b.left("back.ach/1", "RETURN", trf, "R03", store.NoticeLate, `{"trace":17,"amount":1.00,"message":"No Account"}`)
	b.left("back.ach/2", "RETURN", trf, "R03", store.NoticeDone, `{}`)
	for _, day := range []string{"2026-01-21", "2026-01-28", "2026-01-29"} {
		b.now = b.instant(day)
		if got := strings.Join(b.open(), " "); got != "late_return/"+ref+" 2026-01-28" {
			t.Errorf("%s: %s", day, got)
		}
		list := b.list()
		if want := day > "2026-01-28"; strings.Contains(list[0].Next, "was 2026-01-28") != want || list[0].Detail != "The return of transfer "+trf+" (RETURN R03 of entry 0000017 of 1.00 in the bank's file back.ach (No Account)) came after its deadline." {
			t.Errorf("%s: %+v", day, list[0])
		}
	}
	b.seen(ref)
	if got := b.open(); got != nil {
		t.Errorf("%q is left", got)
	}
}

// A disputed charge waits until somebody records the outcome, even after the last day for a
// response; without such a day it waits too (F25).
func TestCardDispute(t *testing.T) {
	b := newBook(t, "2026-01-21")
	put := func(id, payload string) string {
		n := store.BankNotice{Rail: credit.Card, ID: id, Kind: "DISPUTE", Code: "fraudulent", Payload: []byte(payload), At: b.now}
		if _, err := b.db.PutNotice(context.Background(), n); err != nil {
			t.Fatal(err)
		}
		if err := b.db.CloseNotice(context.Background(), n.Rail, n.ID, store.NoticeDisputed, b.now); err != nil {
			t.Fatal(err)
		}
		return n.Ref()
	}
	dated := put("evt_1", `{"amount":0.00,"cost":15.00,"reference":"pi_1","answer_by":"2026-01-29T04:59:59Z"}`) // 23:59 of the 28th in New York
	bare := put("evt_2", `{"amount":0.00,"cost":15.00,"reference":"pi_2"}`)
	want := []string{"card_dispute/" + dated + " 2026-01-28", "card_dispute/" + bare}
	slices.Sort(want)
	for _, day := range []string{"2026-01-21", "2026-01-28", "2026-01-29"} {
		b.now = b.instant(day)
		if got := b.open(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", day, got, want)
		}
		for _, a := range b.list() {
			late := a.Subject == dated && day > "2026-01-28"
			if strings.Contains(a.Next, "was 2026-01-28") != late || !strings.Contains(a.Detail, "disputes the charge (DISPUTE fraudulent of charge pi_") {
				t.Errorf("%s: %+v", day, a)
			}
		}
	}
	b.seen(dated)
	b.seen(bare)
	if got := b.open(); got != nil {
		t.Errorf("%q is left", got)
	}
}

// Everything that was reported and not carried out waits for a person, with its content,
// time and file; what was carried out, or needs no action, does not.
func TestBankNotices(t *testing.T) {
	b := newBook(t, "2026-03-02")
	b.put(credit.Changes{Companies: []*credit.Company{{ID: 7, Name: "Alder", Status: credit.CompanyApproved, Version: 1}}})
	trf := b.transfer(credit.TransferPrenote, "")
	for i, c := range []struct{ kind, transfer, code, result, payload, want string }{
		{"RETURN", "", "R01", store.NoticeUnmatched, `{"trace":99,"amount":207.06,"last4":"0201"}`, "No transfer matches the bank notice: RETURN R01 of entry 0000099 of 207.06 with the account …0201 in the bank's file a/b.ach."},
		{store.NoticeUnreadable, "", "", store.NoticeUnmatched, `{"amount":0.00,"message":"line 2: no record."}`, "The bank file a/b.ach cannot be read: line 2: no record."},
		{"ACK", "", "", store.NoticeContradicted, `{"file":"achf_20260213_A","amount":0.00}`, "of our file achf_20260213_A in the bank's file a/b.ach."},
		{"RETURN", trf, "R68", store.NoticeBetweenBanks, `{}`, "A return of transfer " + trf + " is disputed between banks: RETURN R68"},
		{"CHANGE", trf, "C08", store.NoticeUnusable, `{}`, "A notification of change of transfer " + trf + " has no usable data: CHANGE C08"},
		{"RETURN", trf, "R03", "transfer_locked", `{}`, "The bank notice of transfer " + trf + " could not be processed (transfer_locked): RETURN R03"},
		{"ACK", "", "", store.NoticeUnmatched, "", "No transfer matches the bank notice: ACK in the bank's file a/b.ach."},
		{"SETTLED", "", "", store.NoticeUnmatched, `{"key":"trf_x","reference":"pi_1"}`, `SETTLED of a charge with key "trf_x" of charge pi_1`},
		{"RETURN", trf, "R03", store.NoticeDone, `{}`, ""},
		{"CHANGE", trf, "C01", store.NoticeIgnored, `{}`, ""},
	} {
		ref := b.left("a/b.ach/"+string(rune('0'+i)), c.kind, c.transfer, c.code, c.result, c.payload)
		list := b.list()
		if c.want == "" {
			if len(list) != 0 {
				t.Errorf("%s %s: %+v", c.kind, c.result, list)
			}
			continue
		}
		if len(list) != 1 || list[0].Kind != alarm.BankNotice || list[0].Subject != ref || list[0].Since.String() != "2026-03-02" ||
			!strings.Contains(list[0].Detail, c.want) || !strings.HasSuffix(list[0].Next, ".") ||
			(list[0].Due.String() == "2026-03-09") != (c.kind == "RETURN" && c.result == store.NoticeUnmatched) { // five banking days for a wrong return
			t.Errorf("%s %s: %+v", c.kind, c.result, list)
		}
		b.seen(ref)
	}
}

// More than a page of them are all listed.
func TestManyBankNotices(t *testing.T) {
	b := newBook(t, "2026-03-02")
	for i := range 230 {
		b.left("f/"+string(rune('a'+i/26))+string(rune('a'+i%26)), "RETURN", "", "R01", store.NoticeUnmatched, `{}`)
	}
	if n := len(b.list()); n != 230 {
		t.Errorf("%d alarms", n)
	}
}

// list returns all alarms.
func (b *book) list() []alarm.Alarm {
	b.t.Helper()
	list, err := alarm.Open(context.Background(), b.db, alarm.Setup{Zone: b.zone}, b.now)
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

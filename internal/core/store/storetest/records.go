package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// testRecords stores a record of each kind with every member, newer versions of it, and its
// vault entries until they are erased.
func testRecords(t *testing.T, b store.Backend) {
	n := 0
	var first credit.Changes
	var keys []credit.RecordKey
	for _, kind := range credit.RecordKinds {
		empty := kind.New()
		fill(reflect.ValueOf(empty).Elem(), &n)
		first.Records = append(first.Records, empty)
		keys = append(keys, credit.KeyOf(empty))
		h := empty.Head()
		first.Secrets = append(first.Secrets, credit.Secret{ID: h.ID + "/1", Sealed: []byte{1, 0, 2}}, credit.Secret{ID: h.ID + "/2", Sealed: []byte("two")})
	}
	commit(t, b, batchOf(b, first))
	loaded := func() map[credit.RecordKey]credit.Record {
		s := credit.NewState()
		view(t, b, func(v store.View) {
			if err := v.Load(s, credit.Keys{Records: append(keys, credit.RecordKey{Noun: credit.NounMail, ID: "none"})}); err != nil {
				t.Fatal(err)
			}
		})
		if x, there := s.Records[credit.RecordKey{Noun: credit.NounMail, ID: "none"}]; !there || x != nil {
			t.Error("a record that does not exist is not marked as loaded")
		}
		return s.Records
	}
	for _, x := range first.Records {
		equal(t, "record", x, loaded()[credit.KeyOf(x)])
	}
	var next credit.Changes
	for i, x := range first.Records {
		y := reflect.New(reflect.TypeOf(x).Elem())
		y.Elem().Set(reflect.ValueOf(x).Elem())
		r := y.Interface().(credit.Record)
		h := r.Head()
		h.Version, h.Status, h.NextAt, h.Company = h.Version+1, "NEXT", time.Time{}, 0
		next.Records = append(next.Records, r)
		next.Erased = append(next.Erased, first.Secrets[2*i].ID)
	}
	commit(t, b, batchOf(b, next))
	for _, x := range next.Records {
		equal(t, "newer record", x, loaded()[credit.KeyOf(x)])
	}
	view(t, b, func(v store.View) {
		for i, x := range next.Records {
			listRecord(t, v, x)
			ids := []string{first.Secrets[2*i].ID, first.Secrets[2*i+1].ID, "none"}
			equal(t, "secrets", map[string][]byte{ids[1]: []byte("two")}, must(store.Secrets(v, ids))(t))
		}
		seen := 0
		if err := store.EachSecret(v, func(string, []byte) error { seen++; return nil }); err != nil || seen != len(keys) {
			t.Errorf("%d secrets are left: %v", seen, err)
		}
	})
	if err := refuse(t, b, batchOf(b, credit.Changes{Secrets: first.Secrets[1:2]})); !errors.Is(err, store.ErrTaken) {
		t.Errorf("a secret was kept twice: %v", err)
	}
}

// listRecord finds one record by each matching filter, and not by others.
func listRecord(t *testing.T, v store.View, x credit.Record) {
	t.Helper()
	h, noun := x.Head(), x.Noun()
	for _, c := range []struct {
		f     store.RecordFilter
		found int
	}{
		{store.RecordFilter{}, 1},
		{store.RecordFilter{Merchant: h.Merchant}, 1},
		{store.RecordFilter{Merchant: "x"}, 0},
		{store.RecordFilter{Of: h.Of, Status: h.Status}, 1},
		{store.RecordFilter{Of: h.Of, Status: "OTHER"}, 0},
		{store.RecordFilter{Company: 7}, 0},
		{store.RecordFilter{From: h.CreatedAt, To: h.CreatedAt.Add(time.Second)}, 1},
		{store.RecordFilter{To: h.CreatedAt}, 0},
		{store.RecordFilter{From: h.CreatedAt.Add(time.Microsecond)}, 0},
	} {
		if list := must(store.ListRecords(v, noun, c.f, store.Page{Limit: 5}))(t); len(list) != c.found {
			t.Errorf("%s: %+v finds %d records, want %d", noun, c.f, len(list), c.found)
		}
	}
	if a, ok := x.(*credit.Application); ok {
		kind := string(a.Kind)
		for f, found := range map[store.RecordFilter]int{{Kind: kind}: 1, {Kind: kind, NotKind: "OTHER"}: 1, {Kind: "OTHER"}: 0, {NotKind: kind}: 0} { // unordered: each by itself
			if list := must(store.ListRecords(v, noun, f, store.Page{Limit: 5}))(t); len(list) != found {
				t.Errorf("%+v finds %d applications, want %d", f, len(list), found)
			}
		}
	}
	if list := must(store.ListRecords(v, noun, store.RecordFilter{}, store.Page{Limit: 5, AfterAt: h.CreatedAt, AfterID: h.ID}))(t); len(list) != 0 {
		t.Errorf("%s: a page after the last record holds %d", noun, len(list))
	}
	if due := must(store.ListDue(v, store.NounOfRecords(noun), h.CreatedAt.Add(9*365*24*time.Hour), store.Page{Limit: 5}))(t); len(due) != 0 {
		t.Errorf("%s: a record that time does not change is due", noun)
	}
	seen := 0
	if err := store.EachRecord(v, noun, func(r credit.Record) error { seen++; equal(t, "walked", x, r); return nil }); err != nil || seen != 1 {
		t.Errorf("%s: %d records are walked: %v", noun, seen, err)
	}
}

// testDueRecords lists what is due, oldest first, page by page.
func testDueRecords(t *testing.T, b store.Backend) {
	at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	var c credit.Changes
	for i, id := range []string{"mail_3", "mail_1", "mail_2", "mail_4"} {
		m := &credit.Mail{RecordHead: credit.RecordHead{ID: id, Status: credit.MailQueued, CreatedAt: at, UpdatedAt: at, Version: 1}, Template: "code", Text: 1, To: "x"}
		m.NextAt = at.Add(time.Duration(i/2) * time.Hour)
		c.Records = append(c.Records, m)
	}
	commit(t, b, batchOf(b, c))
	view(t, b, func(v store.View) {
		var ids []string
		page := store.Page{Limit: 1}
		for range 5 {
			for _, x := range must(store.ListDue(v, store.NounOfRecords(credit.NounMail), at.Add(30*time.Minute), page))(t) {
				ids = append(ids, x.ID)
				page.AfterAt, page.AfterID = x.At, x.ID
			}
		}
		equal(t, "due", []string{"mail_1", "mail_3"}, ids)
	})
}

// testDueMails lists due mails, first those that somebody is waiting for, however many
// others were queued earlier.
func testDueMails(t *testing.T, b store.Backend) {
	at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	var c credit.Changes
	queue := func(id, template string, next time.Time) {
		m := &credit.Mail{RecordHead: credit.RecordHead{ID: id, Status: credit.MailQueued, CreatedAt: at, UpdatedAt: at, Version: 1, NextAt: next}, Template: template, Text: 1, To: "x"}
		c.Records = append(c.Records, m)
	}
	for i := range 500 {
		queue(fmt.Sprintf("mail_a%03d", i), "statement_ready", at)
	}
	queue("mail_b", "code", at.Add(2*time.Minute))
	queue("mail_c", "sign_in_link", at.Add(time.Minute))
	queue("mail_d", "code", at.Add(time.Hour))
	queue("mail_e", "code", time.Time{}) // has been sent
	commit(t, b, batchOf(b, c))
	view(t, b, func(v store.View) {
		list := func(limit int) (ids []string) {
			for _, x := range must(store.ListDueMails(v, at.Add(30*time.Minute), limit))(t) {
				ids = append(ids, x.ID)
			}
			return ids
		}
		equal(t, "the first", []string{"mail_c"}, list(1))
		equal(t, "the first four", []string{"mail_c", "mail_b", "mail_a000", "mail_a001"}, list(4))
		if n := len(list(1000)); n != 502 {
			t.Errorf("%d mails are due", n)
		}
		equal(t, "none", []string{}, list(0))
		if x := must(store.ListDueMails(v, at.Add(30*time.Minute), 1))(t)[0]; !x.At.Equal(at.Add(time.Minute)) {
			t.Errorf("the first is due at %s", x.At)
		}
	})
}

// testScratch stores short-lived values: one of several writers wins, and expired ones are
// gone.
func testScratch(t *testing.T, b store.Backend) {
	ctx, now := context.Background(), time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	kept := func(name, value string, version int64, life time.Duration, at time.Time) bool {
		t.Helper()
		return must(b.Scratch(ctx, store.ScratchRow{Name: name, Value: []byte(value), Until: at.Add(life), Version: version}, at))(t)
	}
	read := func(name string, at time.Time) (string, int64, bool) {
		t.Helper()
		value, version, found, err := store.Scratched(ctx, b, name, at)
		if err != nil {
			t.Fatal(err)
		}
		return string(value), version, found
	}
	if _, _, found := read("a", now); found {
		t.Error("there is something in an empty scratch")
	}
	if kept("a", "never", 3, time.Minute, now) {
		t.Error("what is not there is replaced")
	}
	if !kept("a", "one", 0, time.Minute, now) || kept("a", "two", 0, time.Minute, now) {
		t.Error("not the first of two is kept")
	}
	value, version, found := read("a", now)
	if value != "one" || !found {
		t.Errorf("kept %q, %v", value, found)
	}
	if !kept("a", "three", version, time.Minute, now) || kept("a", "four", version, time.Minute, now) {
		t.Error("not the first of two that replace one version is kept")
	}
	if _, _, found := read("a", now.Add(time.Minute)); found {
		t.Error("what has ended is still there")
	}
	if !kept("a", "five", 0, time.Minute, now.Add(time.Minute)) {
		t.Error("what has ended keeps its name")
	}
	if !must(b.Unscratch(ctx, "a"))(t) || must(b.Unscratch(ctx, "a"))(t) {
		t.Error("not one of two callers is told that it forgot")
	}
	for _, name := range []string{"x", "y", "z"} {
		kept(name, name, 0, time.Minute, now)
	}
	kept("later", "l", 0, time.Hour, now)
	if n := must(b.SweepScratch(ctx, now.Add(2*time.Minute), 2))(t); n != 2 {
		t.Errorf("%d are swept instead of 2", n)
	}
	if n := must(b.SweepScratch(ctx, now.Add(2*time.Minute), 9))(t); n != 1 {
		t.Errorf("%d are swept instead of 1", n)
	}
	if _, _, found := read("later", now.Add(2*time.Minute)); !found {
		t.Error("what has not ended is swept")
	}
}

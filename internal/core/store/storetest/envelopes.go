package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// testEnvelopes replaces sealed values: of a setting, of an answer, and of a bank notice's
// account data.
func testEnvelopes(t *testing.T, b store.Backend) {
	ctx := context.Background()
	key := store.KeyID{Client: "cli_1", Key: "k"}
	batch := batchOf(b, credit.Changes{})
	batch.Decided[0].Key, batch.Decided[0].Answer = &key, store.Answer{Status: 201, Body: []byte("plain"), ContentType: "x", At: batch.At, Sealed: true}
	commit(t, b, batch)
	notice := store.BankNotice{Rail: credit.ACH, ID: "f/1", Kind: "CHANGE", Payload: []byte(`{"amount":1.00,"cost":0.00,"corrected":{"name":"Ann"}}`), At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	if fresh, err := b.PutNotice(ctx, notice); !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	for _, name := range []string{"keys/b", "keys/a", "keyz", "%"} {
		if err := b.PutSetting(ctx, name, []byte("old")); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "settings", []string{"keys/a", "keys/b"}, must(store.SettingNames(ctx, b, "keys/"))(t))
	equal(t, "no settings", 0, len(must(store.SettingNames(ctx, b, "x%"))(t)))
	sealed := `{"amount":1.00,"cost":0.00,"corrected":{"sealed":"AAAA"}}`
	list := []store.Envelope{
		{Table: store.SettingEnvelopes, Key: [2]string{"keys/a"}, Was: []byte("old"), Value: []byte("new")},
		{Table: store.AnswerEnvelopes, Key: [2]string{"cli_1", "k"}, Was: []byte("plain"), Value: []byte{0, 255}},
		{Table: store.NoticeEnvelopes, Key: [2]string{"ACH", "f/1"}, Was: notice.Payload, Value: []byte(sealed)},
	}
	equal(t, "replaced", 3, must(b.Reseal(ctx, list))(t))
	equal(t, "replaced again", 0, must(b.Reseal(ctx, list))(t))
	if value, _, err := store.Setting(ctx, b, "keys/a"); err != nil || string(value) != "new" {
		t.Errorf("setting %q, %v", value, err)
	}
	if value, _, err := store.Setting(ctx, b, "keys/b"); err != nil || string(value) != "old" {
		t.Errorf("the other setting %q, %v", value, err)
	}
	check := func() {
		t.Helper()
		if err := b.View(ctx, func(v store.View) error {
			n, _, err := store.BankNoticeOf(v, credit.ACH, "f/1")
			equal(t, "payload", sealed, string(n.Payload))
			return errors.Join(err, store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
				if k != key || !a.Sealed || string(a.Body) != "\x00\xff" || a.Status != 201 || a.Q != 1 {
					t.Errorf("answer %+v", a)
				}
				return nil
			}))
		}); err != nil {
			t.Fatal(err)
		}
	}
	check()
	for what, e := range map[string]store.Envelope{
		"an answer without a body":     {Table: store.AnswerEnvelopes, Key: [2]string{"cli_1", "k"}, Was: []byte{0, 255}},
		"a notice that says otherwise": {Table: store.NoticeEnvelopes, Key: [2]string{"ACH", "f/1"}, Was: []byte(sealed), Value: []byte(`{"amount":2.00,"cost":0.00}`)},
	} {
		if _, err := b.Reseal(ctx, []store.Envelope{e}); !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check()
}

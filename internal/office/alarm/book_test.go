package alarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/alarm"
)

// book is a database whose records a story writes freely.
type book struct {
	t    *testing.T
	db   store.Backend
	zone calendar.Zone
	now  time.Time
	n    int
	last string // last transfer created
}

func newBook(t *testing.T, at string) *book {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	b := &book{t: t, db: memory.New(), zone: calendar.NewZone(location)}
	b.now = b.instant(at)
	return b
}

// instant is noon of a day.
func (b *book) instant(day string) time.Time { return b.zone.At(calendar.MustParse(day), 12, 0) }

// put commits records.
func (b *book) put(c credit.Changes) {
	b.t.Helper()
	b.n++
	batch := store.Batch{Node: "n1", Epoch: 1, ID: store.BatchID{byte(b.n), byte(b.n >> 8), 9}, At: b.now.Add(time.Duration(b.n) * time.Microsecond), BusinessDate: b.zone.Date(b.now)}
	batch.Decided = []store.Decided{{Changes: c, Audit: store.Audit{At: batch.At, Command: "test", Result: "ok", Payload: []byte("{}")}}}
	done, err := b.db.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.Head(); err != nil {
			return err
		}
		return tx.Apply(batch)
	})
	if err != nil || done.Outcome != store.Committed {
		b.t.Fatalf("%+v, %v", done, err)
	}
}

// transfer creates a transfer that was sent today, and returned if it has a code.
func (b *book) transfer(kind credit.TransferKind, code string) string {
	b.t.Helper()
	b.n++
	x := &credit.Transfer{
		ID: fmt.Sprintf("trf_%05d", b.n), Rail: credit.ACH, Kind: kind, Company: 7, Amount: 100, Status: credit.TransferSent,
		ReleaseOn: calendar.None, SentAt: b.now, CreatedAt: b.now, Version: 1,
	}
	if kind == credit.TransferPayout || kind == credit.TransferClawback {
		x.Company, x.Merchant = 0, "mch_1"
	}
	if kind == credit.TransferPrenote {
		x.Amount = 0
	}
	if code != "" {
		x.Status, x.ReturnCode = credit.TransferReturned, code
	}
	b.put(credit.Changes{Transfers: []*credit.Transfer{x}})
	b.last = x.ID
	return x.ID
}

// debits creates debits that were sent today.
func (b *book) debits(n int) {
	b.t.Helper()
	for range n {
		b.transfer(credit.TransferPayment, "")
	}
}

// comeBack creates transfers of a kind that were sent today and are returned at once.
func (b *book) comeBack(kind credit.TransferKind, code string, n int) {
	b.t.Helper()
	for range n {
		b.say(b.transfer(kind, code), "RETURN", code)
	}
}

// say stores a bank's message about a transfer.
func (b *book) say(transfer, kind, code string) {
	b.t.Helper()
	b.n++
	n := store.BankNotice{Rail: credit.ACH, ID: fmt.Sprint("item/", b.n), Kind: kind, Transfer: transfer, Code: code, Payload: []byte("{}"), At: b.now}
	if _, err := b.db.PutNotice(context.Background(), n); err != nil {
		b.t.Fatal(err)
	}
}

// open lists the open alarms.
func (b *book) open() (out []string) {
	b.t.Helper()
	list, err := alarm.Open(context.Background(), b.db, alarm.Setup{Zone: b.zone}, b.now)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, a := range list {
		text := a.Name()
		if a.Due != calendar.None {
			text += " " + a.Due.String()
		}
		out = append(out, text)
	}
	return out
}

// detail checks that the alarm for mch_1 contains these words, and its first day.
func (b *book) detail(words ...string) {
	b.t.Helper()
	b.says(alarm.AccountMissing, words...)
}

// says checks that the first alarm of a kind contains these words, in its detail, its start
// or what to do.
func (b *book) says(kind alarm.Kind, words ...string) {
	b.t.Helper()
	list, err := alarm.Open(context.Background(), b.db, alarm.Setup{Zone: b.zone}, b.now)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, a := range list {
		if a.Kind != kind {
			continue
		}
		for _, w := range words {
			if text := a.Since.String() + " " + a.Detail + " " + a.Next; !strings.Contains(text, w) {
				b.t.Errorf("no %q in %q", w, text)
			}
		}
		return
	}
	b.t.Errorf("no alarm says %q", words)
}

// refs returns the first installments of an order.
func refs(n int) (out []schedule.Ref) {
	for i := range n {
		out = append(out, schedule.Ref{Installment: i + 1})
	}
	return out
}

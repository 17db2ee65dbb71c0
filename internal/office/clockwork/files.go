package clockwork

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// maxEntries is the maximum number of entries in a file. A file of 10,000 entries at one
// bank can have the hash 0, which readers refuse.
const maxEntries = 9_999

// maxFiles is how many files are sent in one pass.
const maxFiles = 100

// maxTotal is the maximum total of a file's debits, or credits: twelve digits of cents
// (F22).
const maxTotal money.Amount = 9_999_999_999_99

// files makes files of sent transfers that are in none, and hands over the stored files
// that have not been sent. A file and its bytes are stored before it is sent: after a kill
// the same file is sent again under the same name, which the bank accepts once (EN17, PO5).
func (t *turn) files(ctx context.Context, r *Report) error {
	if t.s.cfg.Bank == nil {
		return nil
	}
	for more := true; more; {
		var err error
		if more, err = t.file(ctx); err != nil {
			return fmt.Errorf("clockwork: create a file: %w", err)
		}
	}
	kept, err := store.Files(ctx, t.s.cfg.Backend, store.FileBuilt, maxFiles)
	if err != nil {
		return fmt.Errorf("clockwork: list files to send: %w", err)
	}
	for _, f := range kept {
		if err := t.send(ctx, f); err != nil {
			return fmt.Errorf("clockwork: send %s: %w", f.ID, err)
		}
		r.Files++
	}
	return nil
}

// modifiers distinguish the files of one day, in the order that a bank requires.
const modifiers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// file stores a file of the unfiled transfers, under the day's next free name, and reports
// whether there may be more transfers than it holds. A taken name is an earlier file's, or
// another clockwork has filed the transfers meanwhile: so they are listed again for each
// name.
func (t *turn) file(ctx context.Context) (more bool, err error) {
	day := t.s.cfg.Zone.Date(t.now)
	for _, m := range modifiers {
		list, err := store.Unfiled(ctx, t.s.cfg.Backend, maxEntries)
		if err != nil || len(list) == 0 {
			return false, err
		}
		if list, err = t.buildable(ctx, list); err != nil || len(list) == 0 {
			return false, err // what was set aside is no longer in the list, or waits for a key
		}
		f, ids := t.built(list)
		rest := len(ids) < len(list)
		f.ID = "achf_" + compact(day.String()) + "_" + string(m)
		if _, _, err = t.s.cfg.Backend.PutFile(ctx, f, ids); !errors.Is(err, store.ErrTaken) {
			return rest || len(list) == maxEntries, err
		}
	}
	return false, fmt.Errorf("all %d names of %s are taken", len(modifiers), day)
}

// built makes a file of transfers, without its name: of the first ones, as many as its
// totals allow.
func (t *turn) built(list []*credit.Transfer) (f store.BankFile, ids []string) {
	f = store.BankFile{CutOff: t.now, State: store.FileBuilt, CreatedAt: t.now, MovedAt: t.now}
	for _, x := range list {
		sum := &f.Credits
		if x.Debit() {
			sum = &f.Debits
		}
		if sum.Add(x.Amount) > maxTotal {
			break
		}
		ids, *sum = append(ids, x.ID), sum.Add(x.Amount)
	}
	return f, ids
}

// compact returns a date without its dashes.
func compact(day string) string { return day[:4] + day[5:7] + day[8:] }

// send hands over a file and records that.
func (t *turn) send(ctx context.Context, f store.BankFile) error {
	name := FileContent + f.ID
	content, err := t.content(ctx, name, f)
	if err != nil {
		return err
	}
	if content != nil {
		if err := t.s.cfg.Bank.Send(ctx, f.ID, content); err != nil {
			return err
		}
		if err := t.s.cfg.Backend.PutSetting(ctx, name, []byte(FileSent)); err != nil {
			return err
		}
	}
	if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
		return err
	}
	err = t.s.cfg.Backend.MoveFile(ctx, f.ID, store.FileSent, t.s.cfg.Now())
	if errors.Is(err, store.ErrRefused) {
		return nil // it was stored, so it exists: another clockwork has sent it, and the bank's answer is recorded
	}
	return err
}

// FileContent and a file's id name the setting that stores the file's bytes, sealed for
// that name, from before it is sent until it has been; then the setting is FileSent.
const (
	FileContent = "clockwork/file/"
	FileSent    = "sent"
)

// content returns the bytes of a file, nil if the bank has them. They are made once: a file
// that is sent again after a lost answer is the same file (PO5), although an account may
// have changed since.
func (t *turn) content(ctx context.Context, name string, f store.BankFile) ([]byte, error) {
	kept, found, err := store.Setting(ctx, t.s.cfg.Backend, name)
	if err != nil {
		return nil, err
	}
	if !found {
		made, err := t.build(ctx, f)
		if err != nil {
			return nil, err
		}
		if made == nil { // none of it can be sent
			return nil, t.s.cfg.Backend.MoveFile(ctx, f.ID, store.FileRefused, t.s.cfg.Now())
		}
		if kept, err = t.s.cfg.Backend.Settle(ctx, name, t.s.cfg.Seal(made, name)); err != nil {
			return nil, err
		}
	}
	if string(kept) == FileSent {
		return nil, nil
	}
	return t.s.cfg.Open(kept, name)
}

// inbox stores what the bank has left as notices. A file seen before adds nothing (PA2); it
// is removed from the bank's list only when all of it is stored.
func (t *turn) inbox(ctx context.Context, r *Report) error {
	if t.s.cfg.Bank == nil {
		return nil
	}
	files, err := t.s.cfg.Bank.Fetch(ctx)
	if err != nil {
		return fmt.Errorf("clockwork: fetch files from the bank: %w", err)
	}
	for _, f := range files {
		if _, err := ach.Read(t.s.cfg.Origin, f.Name, f.Content); errors.Is(err, ach.ErrCut) && t.s.patient(f.Name, t.now) {
			continue // it may still be being written
		}
		if err := t.keep(ctx, f); err != nil {
			return fmt.Errorf("clockwork: store %s: %w", f.Name, err)
		}
		delete(t.s.cut, f.Name)
		if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
			return err
		}
		if err := t.s.cfg.Bank.Done(ctx, f.Name); err != nil {
			return fmt.Errorf("clockwork: finish %s: %w", f.Name, err)
		}
		r.Files++
	}
	return nil
}

func (t *turn) keep(ctx context.Context, f rails.Incoming) error {
	items, err := ach.Read(t.s.cfg.Origin, f.Name, f.Content)
	if err != nil { // recorded for a person: the next file must not wait for it
		sum := sha256.Sum256(f.Content)
		n := store.BankNotice{Rail: credit.ACH, ID: f.Name + "/" + hex.EncodeToString(sum[:8]), Kind: store.NoticeUnreadable, At: t.now}
		t.s.cfg.Log.Error("clockwork: unreadable file from the bank", "file", f.Name, "error", err)
		if n.Payload, err = json.Marshal(notice{NoticeDetails: store.NoticeDetails{Message: strings.TrimPrefix(err.Error(), f.Name+": ")}}); err != nil {
			return err
		}
		_, err := t.s.cfg.Backend.PutNotice(ctx, n)
		return err
	}
	for _, x := range items {
		n := store.BankNotice{Rail: credit.ACH, ID: f.Name + "/" + x.ID, Kind: string(x.Kind), Code: x.Code, At: t.now}
		if x.Trace != 0 {
			if n.Transfer, err = t.match(ctx, x); err != nil {
				return err
			}
		}
		if n.Payload, err = t.payload(&n, x); err != nil {
			return err
		}
		if _, err := t.s.cfg.Backend.PutNotice(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// match finds the transfer that an item is about: by trace, amount and account (F22). If
// the account was changed after the transfer was sent (a correction, a merchant's new
// bank), it is not the one the bank names: then the trace and the amount decide. "" if
// there is none: a person reviews it.
func (t *turn) match(ctx context.Context, x rails.Item) (string, error) {
	entries, err := store.EntryByTrace(ctx, t.s.cfg.Backend, x.Trace)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		list, err := t.instructions(ctx, []store.BankEntry{e})
		if err != nil {
			return "", err
		}
		i := list[0].Instruction                                            // of an account that is gone: the trace and the amount decide
		same := i.Amount == x.Amount || x.Kind == rails.Change || i.Prenote // a notification of change has no amount
		if !same {
			continue
		}
		if x.Account.Number == "" || list[0].err != nil || i.Account.Number == x.Account.Number {
			return e.Transfer, nil
		}
		if changed, err := t.accountChanged(ctx, e.Transfer); err != nil || changed {
			return e.Transfer, err
		}
	}
	t.s.cfg.Log.Warn("clockwork: no transfer matches a bank item", "trace", strconv.FormatInt(x.Trace, 10), "code", x.Code)
	return "", nil
}

// accountChanged reports whether the other end of a transfer has been changed since it was
// sent, or may have been: on a stopped clock both have the same instant.
func (t *turn) accountChanged(ctx context.Context, transfer string) (changed bool, err error) {
	s := credit.NewState()
	err = t.s.cfg.Backend.View(ctx, func(v store.View) error {
		if err := v.Load(s, credit.Keys{Transfers: []string{transfer}}); err != nil {
			return err
		}
		x := s.Transfers[transfer]
		if err := v.Load(s, credit.Keys{Methods: []string{x.Method}, Merchants: []string{x.Merchant}}); err != nil {
			return err
		}
		m, shop := s.Methods[x.Method], s.Merchants[x.Merchant]
		changed = m != nil && !m.UpdatedAt.Before(x.SentAt) || shop != nil && !shop.UpdatedAt.Before(x.SentAt)
		return nil
	})
	return changed, err
}

// patience is how long a truncated file may grow.
const patience = time.Hour

// patient reports whether a truncated file was first seen a short while ago.
func (s *Scheduler) patient(name string, now time.Time) bool {
	first, seen := s.cut[name]
	if !seen {
		first = now
		s.cut[name] = now
	}
	return now.Sub(first) < patience
}

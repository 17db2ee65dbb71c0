package clockwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// An entry that a file cannot hold is set aside, and the file is sent with the rest: one
// row never blocks another's money (F41.11).

// errSealed means that an account does not decrypt: its key is missing.
var errSealed = errors.New("the account cannot be decrypted with the server's keys")

// prepared is an entry's instruction, or why there is none.
type prepared struct {
	rails.Instruction
	err error // wraps ach.ErrAccount or errSealed
}

// buildable returns the transfers of a list that a file can hold. The others are set aside
// before the file is stored: those whose numbers do not decrypt wait, the rest fail.
func (t *turn) buildable(ctx context.Context, list []*credit.Transfer) (good []*credit.Transfer, err error) {
	for start := 0; start < len(list); start += pageSize {
		page := list[start:min(start+pageSize, len(list))]
		entries := make([]store.BankEntry, len(page))
		for i, x := range page {
			entries[i].Transfer = x.ID
		}
		all, err := t.instructions(ctx, entries)
		if err != nil {
			return nil, err
		}
		for i, x := range all {
			if x.err == nil {
				x.err = ach.Check(x.Instruction)
			}
			if x.err == nil {
				good = append(good, page[i])
			} else if err := t.setAside(ctx, x, codeOf(x.err)); err != nil {
				return nil, err
			}
		}
	}
	return good, nil
}

// build makes a file's bytes from its entries, nil if no entry can be in one. A file that
// was stored before its entries were checked is sent without the invalid ones.
func (t *turn) build(ctx context.Context, f store.BankFile) ([]byte, error) {
	entries, err := store.FileEntries(ctx, t.s.cfg.Backend, f.ID)
	if err != nil {
		return nil, err
	}
	file := rails.File{ID: f.ID, CutOff: f.CutOff.In(t.s.cfg.Zone.Location()), Modifier: f.ID[len(f.ID)-1]}
	var bad []prepared
	for start := 0; start < len(entries); start += pageSize {
		part, err := t.instructions(ctx, entries[start:min(start+pageSize, len(entries))])
		if err != nil {
			return nil, err
		}
		for _, x := range part {
			if x.err != nil {
				bad = append(bad, x)
				continue
			}
			file.Instructions = append(file.Instructions, x.Instruction)
		}
	}
	if len(file.Instructions) == 0 && len(bad) > 0 && errors.Is(bad[0].err, errSealed) {
		return nil, fmt.Errorf("%s: %w", bad[0].Transfer, bad[0].err) // the key is wrong, not a row
	}
	content, err := t.bytes(file, &bad)
	if err != nil {
		return nil, err
	}
	for _, x := range bad {
		code := codeOf(x.err)
		if code == payments.CodeUnopened { // it is in the file, which is sent now: it cannot wait
			code = payments.CodeUnbuilt
		}
		if err := t.setAside(ctx, x, code); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// bytes returns a file's bytes, without the entries that block it, which are added to bad.
// It is an error if every entry alone blocks it although nothing is wrong with the entries:
// then the problem is not in a row.
func (t *turn) bytes(file rails.File, bad *[]prepared) ([]byte, error) {
	if len(file.Instructions) == 0 {
		return nil, nil
	}
	content, whole := ach.Build(t.s.cfg.Origin, file)
	if whole == nil {
		return content, nil
	}
	all := file.Instructions
	file.Instructions = nil
	var left []prepared
	wrong := false // a row has a problem
	for _, x := range all {
		one := file
		one.Instructions = []rails.Instruction{x}
		if _, err := ach.Build(t.s.cfg.Origin, one); err != nil {
			left, wrong = append(left, prepared{x, err}), wrong || errors.Is(err, ach.ErrInstruction)
			continue
		}
		file.Instructions = append(file.Instructions, x)
	}
	if len(left) == 0 || len(file.Instructions) == 0 && !wrong {
		return nil, whole
	}
	*bad = append(*bad, left...)
	if len(file.Instructions) == 0 {
		return nil, nil
	}
	return ach.Build(t.s.cfg.Origin, file)
}

// codeOf is the code with which an entry is set aside.
func codeOf(err error) string {
	switch {
	case errors.Is(err, ach.ErrAccount):
		return payments.CodeUnusable
	case errors.Is(err, errSealed):
		return payments.CodeUnopened
	}
	return payments.CodeUnbuilt
}

// setAside records for a person's review that an entry was left out of its file, and
// rejects its transfer: none of its money has moved. A transfer whose number does not
// decrypt waits instead. After a kill in between, the notice is processed like any other.
func (t *turn) setAside(ctx context.Context, x prepared, code string) error {
	n := store.BankNotice{Rail: credit.ACH, ID: "unbuilt/" + code + "/" + x.Transfer, Kind: store.NoticeUnbuilt, Transfer: x.Transfer, Code: code, At: t.now}
	why := x.err.Error()
	for _, prefix := range []error{ach.ErrInstruction, ach.ErrAccount} {
		why = strings.ReplaceAll(why, prefix.Error()+": ", "")
	}
	why = strings.TrimPrefix(why, x.Transfer+": ")
	var err error
	if n.Payload, err = json.Marshal(notice{NoticeDetails: store.NoticeDetails{Amount: x.Amount, Message: why}}); err != nil {
		return err
	}
	fresh, err := t.s.cfg.Backend.PutNotice(ctx, n)
	if err != nil {
		return err
	}
	if fresh {
		t.s.cfg.Log.Error("clockwork: entry cannot be built and was set aside", "transfer", x.Transfer, "error", why)
	}
	if _, err := t.unbuilt(ctx, n); err != nil {
		return err
	}
	return t.s.cfg.Backend.CloseNotice(ctx, n.Rail, n.ID, store.NoticeSetAside, t.now)
}

// unbuilt carries out the notice of an entry that no file can hold.
func (t *turn) unbuilt(ctx context.Context, n store.BankNotice) (string, error) {
	if n.Code == payments.CodeUnopened {
		return store.NoticeSetAside, nil
	}
	said, err := n.Details()
	if err != nil {
		return "", err
	}
	_, err = t.patient(ctx, payments.RejectTransfer{Transfer: n.Transfer, Code: n.Code, Message: said.Message})
	return store.NoticeSetAside, err
}

// instructions reads the instructions of entries, with the accounts decrypted.
func (t *turn) instructions(ctx context.Context, entries []store.BankEntry) ([]prepared, error) {
	s := credit.NewState()
	var k credit.Keys
	for _, e := range entries {
		k.Transfers = append(k.Transfers, e.Transfer)
	}
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		if err := v.Load(s, k); err != nil {
			return err
		}
		var parties credit.Keys
		for _, x := range s.Transfers {
			if x != nil && x.Method != "" {
				parties.Methods = append(parties.Methods, x.Method)
			} else if x != nil {
				parties.Merchants = append(parties.Merchants, x.Merchant)
			}
		}
		return v.Load(s, parties)
	}); err != nil {
		return nil, err
	}
	out := make([]prepared, len(entries))
	for i, e := range entries {
		x := s.Transfers[e.Transfer]
		if x == nil {
			return nil, fmt.Errorf("transfer %s does not exist", e.Transfer)
		}
		account, err := t.accountAt(s, x)
		out[i] = prepared{rails.Instruction{
			Transfer: x.ID, Trace: e.Trace, Debit: x.Debit(), Prenote: x.Kind == credit.TransferPrenote, Amount: x.Amount,
			Description: x.Entry, Settles: x.SettlesOn, Account: account,
		}, err}
	}
	return out, nil
}

// accountAt returns the account at the other end of a transfer, decrypted.
func (t *turn) accountAt(s *credit.State, x *credit.Transfer) (rails.Account, error) {
	bank, online := accountOf(s, x)
	if bank == nil {
		return rails.Account{}, fmt.Errorf("%w: it no longer exists", ach.ErrAccount)
	}
	account, err := t.open(bank, placeOf(x))
	if err != nil {
		return rails.Account{}, errSealed
	}
	account.Online = online
	return account, nil
}

// accountOf returns the account at the other end of a transfer, and whether it was
// authorized online.
func accountOf(s *credit.State, x *credit.Transfer) (bank *credit.BankAccount, online bool) {
	if m := s.Methods[x.Method]; m != nil {
		return m.Bank, m.Authorization.Channel == "WEB"
	}
	if m := s.Merchants[x.Merchant]; m != nil {
		return m.Account.Bank, false
	}
	return nil, false
}

// placeOf is where the account at the other end of a transfer is stored.
func placeOf(x *credit.Transfer) string {
	if x.Method != "" {
		return payments.MethodAccount(x.Method)
	}
	return payments.PaidAccount(x.Merchant)
}

// open decrypts an account stored in a place.
func (t *turn) open(b *credit.BankAccount, place string) (rails.Account, error) {
	x, err := b.Open(place, t.s.cfg.Open)
	if err != nil {
		return rails.Account{}, fmt.Errorf("open the account: %w", err)
	}
	return rails.Account{Routing: x.Routing, Number: x.Number, AccountType: b.AccountType, HolderType: b.HolderType, Name: x.Holder}, nil
}

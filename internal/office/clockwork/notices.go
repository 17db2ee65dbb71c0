package clockwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// notice is the stored form of an item. Account data in it is sealed, and only the last
// four digits of account numbers are shown.
type notice = store.NoticePayload

// payload returns the stored form of an item for its notice.
func (t *turn) payload(of *store.BankNotice, x rails.Item) ([]byte, error) {
	n := notice{NoticeDetails: store.NoticeDetails{File: x.File, Trace: x.Trace, Amount: x.Amount, Message: x.Message, Cost: x.Cost, Last4: lastFour(x.Account.Number)}}
	if x.Kind == rails.Change {
		c := x.Corrected
		n.Corrected = &store.NoticeChange{AccountType: c.AccountType, Of: t.s.cfg.Fingerprint(x.Account.Routing, x.Account.Number)}
		if err := n.Corrected.Seal(of, credit.AccountDetails{Routing: c.Routing, Number: c.Number, Holder: c.Name}, t.s.cfg.Seal); err != nil {
			return nil, err
		}
	}
	return json.Marshal(n)
}

// lastFour returns the digits of an account number that are shown.
func lastFour(number string) string { return number[max(0, len(number)-4):] }

// notices processes the stored notices, oldest first. Each becomes a command, which has no
// effect if it has been done before; only then is the notice closed. Those about different
// transfers are processed together, so that they share commits.
func (t *turn) notices(ctx context.Context, r *Report) error {
	for {
		list, err := store.OpenNotices(ctx, t.s.cfg.Backend, pageSize)
		if err != nil {
			return fmt.Errorf("clockwork: list notices: %w", err)
		}
		for rest := list; len(rest) > 0; {
			n := independent(rest)
			closed, err := t.dealAll(ctx, rest[:n])
			r.Notices += closed
			if errors.Is(err, errBehind) {
				r.Notices++ // it will be processed again, in its order
				return nil
			}
			if err != nil {
				return err
			}
			rest = rest[n:]
		}
		if len(list) < pageSize {
			return nil
		}
	}
}

// independent is how many leading notices are about different transfers. One that names
// none, such as one about a whole file, is processed alone.
func independent(list []store.BankNotice) int {
	seen := make(map[string]bool, len(list))
	for i, n := range list {
		switch {
		case n.Transfer == "" && i == 0:
			return 1
		case n.Transfer == "" || seen[n.Transfer]:
			return i
		}
		seen[n.Transfer] = true
	}
	return len(list)
}

// dealAll processes notices that do not depend on each other. They are closed one after the
// other, because each is a transaction of its own and callers' batches run in between.
func (t *turn) dealAll(ctx context.Context, list []store.BankNotice) (closed int, err error) {
	results := make([]string, len(list))
	failed := together(ctx, t.s.cfg.InFlight, len(list), func(ctx context.Context, i int) error {
		result, err := t.deal(ctx, list[i])
		if err != nil {
			return fmt.Errorf("clockwork: notice %s of %s: %w", list[i].ID, list[i].Rail, err)
		}
		results[i] = result
		return nil
	})
	for i, n := range list {
		if results[i] == "" {
			continue
		}
		if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
			return closed, errors.Join(failed, err)
		}
		if err := t.s.cfg.Backend.CloseNotice(ctx, n.Rail, n.ID, results[i], t.now); err != nil {
			return closed, errors.Join(failed, fmt.Errorf("clockwork: close notice %s: %w", n.ID, err))
		}
		closed++
	}
	return closed, failed
}

// deal carries out a notice.
func (t *turn) deal(ctx context.Context, n store.BankNotice) (string, error) {
	var p notice
	if err := json.Unmarshal(n.Payload, &p); err != nil {
		return "", err
	}
	if n.Kind == string(rails.Ack) || n.Kind == string(rails.Reject) && p.Trace == 0 && p.File != "" {
		return t.acknowledged(ctx, n, p)
	}
	if n.Kind == store.NoticeUnbuilt {
		return t.unbuilt(ctx, n)
	}
	if result := t.useless(n, p); result != "" {
		return result, nil
	}
	if err := t.approved(ctx, n, p); err != nil {
		return "", err
	}
	c, err := t.command(ctx, n, p)
	if errors.Is(err, ach.ErrAccount) {
		t.s.cfg.Log.Error("clockwork: corrected account does not fit in a bank file", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return store.NoticeUnusable, nil
	}
	if err != nil || c == nil {
		return store.NoticeIgnored, err
	}
	res, err := t.patient(ctx, c)
	switch {
	case err != nil:
		return "", err
	case res.Rejection != nil && res.Rejection.Code == credit.PreconditionFailed.Code:
		return "", errBehind
	case res.Rejection != nil:
		t.s.cfg.Log.Warn("clockwork: notice was rejected", "notice", n.ID, "transfer", n.Transfer, "code", res.Rejection.Code)
		return res.Rejection.Code, nil
	case n.Kind == string(rails.Return):
		return t.onTime(ctx, n)
	case n.Kind == cardDispute:
		return store.NoticeDisputed, nil
	case n.Kind == cardWon:
		return store.NoticeDone, t.decided(ctx, n)
	}
	return store.NoticeDone, nil
}

// useless is the result of a notice that no command can serve, "" for any other. A person
// reviews a return that banks dispute, and a correction that names nothing to use.
func (t *turn) useless(n store.BankNotice, p notice) string {
	switch {
	case n.Transfer == "":
		return store.NoticeUnmatched
	case n.Kind == string(rails.Return) && ach.BetweenBanks(n.Code):
		t.s.cfg.Log.Error("clockwork: a return is disputed between banks", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return store.NoticeBetweenBanks
	case n.Kind == string(rails.Change) && p.Corrected != nil && p.Corrected.Empty():
		t.s.cfg.Log.Error("clockwork: correction has no usable data", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return store.NoticeUnusable
	}
	return ""
}

// onTime is the result of a processed return. One that came after its deadline can be
// disputed for some days (F22).
func (t *turn) onTime(ctx context.Context, n store.BankNotice) (string, error) {
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		return v.Load(s, credit.Keys{Transfers: []string{n.Transfer}})
	}); err != nil {
		return "", err
	}
	if x := s.Transfers[n.Transfer]; x != nil && ach.Late(n.Code, x.SettlesOn, t.s.cfg.Zone.Date(n.At)) {
		t.s.cfg.Log.Warn("clockwork: a return came late", "notice", n.ID, "transfer", n.Transfer, "code", n.Code)
		return store.NoticeLate, nil
	}
	return store.NoticeDone, nil
}

// errBehind means that a notice was handled elsewhere, or with a later one, in the
// meantime. The next round sees what is left to do.
var errBehind = errors.New("another node was faster")

// dispute returns the command for a notice of a dispute, or of its end, nil if the notice
// has been closed. It reads the version before it sees that the notice is still open: so
// nobody had processed a later notice by then, and if the version is still the same at the
// commit, nobody has since. A clockwork that slept in between does not undo the end of a
// dispute with its beginning.
func (t *turn) dispute(ctx context.Context, n store.BankNotice, p notice) (credit.Command, error) {
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		return v.Load(s, credit.Keys{Transfers: []string{n.Transfer}})
	}); err != nil {
		return nil, err
	}
	open, err := store.OpenNotices(ctx, t.s.cfg.Backend, pageSize)
	if err != nil || !slices.ContainsFunc(open, func(x store.BankNotice) bool { return x.Rail == n.Rail && x.ID == n.ID }) {
		return nil, err
	}
	return payments.DisputeCharge{
		Transfer: n.Transfer, IfMatch: []string{strconv.Quote(strconv.Itoa(s.Transfers[n.Transfer].Version))},
		Won: n.Kind == cardWon, Code: n.Code, Message: p.Message, Fee: p.Cost,
	}, nil
}

// approved completes a charge for which the processor's news arrived before its answer:
// what it settles, or what was disputed, it has approved.
func (t *turn) approved(ctx context.Context, n store.BankNotice, p notice) error {
	if !n.Rail.Can().Answer || p.Reference == "" {
		return nil
	}
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		return v.Load(s, credit.Keys{Transfers: []string{n.Transfer}})
	}); err != nil {
		return err
	}
	if x := s.Transfers[n.Transfer]; x == nil || x.Status != credit.TransferSent || x.Answered() {
		return nil
	}
	_, err := t.patient(ctx, payments.CompleteCharge{Transfer: n.Transfer, Approved: true, Reference: p.Reference})
	return err
}

// command returns the command for a notice about a transfer, nil if none.
func (t *turn) command(ctx context.Context, n store.BankNotice, p notice) (credit.Command, error) {
	switch n.Kind {
	case string(rails.Return):
		return payments.ReturnTransfer{Transfer: n.Transfer, Code: n.Code, Message: p.Message, Cost: p.Cost}, nil
	case string(rails.Reject):
		return payments.RejectTransfer{Transfer: n.Transfer, Code: n.Code, Message: p.Message}, nil
	case string(rails.Change):
		return t.correction(ctx, n, p)
	case cardSettled, cardRefunded:
		return payments.SettleCharge{Transfer: n.Transfer, Cost: p.Cost}, nil
	case cardDispute, cardWon:
		return t.dispute(ctx, n, p)
	}
	return nil, nil
}

// acknowledged records the bank's response to a whole file. The transfers of a refused file
// have not been sent: each is rejected, even if the bank had accepted the file first.
func (t *turn) acknowledged(ctx context.Context, n store.BankNotice, p notice) (string, error) {
	if n.Kind == string(rails.Ack) {
		return t.moved(ctx, n, p.File, store.FileAccepted)
	}
	entries, err := store.FileEntries(ctx, t.s.cfg.Backend, p.File)
	if err != nil {
		return "", err
	}
	if err := together(ctx, t.s.cfg.InFlight, len(entries), func(ctx context.Context, i int) error {
		_, err := t.patient(ctx, payments.RejectTransfer{Transfer: entries[i].Transfer, Code: n.Code, Message: p.Message})
		return err
	}); err != nil {
		return "", err
	}
	return t.moved(ctx, n, p.File, store.FileRefused)
}

// moved records the state of a file. If the bank's response is impossible, because it
// responded differently before or was never sent the file, a person asks the bank: its
// other messages must not wait for that.
func (t *turn) moved(ctx context.Context, n store.BankNotice, file string, to store.FileState) (string, error) {
	err := t.s.cfg.Backend.MoveFile(ctx, file, to, t.now)
	if errors.Is(err, store.ErrRefused) {
		t.s.cfg.Log.Error("clockwork: the bank contradicts itself about a file", "notice", n.ID, "file", file, "now", string(to))
		return store.NoticeContradicted, nil
	}
	return store.NoticeDone, err
}

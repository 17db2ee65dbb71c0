package memory

import (
	"context"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/store"
)

const pending = "not there yet"

func (v *view) DueOrders(now time.Time, p store.Page) ([]store.Due, error) { panic(pending) }

func (v *view) DueTransfers(now time.Time, p store.Page) ([]store.Due, error) { panic(pending) }

func (v *view) DueMerchants(day calendar.Date) ([]string, error) { panic(pending) }

func (v *view) AgedMerchants(day calendar.Date) ([]string, error) { panic(pending) }

func (v *view) Methods(company int64) ([]*credit.PaymentMethod, error) { panic(pending) }

func (v *view) Transfers(f store.TransferFilter, p store.Page) ([]*credit.Transfer, error) {
	panic(pending)
}

func (v *view) Payouts(f store.PayoutFilter, p store.Page) ([]*credit.Payout, error) { panic(pending) }

func (v *view) PayoutLines(f store.LineFilter, p store.Page) ([]*credit.PayoutLine, error) {
	panic(pending)
}

func (v *view) Notices(company int64, p store.Page) ([]*credit.Notice, error) { panic(pending) }

func (v *view) Periods() ([]*credit.Period, error) { panic(pending) }

func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
	panic(pending)
}

func (v *view) EachEntryOf(f store.BookFilter, fn func(store.EntryRow) error) error { panic(pending) }

func (v *view) EachMethod(fn func(*credit.PaymentMethod) error) error { panic(pending) }

func (v *view) EachTransfer(fn func(*credit.Transfer) error) error { panic(pending) }

func (v *view) EachPayout(fn func(*credit.Payout) error) error { panic(pending) }

func (v *view) EachPayoutLine(fn func(*credit.PayoutLine) error) error { panic(pending) }

func (v *view) EachNotice(fn func(*credit.Notice) error) error { panic(pending) }

func (db *DB) Unfiled(ctx context.Context, limit int) ([]*credit.Transfer, error) { panic(pending) }

func (db *DB) PutFile(ctx context.Context, f store.BankFile, transfers []string) (store.BankFile, []store.BankEntry, error) {
	panic(pending)
}

func (db *DB) Files(ctx context.Context, state store.FileState, limit int) ([]store.BankFile, error) {
	panic(pending)
}

func (db *DB) FileEntries(ctx context.Context, file string) ([]store.BankEntry, error) {
	panic(pending)
}

func (db *DB) MoveFile(ctx context.Context, id string, to store.FileState, at time.Time) error {
	panic(pending)
}

func (db *DB) EntryByTrace(ctx context.Context, trace int64) ([]store.BankEntry, error) {
	panic(pending)
}

func (db *DB) PutNotice(ctx context.Context, n store.BankNotice) (fresh bool, err error) {
	panic(pending)
}

func (db *DB) OpenNotices(ctx context.Context, limit int) ([]store.BankNotice, error) { panic(pending) }

func (db *DB) CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error {
	panic(pending)
}

func (db *DB) NoticesSince(ctx context.Context, at time.Time) (map[string]int, error) { panic(pending) }

func (db *DB) PutBankLines(ctx context.Context, lines []store.BankLine) (int, error) { panic(pending) }

func (db *DB) BankLines(ctx context.Context, open bool, p store.Page) ([]store.BankLine, error) {
	panic(pending)
}

func (db *DB) MatchBankLine(ctx context.Context, id, entry string) error { panic(pending) }

package sqlite

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"tenor/internal/credit"
	"tenor/internal/schedule"
	"tenor/internal/store"
)

// nouns are what keys name, in the order in which it is loaded.
var nouns = []struct {
	name string
	load func(*conn, *credit.State, credit.Keys) error
}{
	{"merchants", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadMerchants(s, missing(s.Merchants, keys.Merchants))
	}},
	{"companies", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadCompanies(s, missing(s.Companies, keys.Companies))
	}},
	{"claims", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadClaims(s, missing(s.Claims, keys.Claims))
	}},
	{"accounts", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadAccounts(s, missing(s.Accounts, keys.Accounts))
	}},
	{"orders", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadOrders(s, missing(s.Orders, keys.Orders))
	}},
	{"history", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadHistory(s, missing(s.History, keys.History))
	}},
	{"payments", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadPayments(s, missing(s.Payments, keys.Payments))
	}},
	{"invoices", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadInvoices(s, missing(s.Invoices, keys.Invoices))
	}},
	{"clients", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Clients, clientsByID, texts(missing(s.Clients, keys.Clients)), func(r *store.ClientRow) {
			s.Clients[r.ID] = r.Client
		})
	}},
	{"tokens", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Tokens, tokensByHash, hashes(missing(s.Tokens, keys.Tokens)), func(r *store.TokenRow) {
			s.Tokens[r.Key()] = r.Token
		})
	}},
	{"endpoints", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Endpoints, endpointsByID, texts(missing(s.Endpoints, keys.Endpoints)), func(r *store.EndpointRow) {
			s.Endpoints[r.ID] = r.Endpoint
		})
	}},
	{"payment methods", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PaymentMethods, methodsByID, texts(missing(s.Methods, keys.Methods)), func(r *store.MethodRow) {
			s.Methods[r.ID] = r.PaymentMethod
		})
	}},
	{"transfers", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Transfers, transfersByID, texts(missing(s.Transfers, keys.Transfers)), func(r *store.TransferRow) {
			s.Transfers[r.ID] = r.Transfer
		})
	}},
	{"payouts", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Payouts, payoutsByID, texts(missing(s.Payouts, keys.Payouts)), func(r *store.PayoutRow) {
			s.Payouts[r.ID] = r.Payout
		})
	}},
	{"positions", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Positions, positionsByMerchant, texts(missing(s.Positions, keys.Positions)), func(r *store.PositionRow) {
			s.Positions[r.Merchant] = r.Position
		})
	}},
	{"payout lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesByOf, texts(missing(s.OrderLines, keys.Lines)), func(r *store.LineRow) {
			s.OrderLines[r.Of] = append(s.OrderLines[r.Of], r.ID)
			keepLine(s, r)
		})
	}},
	{"waiting lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesWaiting, texts(missing(s.Waiting, keys.Waiting)), func(r *store.LineRow) {
			s.Waiting[r.Merchant] = append(s.Waiting[r.Merchant], r.ID)
			keepLine(s, r)
		})
	}},
	{"ended lines", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.PayoutLines, linesByPayout, texts(missing(s.Ended, keys.Ended)), func(r *store.LineRow) {
			s.Ended[r.Payout] = append(s.Ended[r.Payout], r.ID)
			keepLine(s, r)
		})
	}},
	{"notices", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Notices, noticesByID, texts(missing(s.Notices, keys.Notices)), func(r *store.NoticeRow) {
			s.Notices[r.ID] = r.Notice
		})
	}},
	{"periods", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Periods, periodsByMonth, days(missing(s.Periods, keys.Periods)), func(r *store.PeriodRow) {
			s.Periods[r.Month] = r.Period
		})
	}},
	{"lender", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Lenders, lendersByID, texts(missing(s.Lenders, keys.Lenders)), func(r *store.LenderRow) {
			s.Lenders[r.ID] = r.Lender
		})
	}},
	{"screenings", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Screenings, screeningsByID, texts(missing(s.Screenings, keys.Screenings)), func(r *store.ScreeningRow) {
			s.Screenings[r.ID] = r.Screening
		})
	}},
	{"receipts", func(k *conn, s *credit.State, keys credit.Keys) error {
		return each(k, &store.Receipts, receiptsByID, texts(missing(s.Receipts, keys.Receipts)), func(r *store.ReceiptRow) {
			s.Receipts[r.ID] = r.Receipt
		})
	}},
	{"records", func(k *conn, s *credit.State, keys credit.Keys) error {
		return k.loadRecords(s, missing(s.Records, keys.Records))
	}},
}

// hashes are the values of tokens' keys. What is no hash finds none.
func hashes(keys []string) tuples {
	rows := make(tuples, len(keys))
	for i, key := range keys {
		b, err := hex.DecodeString(key)
		if err != nil {
			b = nil
		}
		rows[i] = []store.Value{blob(b)}
	}
	return rows
}

// keepLine adds a line to the state, unless another list has brought it already.
func keepLine(s *credit.State, r *store.LineRow) {
	if _, found := s.Lines[r.ID]; !found {
		s.Lines[r.ID] = r.PayoutLine
	}
}

// load adds what the keys name to the state: one statement a noun, however many
// keys there are. What the state holds already is left alone.
func load(k *conn, s *credit.State, keys credit.Keys) error {
	for _, noun := range nouns {
		if err := noun.load(k, s, keys); err != nil {
			return fmt.Errorf("load %s: %w", noun.name, err)
		}
	}
	return nil
}

// missing marks the keys that the state does not hold as loaded, and returns them.
func missing[K comparable, V any](have map[K]V, keys []K) []K {
	var out []K
	for _, key := range keys {
		if _, ok := have[key]; ok {
			continue
		}
		var none V
		have[key] = none
		out = append(out, key)
	}
	return out
}

// each looks keys up and decodes what it finds.
func each[T any](k *conn, t *store.Table[T], by lookup, keys source, fn func(*T)) error {
	row := func(s *sqlite.Stmt) error {
		row, err := scan(k, t, s)
		if err == nil {
			fn(row)
		}
		return err
	}
	if keys.count() == 1 {
		return k.query(by.one, []store.Value{keys.value(0, 0)}, row)
	}
	return k.exec(by.many, keys, row)
}

func (k *conn) loadMerchants(s *credit.State, ids []string) error {
	err := each(k, &store.Merchants, merchantsByID, texts(ids), func(r *store.MerchantRow) {
		s.Merchants[r.ID] = r.Merchant
	})
	if err != nil {
		return err
	}
	return each(k, &store.Programmes, programmesByID, texts(ids), func(r *store.ProgrammeRow) {
		m := s.Merchants[r.Merchant]
		m.Programmes = append(m.Programmes, r.Programme)
	})
}

func (k *conn) loadCompanies(s *credit.State, ids []int64) error {
	for _, id := range ids {
		s.Credits[id] = nil
	}
	err := each(k, &store.Companies, companiesByID, numbers(ids), func(r *store.CompanyRow) {
		s.Companies[r.ID] = r.Company
	})
	if err != nil {
		return err
	}
	return each(k, &store.Credits, creditsByCompany, numbers(ids), func(r *store.CreditRow) {
		s.Credits[r.Company] = append(s.Credits[r.Company], r.Credit)
	})
}

func (k *conn) loadClaims(s *credit.State, claims []credit.Claim) error {
	rows := make(tuples, len(claims))
	for i, c := range claims {
		rows[i] = []store.Value{text(string(c.Kind)), text(c.Scope), text(c.Name)}
	}
	return k.exec(claimsByName, rows, func(stmt *sqlite.Stmt) error {
		row, err := scan(k, &store.Claims, stmt)
		if err == nil {
			s.Claims[row.Claim] = row.Owner
		}
		return err
	})
}

// loadOrders loads orders whose keys are marked already, with their loans.
func (k *conn) loadOrders(s *credit.State, keys []string) error {
	for _, key := range keys {
		s.Loans[key] = nil
	}
	captured := false
	err := each(k, &store.Orders, ordersByKey, texts(keys), func(r *store.OrderRow) {
		s.Orders[r.Key] = r.Order
		captured = captured || r.Revision > 0 || !r.CapturedAt.IsZero()
	})
	if err != nil || !captured {
		return err
	}
	return k.loadLoans(keys, func(r *store.LoanRow) { s.Loans[r.Key] = r.Loan })
}

// loadLoans reads whole loans.
func (k *conn) loadLoans(keys []string, fn func(*store.LoanRow)) error {
	loans := map[string]*schedule.Loan{}
	err := each(k, &store.Loans, loansByKey, texts(keys), func(r *store.LoanRow) {
		loans[r.Key] = r.Loan
		fn(r)
	})
	if err != nil {
		return err
	}
	err = each(k, &store.Installments, rowsByKey, texts(keys), func(r *store.InstallmentRow) {
		if loan := loans[r.Order]; loan != nil { // a damaged file may lack it: verify names the row
			loan.Rows = append(loan.Rows, r.Row)
		}
	})
	if err != nil {
		return err
	}
	return each(k, &store.Fees, feesByKey, texts(keys), func(r *store.FeeRow) {
		if loan := loans[r.Order]; loan != nil {
			loan.Fees = append(loan.Fees, r.Fee)
		}
	})
}

// loadHistory adds orders' money events and the payments that they name.
func (k *conn) loadHistory(s *credit.State, keys []string) error {
	var payments []string
	err := k.exec(historyByOrder, texts(keys), func(stmt *sqlite.Stmt) error {
		row, err := scan(k, &store.MoneyEvents, stmt)
		if err != nil {
			return err
		}
		order := stmt.ColumnText(len(store.MoneyEvents.Columns))
		s.History[order] = append(s.History[order], row.MoneyEvent)
		payments = append(payments, row.ID, row.Payment)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(payments)
	payments = slices.DeleteFunc(slices.Compact(payments), func(id string) bool { _, ok := s.Payments[id]; return ok })
	return k.loadPayments(s, payments)
}

// loadAccounts adds all captured orders of companies with their loans.
func (k *conn) loadAccounts(s *credit.State, ids []int64) error {
	type captured struct {
		key string
		at  int64
	}
	found := map[int64][]captured{}
	var keys []string
	err := k.exec(accountsByCompany, numbers(ids), func(stmt *sqlite.Stmt) error {
		c := captured{stmt.ColumnText(1), stmt.ColumnInt64(2)}
		found[stmt.ColumnInt64(0)] = append(found[stmt.ColumnInt64(0)], c)
		keys = append(keys, c.key)
		return nil
	})
	if err != nil {
		return err
	}
	for id, list := range found {
		slices.SortFunc(list, func(a, b captured) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) })
		for _, c := range list {
			s.Accounts[id] = append(s.Accounts[id], c.key)
		}
	}
	return k.loadOrders(s, missing(s.Orders, keys))
}

func (k *conn) loadPayments(s *credit.State, ids []string) error {
	return each(k, &store.Payments, paymentsByID, texts(ids), func(r *store.PaymentRow) {
		s.Payments[r.ID] = r.Payment
	})
}

func (k *conn) loadInvoices(s *credit.State, ids []string) error {
	return each(k, &store.Invoices, invoicesByID, texts(ids), func(r *store.InvoiceRow) {
		s.Invoices[r.ID] = r.Invoice
	})
}

package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// BankLine is one line of the bank's statement: an amount below zero went out.
type BankLine struct {
	Raw
	ID        string `json:"id"`
	Date      string `json:"date"`
	Amount    Amount `json:"amount"`
	Reference string `json:"reference"`
	MatchID   string `json:"match_id"` // "" while nobody has said which entries it is
	Owner     string `json:"owner"`
	Note      string `json:"note"`
}

// BankLineRequest adds one line of the bank's statement.
type BankLineRequest struct {
	ID        string `json:"id"`
	Date      string `json:"date"`
	Amount    Amount `json:"amount"`
	Reference string `json:"reference,omitempty"`
}

// BankLinesTaken says what has become of lines that were sent.
type BankLinesTaken struct {
	Raw
	Lines   int `json:"lines"`
	New     int `json:"new"`
	Matched int `json:"matched"`
}

// BankMatch says that lines of the bank's statement and entries on 1000 are the same
// money.
type BankMatch struct {
	Raw
	ID       string     `json:"id"`
	Rule     string     `json:"rule"`
	LineIDs  []string   `json:"line_ids"`
	EntryIDs []string   `json:"entry_ids"`
	Amount   Amount     `json:"amount"`
	Note     string     `json:"note"`
	MadeAt   time.Time  `json:"made_at"`
	MadeBy   string     `json:"made_by"`
	UndoneAt *time.Time `json:"undone_at"`
	UndoneBy string     `json:"undone_by"`
}

// BankMatchRequest says which entries lines are. Both sides come to the same amount.
type BankMatchRequest struct {
	LineIDs  []string `json:"line_ids,omitempty"`
	EntryIDs []string `json:"entry_ids,omitempty"`
	Note     string   `json:"note,omitempty"`
}

// BankReconciliation holds the bank's statement against account 1000 at the end of a
// day: the balances differ by what is open on both sides.
type BankReconciliation struct {
	Raw
	AsOf           string         `json:"as_of"`
	Currency       string         `json:"currency"`
	BankBalance    Amount         `json:"bank_balance"`
	LedgerBalance  Amount         `json:"ledger_balance"`
	Difference     Amount         `json:"difference"`
	OpenLinesSum   Amount         `json:"open_lines_sum"`
	OpenEntriesSum Amount         `json:"open_entries_sum"`
	Proven         bool           `json:"proven"`
	OpenLines      []BankOpenItem `json:"open_lines"`
	OpenEntries    []BankOpenItem `json:"open_entries"`
	Clearing       []BankClearing `json:"clearing"`
}

// BankOpenItem is a line of the bank, or an entry on 1000, without a counterpart.
type BankOpenItem struct {
	ID        string `json:"id"`
	Date      string `json:"date"`
	Amount    Amount `json:"amount"`
	Age       int    `json:"age"` // banking days
	Reference string `json:"reference"`
	Cause     string `json:"cause"`
	Owner     string `json:"owner"`
	Note      string `json:"note"`
}

// BankClearing is money on its way, on a clearing account.
type BankClearing struct {
	Account     int    `json:"account"`
	AccountName string `json:"account_name"`
	FileID      string `json:"file_id"`
	Rail        string `json:"rail"`
	SettlesOn   string `json:"settles_on"`
	Transfers   int    `json:"transfers"`
	Amount      Amount `json:"amount"`
	Late        bool   `json:"late"`
}

// PutBankLines adds lines of the bank's statement. Those that are there stay.
func (c *Client) PutBankLines(ctx context.Context, lines []BankLineRequest, options ...Option) (*BankLinesTaken, error) {
	body := struct {
		Lines []BankLineRequest `json:"lines"`
	}{lines}
	return send[BankLinesTaken](ctx, c, http.MethodPost, "/v1/operator/bank_lines", body, options)
}

// ListBankLines returns one page of lines, oldest first; only open ones if asked.
func (c *Client) ListBankLines(ctx context.Context, open bool, p Paging, options ...Option) (*Page[BankLine], error) {
	q := query{}
	if open {
		q.text("open", "true")
	}
	q.paging(p)
	return list[BankLine](ctx, c, "/v1/operator/bank_lines", q, options)
}

// PutBankCSV adds lines of the bank's statement as the bank exports them: a CSV whose
// first line names the columns id, date, amount and reference, in any order.
func (c *Client) PutBankCSV(ctx context.Context, csv io.Reader, options ...Option) (*BankLinesTaken, error) {
	body, err := io.ReadAll(io.LimitReader(csv, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read lines of the bank: %w", err)
	}
	if len(body) > maxList {
		return nil, ErrListTooLarge
	}
	k := &call{method: http.MethodPost, path: "/v1/operator/bank_lines", body: body, header: http.Header{"Content-Type": {"text/csv"}}}
	r, err := c.do(ctx, k, options)
	if err != nil {
		return nil, err
	}
	return read[BankLinesTaken](c, r, nil)
}

// assignment is the body of an assign.
type assignment struct {
	Owner string `json:"owner"`
	Note  string `json:"note,omitempty"`
}

// AssignBankLine says who sees to a line of the bank's statement.
func (c *Client) AssignBankLine(ctx context.Context, id, owner, note string, options ...Option) error {
	_, err := c.Do(ctx, http.MethodPost, at("v1", "operator", "bank_lines", id, "assign"), assignment{owner, note}, options...)
	return err
}

// AssignEntry says who sees to an entry on 1000.
func (c *Client) AssignEntry(ctx context.Context, id, owner, note string, options ...Option) error {
	_, err := c.Do(ctx, http.MethodPost, at("v1", "operator", "ledger", "entries", id, "assign"), assignment{owner, note}, options...)
	return err
}

// CreateBankMatch says which entries lines of the bank's statement are.
func (c *Client) CreateBankMatch(ctx context.Context, r BankMatchRequest, options ...Option) (*BankMatch, error) {
	return send[BankMatch](ctx, c, http.MethodPost, "/v1/operator/bank_matches", r, options)
}

// ListBankMatches returns one page of matches, newest first, undone ones too.
func (c *Client) ListBankMatches(ctx context.Context, p Paging, options ...Option) (*Page[BankMatch], error) {
	return pages[BankMatch](ctx, c, "/v1/operator/bank_matches", p, options)
}

// UndoBankMatch opens the lines and entries of a match again.
func (c *Client) UndoBankMatch(ctx context.Context, id string, options ...Option) (*BankMatch, error) {
	return send[BankMatch](ctx, c, http.MethodPost, at("v1", "operator", "bank_matches", id, "undo"), nil, options)
}

// BankReconciliation holds the bank's statement against account 1000 at the end of a
// day, "" for today.
func (c *Client) BankReconciliation(ctx context.Context, asOf string, options ...Option) (*BankReconciliation, error) {
	q := query{}
	q.text("as_of", asOf)
	return send[BankReconciliation](ctx, c, http.MethodGet, q.on("/v1/operator/bank_reconciliation"), nil, options)
}

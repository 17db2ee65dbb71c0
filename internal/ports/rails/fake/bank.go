package fake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// entry is an entry of a file accepted by the bank.
type entry struct {
	File        string        `json:"file"`
	Seq         int           `json:"seq"` // order of arrival
	Trace       string        `json:"trace"`
	Code        int           `json:"code"` // transaction code
	Routing     string        `json:"routing"`
	Number      string        `json:"number"`
	Amount      money.Amount  `json:"amount"`
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Extra       string        `json:"extra"` // discretionary data
	Class       string        `json:"class"`
	Company     string        `json:"company"`
	CompanyID   string        `json:"company_id"`
	Description string        `json:"description"`
	Settles     calendar.Date `json:"settles"`
	Returned    bool          `json:"returned"`
}

// debit and prenote interpret the last digit of a transaction code: 2 credit, 7 debit, 3 and 8
// their prenotes.
func (e *entry) debit() bool   { return e.Code%10 >= 6 }
func (e *entry) prenote() bool { return e.Code%5 == 3 }

// answer is what the bank will say about an entry.
type answer struct {
	At    time.Time `json:"at"`
	Trace string    `json:"trace"`
	Code  string    `json:"code"`
}

// left is a file waiting to be fetched.
type left struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

// order determines what happens to the next debit.
type order struct {
	Code    string `json:"code"`
	Account string `json:"account"` // number; "" any
}

// Send accepts a file. The same name with the same bytes again has no effect; other bytes return
// ErrTaken. The bank leaves an acknowledgment at once: it refuses a file that violates the
// format, or that it has under another name.
func (b *Bank) Send(_ context.Context, name string, content []byte) error {
	defer b.enter()()
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	if old, ok := b.s.Taken[name]; ok {
		if old != digest {
			return fmt.Errorf("%w: file %s", ErrTaken, name)
		}
		return nil
	}
	ack := ach.Acknowledgement{File: name, Code: "format", Message: "The file breaks the rules of the format."}
	twin := false
	for _, old := range b.s.Taken {
		twin = twin || old == digest
	}
	file, err := moov.NewReader(strings.NewReader(string(content))).Read()
	if err == nil {
		err = file.Validate()
	}
	switch {
	case err != nil:
	case twin:
		ack.Code, ack.Message = "duplicate", "The same file has been sent under another name."
	default:
		ack = ach.Acknowledgement{
			File: name, Accepted: true, Debits: money.Amount(file.Control.TotalDebitEntryDollarAmountInFile),
			Credits: money.Amount(file.Control.TotalCreditEntryDollarAmountInFile), Entries: b.take(name, &file),
		}
	}
	b.s.Taken[name] = digest
	b.leave("ack", ".txt", b.s.Now, ack.Text())
	b.flush()
	return nil
}

// take books the entries of a file and returns how many there are.
func (b *Bank) take(name string, file *moov.File) int {
	n := 0
	for _, batch := range file.Batches {
		h := batch.GetHeader()
		for _, x := range batch.GetEntries() {
			n++
			b.s.Seq++
			e := &entry{
				File: name, Seq: b.s.Seq, Trace: x.TraceNumber, Code: x.TransactionCode, Routing: x.RDFIIdentification + x.CheckDigit,
				Number: strings.TrimSpace(x.DFIAccountNumber), Amount: money.Amount(x.Amount), ID: strings.TrimSpace(x.IdentificationNumber),
				Name: strings.TrimSpace(x.IndividualName), Extra: x.DiscretionaryData, Class: h.StandardEntryClassCode,
				Company: h.CompanyName, CompanyID: h.CompanyIdentification, Description: h.CompanyEntryDescription, Settles: date(h.EffectiveEntryDate),
			}
			b.s.Entries[e.Trace] = e
			if code, at := b.fate(e); code != "" {
				b.s.Coming = append(b.s.Coming, answer{at, e.Trace, code})
			}
		}
	}
	return n
}

// date parses YYMMDD of this century.
func date(text string) calendar.Date {
	d, err := calendar.Parse("20" + text[:2] + "-" + text[2:4] + "-" + text[4:])
	if err != nil { // the library has parsed it before
		return calendar.None
	}
	return d
}

// fate decides what the bank will say about an entry, and when; "" for nothing.
func (b *Bank) fate(e *entry) (code string, at time.Time) {
	second := b.opening(e.Settles, 2)
	pays := e.debit() && !e.prenote() && e.Description != proof
	if i := slices.IndexFunc(b.s.Orders, func(o order) bool { return pays && (o.Account == "" || o.Account == e.Number) }); i >= 0 {
		code = b.s.Orders[i].Code
		b.s.Orders = slices.Delete(b.s.Orders, i, i+1)
		return code, second
	}
	kind, number, ok := magic(e.Number)
	back, change := "R"+number, "C"+number
	switch {
	case !ok:
	case kind == '1' && isReturn(back):
		return back, second
	case kind == '2' && isReturn(back):
		if last := ach.Deadline(back, e.Settles); last != calendar.None {
			return back, b.zone.At(last, openingHour, openingMinute)
		}
		return back, second
	case kind == '3' && isReturn(back) && pays && !b.s.Failed[e.Number]:
		b.s.Failed[e.Number] = true
		return back, second
	case kind == '4' && isChange(change) && !isCorrected(e, change):
		return change, second
	}
	return "", time.Time{}
}

// proof describes account verification entries: the debit among them takes micro-deposits back,
// and is not one that a test would want to fail.
const proof = "ACCTVERIFY"

// magic splits a special number: what happens, and the code's digits.
func magic(number string) (kind byte, digits string, ok bool) {
	if len(number) != 9 || number[0] < '1' || number[0] > '4' || number[1:7] != "000000" {
		return 0, "", false
	}
	return number[0], number[7:], true
}

// AccountFor returns the account number that makes the bank do something with a code, false if it
// does not know the code: 1 each debit is returned with a return code, 2 late, 3 only the first
// one, 4 it settles with a change code.
func AccountFor(kind int, code string) (string, bool) {
	if len(code) != 3 || kind < 4 && !isReturn(code) || kind == 4 && !isChange(code) {
		return "", false
	}
	return fmt.Sprintf("%d000000%s", kind, code[1:]), true
}

func isReturn(code string) bool { return moov.LookupReturnCode(code) != nil }
func isChange(code string) bool { return moov.LookupChangeCode(code) != nil }

// FailNext makes the next debit be returned with a code, or the next one from an account if its
// number is given. Requests are processed in order.
func (b *Bank) FailNext(code, account string) error {
	defer b.enter()()
	if !isReturn(code) {
		return fmt.Errorf("%w: %s", ErrCode, code)
	}
	b.s.Orders = append(b.s.Orders, order{code, account})
	return nil
}

// ReturnNow returns an entry at once, whether or not it has settled.
func (b *Bank) ReturnNow(trace int64, code string) error {
	defer b.enter()()
	if !isReturn(code) {
		return fmt.Errorf("%w: %s", ErrCode, code)
	}
	e, err := b.byTrace(trace)
	if err != nil {
		return err
	}
	b.s.Coming = append(b.s.Coming, answer{b.s.Now, e.Trace, code})
	b.flush()
	return nil
}

// RejectNow reports at once that an entry of an accepted file was not accepted: it has not
// settled and will not.
func (b *Bank) RejectNow(trace int64, code string) error {
	defer b.enter()()
	if !isReturn(code) {
		return fmt.Errorf("%w: %s", ErrCode, code)
	}
	e, err := b.byTrace(trace)
	if err != nil {
		return err
	}
	e.Returned = true
	b.leave("reject", ".txt", b.s.Now, ach.Acknowledgement{File: e.File, Accepted: true, Rejected: []ach.RejectedEntry{
		{Trace: trace, Amount: e.Amount, Code: code, Message: moov.LookupReturnCode(code).Reason},
	}}.Text())
	return nil
}

// Notice leaves a notification of change about the last entry of an account.
func (b *Bank) Notice(account, code string) error {
	defer b.enter()()
	if !isChange(code) {
		return fmt.Errorf("%w: %s", ErrCode, code)
	}
	var last *entry
	for _, e := range b.s.Entries {
		if e.Number == account && (last == nil || e.Seq > last.Seq) {
			last = e
		}
	}
	if last == nil {
		return fmt.Errorf("%w: no entry of the account", ErrUnknown)
	}
	b.s.Coming = append(b.s.Coming, answer{b.s.Now, last.Trace, code})
	b.flush()
	return nil
}

// byTrace finds the last entry with one of our trace numbers that has not been returned.
func (b *Bank) byTrace(trace int64) (*entry, error) {
	var last *entry
	for _, e := range b.s.Entries {
		if n, err := strconv.ParseInt(e.Trace[8:], 10, 64); err == nil && n == trace && (last == nil || e.Seq > last.Seq) {
			last = e
		}
	}
	switch {
	case last == nil:
		return nil, fmt.Errorf("%w: trace %d", ErrUnknown, trace)
	case last.Returned:
		return nil, fmt.Errorf("%w: trace %d", ErrState, trace)
	}
	return last, nil
}

// Fetch lists the files that the bank has left, oldest first, until they are done.
func (b *Bank) Fetch(context.Context) ([]rails.Incoming, error) {
	defer b.enter()()
	var out []rails.Incoming
	for _, f := range b.s.Left {
		out = append(out, rails.Incoming{Name: f.Name, Content: slices.Clone(f.Content)})
	}
	return out, nil
}

// Done removes a file from the list. It is idempotent.
func (b *Bank) Done(_ context.Context, name string) error {
	defer b.enter()()
	b.s.Left = slices.DeleteFunc(b.s.Left, func(f left) bool { return f.Name == name })
	return nil
}

// memory is how many days after its settlement an entry can still be returned.
const memory = 120

// forget drops entries about which nothing more can be said.
func (b *Bank) forget() {
	today := b.zone.Date(b.s.Now)
	for trace, e := range b.s.Entries {
		if e.Settles.AddDays(memory) < today && !slices.ContainsFunc(b.s.Coming, func(a answer) bool { return a.Trace == trace }) {
			delete(b.s.Entries, trace)
		}
	}
}

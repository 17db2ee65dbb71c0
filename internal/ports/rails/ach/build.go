package ach

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/account"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// ErrInstruction means that an instruction cannot become an entry of a file.
var ErrInstruction = errors.New("ach: instruction")

// ErrAccount means that an entry of a file cannot name an account (F41.11).
var ErrAccount = errors.New("ach: account")

const (
	maxTrace  int64        = 9_999_999
	maxAmount money.Amount = 99_999_999_99 // ten digits of cents
)

// Build builds a file from instructions (F22). The same arguments give the same bytes. The error
// wraps ErrOrigin or ErrInstruction and names a transfer, never an account.
func Build(o Origin, f rails.File) ([]byte, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(f.Instructions) == 0 {
		return nil, fmt.Errorf("%w: file %s has none", ErrInstruction, f.ID)
	}
	list := slices.Clone(f.Instructions)
	slices.SortFunc(list, func(a, b rails.Instruction) int { return cmp.Compare(a.Trace, b.Trace) })
	for i, x := range list {
		if err := check(x); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrInstruction, x.Transfer, err)
		}
		if i > 0 && list[i-1].Trace == x.Trace {
			return nil, fmt.Errorf("%w: %s and %s share the trace number %d", ErrInstruction, list[i-1].Transfer, x.Transfer, x.Trace)
		}
	}
	file := moov.NewFile()
	if len(o.Source) == 10 { // the library expects a routing number, which has nine digits
		file.SetValidation(&moov.ValidateOpts{BypassOriginValidation: true})
	}
	file.SetHeader(o.header(f, file.GetValidation()))
	for i, b := range batches(list) {
		made, err := o.batch(b, i+1, f)
		if err != nil {
			return nil, fmt.Errorf("ach: %s: batch %d: %s", f.ID, i+1, reason(err))
		}
		file.AddBatch(made)
	}
	if err := file.Create(); err != nil {
		return nil, fmt.Errorf("ach: %s: %s", f.ID, reason(err))
	}
	var out bytes.Buffer
	if err := moov.NewWriter(&out).Write(file); err != nil {
		return nil, fmt.Errorf("ach: %s: %s", f.ID, reason(err))
	}
	return out.Bytes(), nil
}

func (o Origin) header(f rails.File, opts *moov.ValidateOpts) moov.FileHeader {
	h := moov.NewFileHeader()
	h.SetValidation(opts)
	h.ImmediateDestination, h.ImmediateDestinationName = o.Destination, o.DestinationName
	h.ImmediateOrigin, h.ImmediateOriginName = o.Source, o.SourceName
	h.FileCreationDate, h.FileCreationTime = f.CutOff.Format("060102"), f.CutOff.Format("1504")
	h.FileIDModifier = string(rune(f.Modifier))
	return h
}

// kind is common to the entries of a batch.
type kind struct {
	sec         string
	description string
	settles     calendar.Date
	debit       bool
}

type batch struct {
	kind
	list []rails.Instruction
}

// batches groups instructions, ordered by trace, and sorts the groups by kind.
func batches(list []rails.Instruction) []batch {
	groups := map[kind][]rails.Instruction{}
	for _, x := range list {
		k := kind{sec(x), x.Description, x.Settles, x.Debit}
		groups[k] = append(groups[k], x)
	}
	out := make([]batch, 0, len(groups))
	for k, g := range groups {
		out = append(out, batch{k, g})
	}
	slices.SortFunc(out, func(a, b batch) int {
		return cmp.Or(
			strings.Compare(a.sec, b.sec), strings.Compare(a.description, b.description),
			cmp.Compare(a.settles, b.settles), cmp.Compare(a.list[0].Trace, b.list[0].Trace),
		)
	})
	return out
}

// sec returns the standard entry class: it depends on who owns the account, not on who buys
// (F22). A credit to a consumer is PPD however it was authorized: WEB credits are for payments
// between people.
func sec(x rails.Instruction) string {
	switch {
	case x.Account.HolderType == rails.Business:
		return moov.CCD
	case x.Account.Online && x.Debit:
		return moov.WEB
	}
	return moov.PPD
}

func (o Origin) batch(b batch, number int, f rails.File) (moov.Batcher, error) {
	h := moov.NewBatchHeader()
	h.ServiceClassCode = moov.CreditsOnly
	if b.debit {
		h.ServiceClassCode = moov.DebitsOnly
	}
	h.CompanyName, h.CompanyIdentification = o.Company, o.CompanyID
	h.StandardEntryClassCode, h.CompanyEntryDescription = b.sec, b.description
	h.CompanyDescriptiveDate = f.CutOff.Format("060102")
	h.EffectiveEntryDate = yymmdd(b.settles)
	h.ODFIIdentification = o.ODFI[:8]
	h.BatchNumber = number
	made, err := moov.NewBatch(h)
	if err != nil {
		return nil, err
	}
	for _, x := range b.list {
		made.AddEntry(o.entry(x, b.sec))
	}
	return made, made.Create()
}

func (o Origin) entry(x rails.Instruction, sec string) *moov.EntryDetail {
	e := moov.NewEntryDetail()
	e.TransactionCode = transactionCode(x)
	e.RDFIIdentification, e.CheckDigit = x.Account.Routing[:8], x.Account.Routing[8:]
	e.DFIAccountNumber = x.Account.Number
	e.Amount = int(x.Amount)
	e.IdentificationNumber = x.Transfer[max(0, len(x.Transfer)-15):]
	e.IndividualName = account.Name(x.Account.Name)
	if sec == moov.WEB {
		e.DiscretionaryData = "R" // under a standing authorization; S would be for a single entry
	}
	e.TraceNumber = fmt.Sprintf("%s%07d", o.ODFI[:8], x.Trace)
	return e
}

// transactionCode encodes the account type and the operation: 22 27 checking, 32 37 savings, one
// more for a prenote.
func transactionCode(x rails.Instruction) int {
	code := moov.CheckingCredit
	if x.Account.AccountType == rails.Savings {
		code = moov.SavingsCredit
	}
	if x.Debit {
		code += moov.CheckingDebit - moov.CheckingCredit
	}
	if x.Prenote {
		code++
	}
	return code
}

// Check refuses an instruction, without a trace number yet, that the format would truncate or
// garble. The error wraps ErrInstruction, and ErrAccount if no file can name the account; it
// never contains an account number.
func Check(x rails.Instruction) error {
	x.Trace = 1
	if err := check(x); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrInstruction, x.Transfer, err)
	}
	return nil
}

// CheckAccount refuses an account that no entry can name; the error wraps ErrAccount.
func CheckAccount(a rails.Account) error {
	why := account.Problem(a.Routing, a.AccountType, a.HolderType, a.Name)
	if why == "" {
		why = account.NumberProblem(a.Number)
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrAccount, why)
}

// check refuses what the format would truncate or garble.
func check(x rails.Instruction) error {
	if err := CheckAccount(x.Account); err != nil {
		return err
	}
	switch {
	case x.Trace < 1 || x.Trace > maxTrace:
		return fmt.Errorf("trace number %d is not between 1 and %d", x.Trace, maxTrace)
	case x.Prenote && x.Amount != 0:
		return errors.New("a prenote must have no amount")
	case !x.Prenote && (x.Amount <= 0 || x.Amount > maxAmount):
		return fmt.Errorf("amount %s is not between 0.01 and %s", x.Amount, maxAmount)
	case x.Description == "" || len(x.Description) > 10 || !printable(x.Description):
		return errors.New("the entry description must be 1 to 10 characters")
	case slices.Contains(reserved[:], x.Description): // used by fraud monitoring (F22)
		return fmt.Errorf("the entry description %s is reserved", x.Description)
	case x.Settles == calendar.None:
		return errors.New("no effective entry date")
	}
	return nil
}

// reserved are descriptions that the rules reserve for wages and for goods sold online.
var reserved = [...]string{"PAYROLL", "PURCHASE"}

func yymmdd(d calendar.Date) string {
	text := d.String()
	return text[2:4] + text[5:7] + text[8:]
}

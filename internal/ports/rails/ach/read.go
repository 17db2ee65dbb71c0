package ach

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/account"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// MaxFile is the maximum size of a file from a bank, in bytes: some hundred thousand entries.
// Transports read at most one byte more.
const MaxFile = 32 << 20

// Errors of Read. Any other problem with a file wraps ErrFile.
var (
	ErrFile = errors.New("ach: not a bank file")
	// ErrCut means that the file is truncated: its control record is missing. It may still be in
	// transit.
	ErrCut = fmt.Errorf("%w: it has no file control record, so part of it is missing", ErrFile)
)

// Read parses a file left by a bank: returns, notifications of change, and acknowledgements in
// the format of Acknowledgement. It is all or nothing: a file with wrong totals, counts or hashes
// gives no item. An ACH file without entries is a bank's "nothing today".
//
// Item IDs start with a digest of the content, so that a bank may reuse a file name. An item
// whose original trace number belongs to another bank has Trace 0. Errors name the line and the
// field, never its content.
func Read(o Origin, name string, content []byte) ([]rails.Item, error) {
	sum := sha256.Sum256(content)
	items, err := o.read(hex.EncodeToString(sum[:6]), content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return items, nil
}

func (o Origin) read(digest string, content []byte) ([]rails.Item, error) {
	switch {
	case len(o.ODFI) != 9:
		return nil, fmt.Errorf("%w: no routing number of the originating bank", ErrOrigin)
	case len(content) > MaxFile:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrFile, MaxFile)
	case bytes.HasPrefix(content, []byte(ackTitle)):
		a, err := parseAck(content)
		if err != nil {
			return nil, err
		}
		return a.items(digest), nil
	}
	file, err := parse(content)
	if err != nil {
		return nil, err
	}
	items, others := o.entries(digest, file)
	if len(items) == 0 && others > 0 {
		return nil, fmt.Errorf("%w: none of its %d entries is a return or a notification of change", ErrFile, others)
	}
	return items, nil
}

// lenient returns what is tolerated in a bank's file beyond the rules of the format. The
// addressee, the numbering of entries and the validity of a routing number (R28 says that it is
// invalid) are not ours to judge. Counts, totals and hashes are.
func lenient() *moov.ValidateOpts {
	return &moov.ValidateOpts{
		BypassOriginValidation:           true,
		BypassDestinationValidation:      true,
		CustomTraceNumbers:               true,
		CustomReturnCodes:                true,
		AllowZeroBatches:                 true,
		AllowUnorderedBatchNumbers:       true,
		AllowInvalidCheckDigit:           true,
		AllowEmptyIndividualName:         true,
		SkipFileCreationValidation:       true,
		SkipBatchHeaderCompanyValidation: true,
	}
}

// parse parses the records of an ACH file.
func parse(content []byte) (*moov.File, error) {
	plain, err := plainText(content)
	if err != nil {
		return nil, err
	}
	r := moov.NewReader(strings.NewReader(plain))
	r.SetMaxLines(MaxFile / moov.RecordLength)
	r.SetValidation(lenient())
	file, err := r.Read()
	if file.Control.LineNumber == 0 && (err != nil || file.Header.LineNumber != 0) { // even the header may be incomplete
		return nil, ErrCut
	}
	if err == nil {
		err = file.ValidateWith(lenient())
	}
	if err != nil && cutLine(plain) {
		return nil, ErrCut
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFile, reason(err))
	}
	return &file, nil
}

// cutLine reports whether a text ends within a record.
func cutLine(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return last != "" && len(strings.TrimRight(last, "\r")) < moov.RecordLength
}

// plainText replaces every letter outside ASCII with a ?, whether the content is UTF-8 or
// Latin-1: nothing that is matched contains one, and a record keeps its 94 characters. A text
// contains no control characters.
func plainText(content []byte) (string, error) {
	var out strings.Builder
	out.Grow(len(content))
	wide := utf8.Valid(content)
	for i := 0; i < len(content); {
		c, size := rune(content[i]), 1
		if wide {
			c, size = utf8.DecodeRune(content[i:])
		}
		switch {
		case c == '\n' || c == '\r' || c >= ' ' && c <= '~':
			out.WriteByte(content[i])
		case c < ' ' || c == 0x7f:
			return "", fmt.Errorf("%w: byte %d is a control character", ErrFile, i)
		default:
			out.WriteByte('?')
		}
		i += size
	}
	return out.String(), nil
}

// entries returns an item for each entry about one of ours, and counts the others: offsets,
// acknowledgments of single credits, credits to us.
func (o Origin) entries(digest string, file *moov.File) (items []rails.Item, others int) {
	for b, batch := range file.Batches {
		for i, e := range batch.GetEntries() {
			x, ok := o.item(e)
			if !ok {
				others++
				continue
			}
			x.ID = fmt.Sprintf("%s-%d.%d", digest, b+1, i+1)
			x.Account.HolderType = holder(batch.GetHeader().StandardEntryClassCode)
			items = append(items, x)
		}
		others += len(batch.GetADVEntries())
	}
	for _, batch := range file.IATBatches { // we send none abroad
		others += len(batch.GetEntries())
	}
	return items, others
}

// holder returns the kind of owner of accounts for a class of entries, "" if unknown.
func holder(sec string) string {
	switch sec {
	case moov.CCD, moov.CTX:
		return rails.Business
	case moov.PPD, moov.WEB, moov.TEL:
		return rails.Consumer
	}
	return ""
}

func (o Origin) item(e *moov.EntryDetail) (rails.Item, bool) {
	x := rails.Item{
		Kind: rails.Return, Amount: money.Amount(e.Amount), Debit: e.CreditOrDebit() == "D",
		Account: rails.Account{
			Number: strings.TrimSpace(e.DFIAccountNumber), AccountType: accountType(e.TransactionCode), Name: strings.TrimSpace(e.IndividualName),
		},
	}
	var trace, dfi, note string
	switch {
	case e.Addenda99 != nil:
		a := e.Addenda99
		x.Code, trace, dfi, note = a.ReturnCode, a.OriginalTrace, a.OriginalDFI, a.AddendaInformation
	case e.Addenda99Dishonored != nil:
		a := e.Addenda99Dishonored
		x.Code, trace, dfi, note = a.DishonoredReturnReasonCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification, a.AddendaInformation
	case e.Addenda99Contested != nil:
		a := e.Addenda99Contested
		x.Code, trace, dfi = a.ContestedReturnCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification
	case e.Addenda98 != nil:
		a := e.Addenda98
		x.Kind, x.Code, trace, dfi = rails.Change, a.ChangeCode, a.OriginalTrace, a.OriginalDFI
		x.Corrected, note = corrected(a)
	case e.Addenda98Refused != nil:
		a := e.Addenda98Refused
		x.Kind, x.Code, trace, dfi = rails.Change, a.RefusedChangeCode, a.OriginalTrace, a.OriginalDFI
	default:
		return x, false
	}
	if x.Kind == rails.Return {
		x.Cost = o.ReturnCost
	}
	if d := CheckDigit(dfi); d >= 0 {
		x.Account.Routing = dfi + strconv.Itoa(d)
	}
	x.Trace = o.trace(trace)
	x.Message = message(x.Code, note)
	return x, true
}

// trace returns the number that we assigned: the last seven digits, if the first eight are our
// bank's; otherwise 0.
func (o Origin) trace(text string) int64 {
	own, ours := strings.CutPrefix(text, o.ODFI[:8])
	n, err := strconv.ParseUint(own, 10, 63)
	if !ours || err != nil || len(own) != 7 {
		return 0
	}
	return int64(n)
}

func accountType(transactionCode int) string {
	switch transactionCode / 10 {
	case moov.CheckingCredit / 10:
		return rails.Checking
	case moov.SavingsCredit / 10:
		return rails.Savings
	}
	return ""
}

// corrected returns the data that a notification corrects. Unusable data, such as an invalid
// account, is left out, and the note says so.
func corrected(a *moov.Addenda98) (rails.Account, string) {
	switch a.ChangeCode {
	case "C01", "C02", "C03", "C04", "C05", "C06", "C07":
	default:
		return rails.Account{}, ""
	}
	data := a.ParseCorrectedData()
	if field := a.CorrectedDataField(); data == nil && a.ChangeCode == "C07" && len(field) >= 28 {
		// A number of 17 characters leaves no space before the transaction code.
		if code, err := strconv.Atoi(field[26:28]); err == nil {
			data = &moov.CorrectedData{RoutingNumber: field[:9], AccountNumber: strings.TrimSpace(field[9:26]), TransactionCode: code}
		}
	}
	const unusable = "the corrected data cannot be used"
	if data == nil {
		return rails.Account{}, unusable
	}
	x := rails.Account{Routing: data.RoutingNumber, Number: data.AccountNumber, Name: data.Name, AccountType: accountType(data.TransactionCode)}
	if x.Routing != "" && !ValidRouting(x.Routing) || x.Number != "" && account.NumberProblem(x.Number) != "" || x.Name != "" && !account.Writable(x.Name) || data.TransactionCode != 0 && x.AccountType == "" || x == (rails.Account{}) {
		return rails.Account{}, unusable
	}
	return x, ""
}

// message combines a code's meaning with the bank's note.
func message(code, note string) string {
	text := ""
	if r := moov.LookupReturnCode(code); r != nil {
		text = r.Reason
	} else if c := moov.LookupChangeCode(code); c != nil {
		text = c.Reason
	}
	if note = masked(strings.TrimSpace(note)); note != "" {
		text = strings.TrimPrefix(text+": "+note, ": ")
	}
	return text
}

// longest is the maximum number of digits of a number in a bank's note that is shown in full: a
// longer one may be an account number, and everyone who reads about the failure reads the note.
const longest = 5

// masked replaces the long numbers in a note with their last four digits.
func masked(note string) string {
	var out strings.Builder
	for i := 0; i < len(note); {
		n := i
		for n < len(note) && note[n] >= '0' && note[n] <= '9' {
			n++
		}
		switch {
		case n-i > longest:
			out.WriteString("*" + note[n-4:n])
		case n > i:
			out.WriteString(note[i:n])
		default:
			out.WriteByte(note[i])
			n = i + 1
		}
		i = n
	}
	return out.String()
}

// reason describes what is wrong with a file, without its content: fields contain account numbers
// and names, and the library quotes them.
func reason(err error) string {
	where := ""
	if list, ok := err.(interface{ Err() error }); ok { // the first one of several
		err = list.Err()
	}
	var line int
	var record string
	if n, _ := fmt.Sscanf(err.Error(), "line:%d record:%s", &line, &record); n == 2 {
		where = fmt.Sprintf("line %d, %s: ", line, record)
	}
	for {
		var b *moov.BatchError
		var f *moov.FieldError
		switch {
		case errors.As(err, &b):
			where, err = where+b.FieldName+": ", b.Err
		case errors.As(err, &f):
			where, err = where+f.FieldName+": ", f.Err
		default:
			if inner := errors.Unwrap(err); inner != nil {
				err = inner
				continue
			}
			return where + err.Error()
		}
	}
}

package fake

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/calendar"
	"tenor/internal/ports/rails/ach"
)

// flush reports what has become due: one file of returns and one of changes for each instant, so
// that the number of steps in which time has passed makes no difference.
func (b *Bank) flush() {
	due := func(a answer) bool { return !a.At.After(b.s.Now) }
	var ready []answer
	for _, a := range b.s.Coming {
		if due(a) {
			ready = append(ready, a)
		}
	}
	b.s.Coming = slices.DeleteFunc(b.s.Coming, due)
	slices.SortStableFunc(ready, func(x, y answer) int {
		return cmp.Or(x.At.Compare(y.At), -strings.Compare(x.Code[:1], y.Code[:1]), strings.Compare(x.Trace, y.Trace))
	})
	for len(ready) > 0 {
		first, n := ready[0], 1
		for n < len(ready) && ready[n].At.Equal(first.At) && ready[n].Code[0] == first.Code[0] {
			n++
		}
		b.say(ready[:n])
		ready = ready[n:]
	}
}

// say leaves a file with what is reported at one instant: returns, or changes.
func (b *Bank) say(list []answer) {
	var entries []*entry
	var codes []string
	for _, a := range list {
		e := b.s.Entries[a.Trace]
		if e == nil || a.Code[0] == 'R' && e.Returned { // a bank returns an entry once
			continue
		}
		e.Returned = e.Returned || a.Code[0] == 'R'
		entries, codes = append(entries, e), append(codes, a.Code)
	}
	if len(entries) == 0 {
		return
	}
	name := "return"
	if codes[0][0] == 'C' {
		name = "change"
	}
	content, err := b.write(list[0].At, entries, codes)
	if err != nil { // what the library has read it can write
		panic(fmt.Sprintf("fake: %s file: %v", name, err))
	}
	b.leave(name, ".ach", list[0].At, content)
}

// leave leaves a file to be fetched, under a unique name.
func (b *Bank) leave(what, ext string, at time.Time, content []byte) {
	b.s.Seq++
	name := fmt.Sprintf("%s_%s_%06d%s", what, at.In(b.zone.Location()).Format("20060102_1504"), b.s.Seq, ext)
	b.s.Left = append(b.s.Left, left{name, content})
}

// same is common to the entries of one batch.
type same struct {
	class, company, id, description string
	category                        string // a return and its contest do not share a batch
	settles                         calendar.Date
	debit                           bool
}

// write creates an ACH file with the fake bank's answers, with a batch for each of our batches.
func (b *Bank) write(at time.Time, entries []*entry, codes []string) ([]byte, error) {
	local := at.In(b.zone.Location())
	file := moov.NewFile()
	h := moov.NewFileHeader()
	odfi := entries[0].Trace[:8]
	h.ImmediateDestination, h.ImmediateOrigin = fmt.Sprintf("%s%d", odfi, ach.CheckDigit(odfi)), Routing
	h.ImmediateDestinationName, h.ImmediateOriginName = "ORIGINATING BANK", "SANDBOX BANK"
	h.FileCreationDate, h.FileCreationTime = local.Format("060102"), local.Format("1504")
	file.SetHeader(h)
	batches := map[same]moov.Batcher{}
	for i, e := range entries {
		b.s.Seq++
		x := reply(e, codes[i], b.s.Seq)
		k := same{e.Class, e.Company, e.CompanyID, e.Description, x.Category, e.Settles, e.debit()}
		batch := batches[k]
		if batch == nil {
			var err error
			if batch, err = moov.NewBatch(header(k, codes[i], local, len(batches)+1)); err != nil {
				return nil, err
			}
			batches[k] = batch
			file.AddBatch(batch)
		}
		batch.AddEntry(x)
	}
	for _, batch := range file.Batches {
		if err := batch.Create(); err != nil {
			return nil, err
		}
	}
	if err := file.Create(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err := moov.NewWriter(&out).Write(file)
	return out.Bytes(), err
}

func header(k same, code string, local time.Time, number int) *moov.BatchHeader {
	h := moov.NewBatchHeader()
	h.ServiceClassCode, h.StandardEntryClassCode = moov.CreditsOnly, k.class
	if k.debit {
		h.ServiceClassCode = moov.DebitsOnly
	}
	if code[0] == 'C' {
		h.StandardEntryClassCode = moov.COR
	}
	h.CompanyName, h.CompanyIdentification, h.CompanyEntryDescription = k.company, k.id, k.description
	h.EffectiveEntryDate = local.Format("060102")
	h.ODFIIdentification, h.BatchNumber = Routing[:8], number
	return h
}

// reply returns an entry with what is reported about it.
func reply(e *entry, code string, seq int) *moov.EntryDetail {
	x := moov.NewEntryDetail()
	x.TransactionCode = e.Code/10*10 + 1 // of a credit
	if e.debit() {
		x.TransactionCode += 5
	}
	x.RDFIIdentification, x.CheckDigit = e.Trace[:8], fmt.Sprint(ach.CheckDigit(e.Trace[:8])) // it goes back to the bank that sent it
	x.DFIAccountNumber, x.Amount, x.IdentificationNumber, x.IndividualName = e.Number, int(e.Amount), e.ID, e.Name
	x.DiscretionaryData, x.AddendaRecordIndicator = e.Extra, 1
	x.TraceNumber = fmt.Sprintf("%s%07d", Routing[:8], seq%10_000_000)
	x.Category = moov.CategoryReturn
	switch {
	case moov.IsRefusedChangeCode(code):
		a := moov.NewAddenda98Refused()
		a.RefusedChangeCode, a.OriginalTrace, a.OriginalDFI, a.TraceNumber = code, e.Trace, e.Routing[:8], x.TraceNumber
		a.CorrectedData, a.ChangeCode, a.TraceSequenceNumber = "NONE", "C01", e.Trace[8:]
		x.Addenda98Refused, x.Category, x.Amount = a, moov.CategoryNOC, 0
	case code[0] == 'C':
		a := moov.NewAddenda98()
		a.ChangeCode, a.OriginalTrace, a.OriginalDFI, a.TraceNumber = code, e.Trace, e.Routing[:8], x.TraceNumber
		a.CorrectedData = correctedData(e, code)
		x.Addenda98, x.Category, x.Amount = a, moov.CategoryNOC, 0
	case moov.IsDishonoredReturnCode(code):
		a := moov.NewAddenda99Dishonored()
		a.DishonoredReturnReasonCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification = code, e.Trace, e.Routing[:8]
		a.TraceNumber = x.TraceNumber
		x.Addenda99Dishonored, x.Category = a, moov.CategoryDishonoredReturn
	case moov.IsContestedReturnCode(code):
		a := moov.NewAddenda99Contested()
		a.ContestedReturnCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification = code, e.Trace, e.Routing[:8]
		a.TraceNumber = x.TraceNumber
		x.Addenda99Contested, x.Category = a, moov.CategoryDishonoredReturnContested
	default:
		a := moov.NewAddenda99()
		a.ReturnCode, a.OriginalTrace, a.OriginalDFI, a.TraceNumber = code, e.Trace, e.Routing[:8], x.TraceNumber
		x.Addenda99 = a
	}
	return x
}

// What notifications of change correct an account to.
const (
	CorrectedRouting = "990000013"
	CorrectedNumber  = Account
	CorrectedName    = "CORRECTED NAME LLC"
)

// corrected returns what a change code corrects in an entry: only the fields that it is about.
func corrected(e *entry, code string) moov.CorrectedData {
	other := e.Code%10 + 30 // savings for checking, and vice versa
	if e.Code >= 30 {
		other = e.Code%10 + 20
	}
	switch code {
	case "C01":
		return moov.CorrectedData{AccountNumber: CorrectedNumber}
	case "C02":
		return moov.CorrectedData{RoutingNumber: CorrectedRouting}
	case "C03":
		return moov.CorrectedData{RoutingNumber: CorrectedRouting, AccountNumber: CorrectedNumber}
	case "C04":
		return moov.CorrectedData{Name: CorrectedName}
	case "C05":
		return moov.CorrectedData{TransactionCode: other}
	case "C06":
		return moov.CorrectedData{AccountNumber: CorrectedNumber, TransactionCode: other}
	case "C07":
		return moov.CorrectedData{RoutingNumber: CorrectedRouting, AccountNumber: CorrectedNumber, TransactionCode: other}
	case "C09":
		return moov.CorrectedData{Identification: "CORRECTED ID"}
	}
	return moov.CorrectedData{}
}

func correctedData(e *entry, code string) string {
	data := corrected(e, code)
	if data == (moov.CorrectedData{}) {
		return "SEE CODE"
	}
	return moov.WriteCorrectionData(code, &data)
}

// isCorrected reports whether an entry already has what a notification would correct. An account
// that was to become a savings account is one.
func isCorrected(e *entry, code string) bool {
	switch code {
	case "C02":
		return e.Routing == CorrectedRouting
	case "C04":
		return e.Name == CorrectedName
	case "C05":
		return e.Code >= 30
	}
	return false
}

package ach

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// Acknowledgement is a bank's response to a file that it was sent. The rules of the
// network define no format for it, and each bank has its own: ours consists of lines
// "word: value". A bank's own format is converted to it before it is read.
//
//	ACH FILE ACKNOWLEDGEMENT
//	file: achf_20260213_A
//	status: ACCEPTED
//	entries: 2
//	debits: 300.00
//	credits: 97.00
//	rejected: 12 200.00 R19 Amount field error
//
// status is ACCEPTED or REFUSED; code and message say why. A "rejected" line is an
// entry that the bank left out of an accepted file: trace number, amount, code and
// message. Each line ends with a line feed, including the last: a file that ends otherwise
// is still being written.
type Acknowledgement struct {
	File            string
	Accepted        bool
	Code, Message   string
	Entries         int
	Debits, Credits money.Amount
	Rejected        []RejectedEntry
}

// RejectedEntry is an entry that a bank did not accept.
type RejectedEntry struct {
	Trace         int64
	Amount        money.Amount
	Code, Message string
}

const ackTitle = "ACH FILE ACKNOWLEDGEMENT"

// Text formats the acknowledgement as Read parses it.
func (a Acknowledgement) Text() []byte {
	var b bytes.Buffer
	status := "REFUSED"
	if a.Accepted {
		status = "ACCEPTED"
	}
	fmt.Fprintf(&b, "%s\nfile: %s\nstatus: %s\n", ackTitle, a.File, status)
	if a.Code != "" {
		fmt.Fprintf(&b, "code: %s\n", a.Code)
	}
	if a.Message != "" {
		fmt.Fprintf(&b, "message: %s\n", oneLine(a.Message))
	}
	fmt.Fprintf(&b, "entries: %d\ndebits: %s\ncredits: %s\n", a.Entries, a.Debits, a.Credits)
	for _, r := range a.Rejected {
		fmt.Fprintf(&b, "rejected: %d %s %s %s\n", r.Trace, r.Amount, r.Code, oneLine(r.Message))
	}
	return b.Bytes()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func parseAck(content []byte) (Acknowledgement, error) {
	var a Acknowledgement
	status := ""
	if content[len(content)-1] != '\n' {
		return a, fmt.Errorf("%w: acknowledgement: the last line is incomplete", ErrCut)
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n"), "\n")
	if lines[0] != ackTitle {
		return a, fmt.Errorf("%w: acknowledgement: line 1 must be only the title", ErrFile)
	}
	for i, line := range lines[1:] {
		word, value, _ := strings.Cut(line, ": ")
		var err error
		switch word {
		case "file":
			a.File = value
		case "status":
			status = value
		case "code":
			a.Code = value
		case "message":
			a.Message = value
		case "entries":
			a.Entries, err = strconv.Atoi(value)
		case "debits":
			a.Debits, err = parseAmount(value)
		case "credits":
			a.Credits, err = parseAmount(value)
		case "rejected":
			var r RejectedEntry
			r, err = parseRejected(value)
			a.Rejected = append(a.Rejected, r)
		default:
			err = ErrFile
		}
		if err != nil {
			return a, fmt.Errorf("%w: acknowledgement: line %d does not match the format", ErrFile, i+2)
		}
	}
	a.Accepted = status == "ACCEPTED"
	if checkName(a.File) != nil || !a.Accepted && status != "REFUSED" {
		return a, fmt.Errorf("%w: acknowledgement: file or status is missing", ErrCut)
	}
	return a, nil
}

// parseAmount parses a total, which may exceed what a caller may send.
func parseAmount(text string) (money.Amount, error) {
	var a money.Amount
	err := a.UnmarshalJSON([]byte(text))
	if err == nil && a < 0 {
		err = money.ErrRange
	}
	return a, err
}

func parseRejected(text string) (RejectedEntry, error) {
	f := strings.SplitN(text, " ", 4)
	if len(f) < 3 {
		return RejectedEntry{}, ErrFile
	}
	trace, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || trace < 1 || trace > maxTrace {
		return RejectedEntry{}, ErrFile
	}
	amount, err := parseAmount(f[1])
	r := RejectedEntry{Trace: trace, Amount: amount, Code: f[2]}
	if len(f) == 4 {
		r.Message = f[3]
	}
	return r, err
}

// items returns the whole file first, then the rejected entries.
func (a Acknowledgement) items(digest string) []rails.Item {
	first := rails.Item{ID: digest, Kind: rails.Reject, File: a.File, Code: a.Code, Message: a.Message}
	if a.Accepted {
		first.Kind = rails.Ack
	}
	out := []rails.Item{first}
	for i, r := range a.Rejected {
		out = append(out, rails.Item{
			ID: fmt.Sprintf("%s-%d", digest, i+1), Kind: rails.Reject, File: a.File,
			Trace: r.Trace, Amount: r.Amount, Code: r.Code, Message: r.Message,
		})
	}
	return out
}

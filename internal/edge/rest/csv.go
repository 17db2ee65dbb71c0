package rest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxCSVField is the maximum size of a field in bytes: far more than any valid value. A
// quote that is never closed ends there, instead of filling memory.
const maxCSVField = 1024

// MediaCSV is the media type of CSV.
const MediaCSV = "text/csv"

// CSVError locates malformed CSV (RFC 4180), in our own words.
type CSVError struct {
	Line   int // from 1
	Detail string
	Width  bool // the line has too few fields, or too many
}

// Error implements error.
func (e *CSVError) Error() string { return fmt.Sprintf("Line %d: %s", e.Line, e.Detail) }

// CSV reads CSV strictly: a field either is bare and has no quote, or is quoted completely
// with its quotes doubled; lines end with LF or CRLF. Empty lines are skipped. It holds one
// record at a time.
type CSV struct {
	in     *bufio.Reader
	width  int // number of fields in a record
	line   int // being read
	At     int // first line of the last record
	text   []byte
	ends   []int // of the fields in text
	fields []string
}

// NewCSV reads records with a number of fields. It skips a byte order mark.
func NewCSV(in io.Reader, width int) *CSV {
	r := &CSV{in: bufio.NewReaderSize(in, 64<<10), width: width, line: 1}
	if mark, _ := r.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.in.Discard(3)
	}
	return r
}

// Record reads the next record. Its fields are valid until the next call. The error is
// io.EOF at the end, a *CSVError for malformed CSV, or the reader's.
func (r *CSV) Record() ([]string, error) {
	for {
		next, err := r.in.Peek(2)
		switch {
		case len(next) == 0:
			return nil, err
		case next[0] == '\n':
			_, _ = r.in.Discard(1)
			r.line++
		case string(next) == "\r\n":
			_, _ = r.in.Discard(2)
			r.line++
		default:
			return r.scan()
		}
	}
}

// scan reads the fields of a record with at least one byte.
func (r *CSV) scan() ([]string, error) {
	r.text, r.ends, r.At = r.text[:0], r.ends[:0], r.line
	for {
		last, err := r.field()
		if err != nil {
			return nil, err
		}
		r.ends = append(r.ends, len(r.text))
		if last || len(r.ends) > r.width {
			break
		}
	}
	if len(r.ends) != r.width {
		return nil, &CSVError{Line: r.At, Detail: fmt.Sprintf("The line does not have %d fields.", r.width), Width: true}
	}
	if !utf8.Valid(r.text) {
		return nil, &CSVError{Line: r.At, Detail: "The text is not UTF-8."}
	}
	if bytes.IndexByte(r.text, 0) >= 0 {
		return nil, &CSVError{Line: r.At, Detail: "The text contains NUL."}
	}
	all, from := string(r.text), 0
	r.fields = r.fields[:0]
	for _, end := range r.ends {
		r.fields = append(r.fields, all[from:end])
		from = end
	}
	return r.fields, nil
}

// field reads one field and its end: a comma, or the end of the record.
func (r *CSV) field() (last bool, err error) {
	start := len(r.text)
	first := true
	for {
		c, err := r.in.ReadByte()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		switch {
		case c == '"' && first:
			if err := r.quoted(start); err != nil {
				return false, err
			}
			return r.closed()
		case c == ',':
			return false, nil
		case c == '\n':
			r.line++
			return true, nil
		case c == '\r':
			return true, r.lineFeed()
		case c == '"':
			return false, &CSVError{Line: r.line, Detail: "A quote appears inside a field that does not start with one."}
		}
		if err := r.add(start, c); err != nil {
			return false, err
		}
		first = false
	}
}

func (r *CSV) add(start int, c byte) error {
	if len(r.text)-start >= maxCSVField {
		return &CSVError{Line: r.line, Detail: fmt.Sprintf("A field has more than %d bytes; a quote may not be closed.", maxCSVField)}
	}
	r.text = append(r.text, c)
	return nil
}

// quoted reads the rest of a quoted field, including its closing quote.
func (r *CSV) quoted(start int) error {
	line := r.line
	for {
		c, err := r.in.ReadByte()
		if err == io.EOF {
			return &CSVError{Line: line, Detail: "A quote is not closed."}
		}
		if err != nil {
			return err
		}
		if c == '"' {
			if next, _ := r.in.Peek(1); len(next) == 0 || next[0] != '"' {
				return nil
			}
			_, _ = r.in.Discard(1)
		}
		if c == '\n' {
			r.line++
		}
		if err := r.add(start, c); err != nil {
			return err
		}
	}
}

// closed reads what follows a closing quote.
func (r *CSV) closed() (last bool, err error) {
	c, err := r.in.ReadByte()
	switch {
	case err == io.EOF:
		return true, nil
	case err != nil:
		return false, err
	case c == ',':
		return false, nil
	case c == '\n':
		r.line++
		return true, nil
	case c == '\r':
		return true, r.lineFeed()
	}
	return false, &CSVError{Line: r.line, Detail: "A closing quote must be followed by a comma or the end of the line."}
}

// lineFeed reads the second half of a CRLF.
func (r *CSV) lineFeed() error {
	c, err := r.in.ReadByte()
	if err != nil && err != io.EOF {
		return err
	}
	if err == io.EOF || c != '\n' {
		return &CSVError{Line: r.line, Detail: "A carriage return is not followed by a line feed."}
	}
	r.line++
	return nil
}

package rest

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// readAllCSV reads every record of a CSV.
func readAllCSV(text string, width int) (records [][]string, err error) {
	r := NewCSV(strings.NewReader(text), width)
	for {
		fields, err := r.Record()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		records = append(records, slices.Clone(fields))
	}
}

func TestCSV(t *testing.T) {
	long := strings.Repeat("x", maxCSVField)
	for _, x := range []struct {
		text string
		want string // fields by |, records by /; or the error
	}{
		{"", ""},
		{"a,b", "a|b"},
		{"a,b\n", "a|b"},
		{"a,b\r\nc,d\r\n", "a|b/c|d"},
		{"\xef\xbb\xbfa,b\n", "a|b"},
		{"\n\na,b\n\r\n\nc,d\n\n", "a|b/c|d"},
		{"a,\n,b\n", "a|/|b"},
		{`"a","b"`, "a|b"},
		{"\"a,\"\"x\"\"\",\"b\nc\"\r\n", "a,\"x\"|b\nc"},
		{`"",""`, "|"},
		{"é,ü\n", "é|ü"},
		{long + "," + long, long + "|" + long},
		{"=1+1,@x\n", "=1+1|@x"},
		{"a\n", "Line 1: The line does not have 2 fields."},
		{"a,b\nc,d,e\n", "Line 2: The line does not have 2 fields."},
		{"a,b\n" + strings.Repeat(",", 100_000), "Line 2: The line does not have 2 fields."},
		{`a,b"c`, "Line 1: A quote appears inside a field that does not start with one."},
		{`a,"b"c`, "Line 1: A closing quote must be followed by a comma or the end of the line."},
		{"a,\"b\n\nc", "Line 1: A quote is not closed."},
		{"a,b\n\"c,d\n", "Line 2: A quote is not closed."},
		{"a,\"" + strings.Repeat("x,\n", maxCSVField), "Line 342: A field has more than 1024 bytes; a quote may not be closed."},
		{"a," + long + "x", "Line 1: A field has more than 1024 bytes; a quote may not be closed."},
		{"a,b\rc,d", "Line 1: A carriage return is not followed by a line feed."},
		{"a,b\r", "Line 1: A carriage return is not followed by a line feed."},
		{"a,\xff\n", "Line 1: The text is not UTF-8."},
		{"a,b\x00\n", "Line 1: The text contains NUL."},
	} {
		records, err := readAllCSV(x.text, 2)
		var lines []string
		for _, r := range records {
			lines = append(lines, strings.Join(r, "|"))
		}
		got := strings.Join(lines, "/")
		if err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%.60q: %.80q, want %.80q", x.text, got, x.want)
		}
	}
}

// FuzzCSV: what the strict reader accepts, the library reads as the same records.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"", "a,b,c\n", "\"a\"\"\",b,\r\n,,", "\xef\xbb\xbfa,b,c\nd,e,f", "a,\"b\n", "\n\n\"x\",y,z"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readAllCSV(text, 3)
		var malformed *CSVError
		if err != nil {
			if !errors.As(err, &malformed) || malformed.Line < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		lax := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\xef\xbb\xbf")))
		want, err := lax.ReadAll()
		if err != nil {
			t.Fatalf("taken, but the library says %v", err)
		}
		for i := range got {
			for k := range got[i] {
				got[i][k] = strings.ReplaceAll(got[i][k], "\r\n", "\n") // as the library does inside quotes
			}
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%q, the library reads %q", got, want)
		}
	})
}

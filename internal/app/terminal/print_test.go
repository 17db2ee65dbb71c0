package terminal

import (
	"bytes"
	"strings"
	"testing"

	"tenor/client"
)

func TestDollars(t *testing.T) {
	for in, want := range map[client.Amount]string{
		"1200.00": "$1,200.00", "0": "$0.00", "999.99": "$999.99", "1000": "$1,000.00", "10000000.00": "$10,000,000.00",
		"-5": "-$5.00", "-1234567.8": "-$1,234,567.80", "": "",
	} {
		if got := Dollars(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Text written by others stays on its line and cannot control the terminal.
func TestTable(t *testing.T) {
	var out bytes.Buffer
	list := NewTable("NAME", ">AMOUNT", "NOTE")
	list.Row("Café", "$5.00", "")
	list.Row("x\x1b[2Jy\nz", "$1,200.00", "n")
	if err := list.print(&out); err != nil {
		t.Fatal(err)
	}
	want := "NAME        AMOUNT  NOTE\nCafé         $5.00\nx?[2Jy?z  $1,200.00  n\n"
	if got := out.String(); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") || strings.Contains(got, "\x1b") {
		t.Errorf("got\n%s", got)
	}
	lines := strings.Split(out.String(), "\n")
	if strings.Index(lines[1], "$5.00")+len("$5.00")-1 != strings.Index(lines[2], "$1,200.00")+len("$1,200.00") {
		t.Errorf("amounts are not aligned:\n%s", &out) // é is two bytes
	}
	out.Reset()
	if err := NewTable("A").print(&out); err != nil || out.Len() > 0 {
		t.Errorf("an empty table prints %q, %v", &out, err)
	}
}

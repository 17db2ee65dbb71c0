package operator

import (
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
)

// A letter that was broken into the lines of a mail is printed on paper in its own
// paragraphs.
func TestLetterPaper(t *testing.T) {
	long := strings.Repeat("word ", 14) + "end"
	p := letterPaper(buyer.Letter{Subject: "Our decision", Name: "Ana Ruiz", Text: "Business: Elm\nDate: Mar 2\n\n" + long + "\nof it.\n\n- one\n- " + long + "\n- two\n"},
		"Elm", credit.CompanyAddress{Street: "1 Elm St", City: "Dayton", State: "OH", PostalCode: "45401"})
	want := []string{"Business: Elm", "Date: Mar 2", "", long + " of it.", "", "- one", "- " + long, "- two", ""}
	if !slices.Equal(p.Notes, want) {
		t.Errorf("got %q", p.Notes)
	}
	if p.Facts[2].Value != "1 Elm St, Dayton, OH 45401" {
		t.Errorf("facts %v", p.Facts)
	}
}

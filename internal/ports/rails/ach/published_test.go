package ach

import (
	"fmt"
	"os"
	"strings"
	"testing"

	moov "github.com/moov-io/ach"
)

// What the index of the published files says besides hashes and totals: the content of each batch
// and of the file control record, and the number of addenda. Our own reader counts the lines
// again, by their first digit.
func TestPublishedFilesRecordByRecord(t *testing.T) {
	type batch struct {
		Class   string `json:"service_class"`
		Count   int    `json:"entry_addenda_count"`
		Company string `json:"company_id"`
		ODFI    string
		Number  string `json:"batch_number"`
	}
	type control struct {
		Batches int    `json:"batch_count"`
		Blocks  int    `json:"block_count"`
		Hash    string `json:"entry_hash"`
	}
	var index struct {
		Files []struct {
			File             string
			Entries, Addenda int
			Batches          []batch
			Hash             string  `json:"recomputed_entry_hash_all_entries"`
			Control          control `json:"file_control"`
			NOC              []string
		}
	}
	decode(t, "nacha/index.json", &index)
	if len(index.Files) != 4 {
		t.Fatalf("%d files", len(index.Files))
	}
	for _, x := range index.Files {
		content, err := os.ReadFile("testdata/nacha/" + x.File)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parse(content)
		if err != nil {
			t.Fatalf("%s: %v", x.File, err)
		}
		for i, b := range file.Batches {
			h, c := b.GetHeader(), b.GetControl()
			got := batch{fmt.Sprintf("%03d", h.ServiceClassCode), c.EntryAddendaCount, strings.TrimSpace(h.CompanyIdentification), h.ODFIIdentification, fmt.Sprintf("%07d", h.BatchNumber)}
			if got != x.Batches[i] || c.BatchNumber != h.BatchNumber || c.ServiceClassCode != h.ServiceClassCode {
				t.Errorf("%s batch %d: %+v, want %+v", x.File, i+1, got, x.Batches[i])
			}
		}
		if got := (control{file.Control.BatchCount, file.Control.BlockCount, file.Control.EntryHashField()}); got != x.Control || got.Hash != x.Hash {
			t.Errorf("%s: control %+v, want %+v", x.File, got, x.Control)
		}
		if entries, addenda := records(content, '6'), records(content, '7'); entries != x.Entries || addenda != x.Addenda {
			t.Errorf("%s: %d entries and %d addenda, want %d and %d", x.File, entries, addenda, x.Entries, x.Addenda)
		}
		if got := changes(file); got != len(x.NOC) {
			t.Errorf("%s: %d notifications of change", x.File, got)
		}
	}
}

func records(content []byte, kind byte) int {
	n := 0
	for _, line := range strings.Split(string(content), "\n") {
		if line != "" && line[0] == kind {
			n++
		}
	}
	return n
}

func changes(file *moov.File) int {
	n := 0
	for _, b := range file.Batches {
		for _, e := range b.GetEntries() {
			if e.Addenda98 != nil {
				n++
			}
		}
	}
	return n
}

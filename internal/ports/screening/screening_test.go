package screening

import (
	"errors"
	"strings"
	"testing"
)

// Different spellings of one name match; a name that is only similar does not.
func TestFind(t *testing.T) {
	l := TestList()
	for _, x := range []struct {
		why, name, entry string
	}{
		{"as listed", "Viktor Drakonov", "T-1001"},
		{"other order, capitals", "DRAKONOV, VIKTOR", "T-1001"},
		{"a letter wrong", "Viktor Drakanov", "T-1001"},
		{"a letter missing", "Viktr Drakonov", "T-1001"},
		{"two letters swapped", "Vitkor Drakonov", "T-1001"},
		{"a middle name", "Viktor Ivanovich Drakonov", "T-1001"},
		{"in Cyrillic", "Виктор Драконов", "T-1001"},
		{"another transliteration", "Wiktor Drakonow", "T-1001"},
		{"a common name spelled otherwise", "Muhammad al Khatarani", "T-1002"},
		{"another spelling of a sound", "Mohamed Al-Hatarani", "T-1002"},
		{"another legal form", "Blackwater Basin Trading Limited", "T-1003"},
		{"words joined", "Black Water Basin Trading", "T-1003"},
		{"misspelled firm", "Blackwatter Basin Tradng Inc.", "T-1003"},
		{"with dots left out", "Santa Esperanza Shipping SA", "T-1004"},
		{"without accents", "Juan Perez Valdemorillo", "T-1006"},
		{"another transliteration", "Evgeny Shcherbakovskiy", "T-1008"},
		{"another transliteration", "Yevgeni Scherbakovski", "T-1008"},

		{"a shop", "Alder Kitchens LLC", ""},
		{"one common word", "Basin Trading LLC", ""},
		{"the first name alone", "Viktor", ""},
		{"another family name", "Viktor Petrov", ""},
		{"another first name", "Maria Drakonov", ""},
		{"a general word and a form", "Shipping S.A.", ""},
		{"same trade", "Northern Lights Petrochemical Co", ""},
		{"another Juan Pérez", "Juan Pérez", ""},
		{"nothing", " -.- ", ""},
		{"legal form only", "LLC", ""},
	} {
		hits := l.Find(x.name)
		switch {
		case x.entry == "" && len(hits) > 0:
			t.Errorf("%s: %q is found as %+v", x.why, x.name, hits)
		case x.entry != "" && (len(hits) != 1 || hits[0].Entry != x.entry || hits[0].Score < Threshold || hits[0].Score > 100):
			t.Errorf("%s: %q is found as %+v, not as %s", x.why, x.name, hits, x.entry)
		}
	}
	if hits := l.Find("Alder Kitchens", "Viktor Drakonov"); len(hits) != 1 || hits[0].Score != 100 || hits[0].Name != "Viktor Drakonov" {
		t.Errorf("one of two names: %+v", hits)
	}
}

// A list is parsed strictly: a truncated one, or one in another format, is refused.
func TestRead(t *testing.T) {
	l, err := Read(strings.NewReader("# v7\nid,name\n1,Ann\n2,Bob\n1,Anna\n"))
	if err != nil || l.Version != "v7" || len(l.entries) != 2 || len(l.entries[0].names) != 2 || l.Test {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, text := range []string{"", "id,name\n1,Ann\n", "# \nid,name\n", "# v7\n1,Ann\n", "# v7\n", "# v7\nid,name\n1\n", "# v7\nid,name\n1,\"Ann\n"} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrList) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if !TestList().Test {
		t.Error("the list of the product does not say that it is one for tests")
	}
}

// Without a list nothing is compared, which differs from finding nothing.
func TestCompare(t *testing.T) {
	var none *List
	if x := none.Compare("Dragan Drakonov"); x != nil {
		t.Errorf("without a list: %+v", x)
	}
	l := New("v7", []Entry{{"T-1", []string{"Dragan Drakonov"}}})
	if x := l.Compare("Harbor Supply", "Alder"); x.List != "v7" || x.Matches == nil || len(x.Matches) != 0 {
		t.Errorf("nothing alike: %+v", x)
	}
	if x := l.Compare("Harbor Supply", "Drakonov Dragan"); len(x.Matches) != 1 || x.Matches[0].Entry != "T-1" || x.Matches[0].Score < Threshold {
		t.Errorf("alike: %+v", x)
	}
}

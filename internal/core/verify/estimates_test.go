package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	sqlitestore "tenor/internal/core/store/sqlite"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/resource"
)

// estimate requests a prequalification for a revenue.
func (b *book) estimate(name, revenue string) string {
	b.t.Helper()
	amount := money.MustParse(revenue)
	form, place := "figures of "+name, credit.SecretPlace("figures of "+name)
	return b.must(b.shops[0], onboarding.Prequalify{
		LegalName: name, Email: "estimate for " + name, Form: form, Contact: "lead " + name, Figures: credit.Figures{Given: underwriting.Given{AnnualRevenue: &amount}},
		Secrets: append(secrets("lead "+name), credit.Secret{ID: form, Sealed: sealed(fmt.Appendf(nil, `{"given":{"annual_revenue":%s}}`, amount), place)}),
	}).(*credit.Application).ID
}

// decidedAgain returns what a run reports about prequalifications.
func decidedAgain(t *testing.T, db store.Backend, o Options) (found []string, note string) {
	t.Helper()
	o.Scratch, o.Zone, o.EncodeEvent, o.Wire = memory.Scratch, zone(t), encodeEvent, resource.APIVersion
	r, err := Run(context.Background(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		found = append(found, v.Invariant+" "+v.Detail)
	}
	for _, c := range r.Checks {
		if c.Name == "prequalifications" {
			note = c.Note
		}
	}
	return found, note
}

// A prequalification is decided again from its figures as long as they exist, with the
// policy version that decided it. Once they are erased the report says so, and the books
// are clean.
func TestPrequalificationsAreDecidedAgain(t *testing.T) {
	b := newBook(t, memory.New())
	yes, no := b.estimate("Elm", "500000.00"), b.estimate("Fir", "1000.00")
	clean := func(when string, o Options, want string) {
		t.Helper()
		if found, note := decidedAgain(t, b.db, o); len(found) > 0 || note != want {
			t.Errorf("%s: %q, noted %q, want %q", when, found, note, want)
		}
	}
	clean("with the key", Options{Open: opened}, "")
	clean("without it", Options{}, "prequalifications not decided again: 0 are erased, 2 need the key, 0 have a policy version that this program lacks")

	strict := underwriting.Default()
	strict.MinRevenue = money.MustParse("900000.00")
	versions := func(first, second underwriting.Policy) func(int) (underwriting.Policy, bool) {
		second.Version = 2
		return func(n int) (underwriting.Policy, bool) {
			return map[int]underwriting.Policy{1: first, 2: second}[n], n == 1 || n == 2
		}
	}
	clean("after the next policy", Options{Open: opened, Policy: versions(underwriting.Default(), strict)}, "")
	found, _ := decidedAgain(t, b.db, Options{Open: opened, Policy: versions(strict, underwriting.Default())})
	if len(found) != 1 || !strings.HasPrefix(found[0], `F27 is ESTIMATED with reasons []; policy 1 makes it DECLINED with reasons ["annual_revenue"]`) {
		t.Errorf("a policy that has changed its numbers is not seen: %q", found)
	}
	clean("by a program without it", Options{Open: opened, Policy: func(int) (underwriting.Policy, bool) { return underwriting.Policy{}, false }},
		"prequalifications not decided again: 0 are erased, 0 need the key, 2 have a policy version that this program lacks")

	b.at("2027-01-05")
	b.must(operator, onboarding.ServiceApplication{Application: yes})
	clean("one is erased", Options{Open: opened}, "prequalifications not decided again: 1 are erased, 0 need the key, 0 have a policy version that this program lacks")
	b.must(operator, onboarding.ServiceApplication{Application: no})
	clean("both are", Options{Open: opened}, "prequalifications not decided again: 2 are erased, 0 need the key, 0 have a policy version that this program lacks")
}

// A changed decision is detected from its figures, even where the log cannot be decided
// again.
func TestPrequalificationsAreHeldAgainstTheirFigures(t *testing.T) {
	for _, x := range estimateTampers {
		file := filepath.Join(t.TempDir(), "books.db")
		b := newBook(t, openBook(t, file, sqlitestore.Options{NormalSync: true}))
		b.estimate("Elm", "500000.00")
		no := b.estimate("Fir", "1000.00")
		if err := b.db.Close(); err != nil {
			t.Fatal(err)
		}
		change(t, file, strings.ReplaceAll(x.sql, "{no}", no)+`; UPDATE batches SET rules = 1;`)
		db := openBook(t, file, sqlitestore.Options{Shared: true})
		seen := false
		found, _ := decidedAgain(t, db, Options{Open: opened})
		for _, v := range found {
			seen = seen || strings.HasPrefix(v, x.want)
		}
		if !seen {
			t.Errorf("%s is not seen: %q", x.what, found)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func openBook(t *testing.T, file string, o sqlitestore.Options) store.Backend {
	t.Helper()
	db, err := sqlitestore.Open(file, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"tenor/internal/domain/credit"
)

// RecordRow is a record of the buyer's side.
type RecordRow struct {
	credit.Record
	Q int64
}

// RecordTable is where the records of one kind are kept.
type RecordTable struct {
	Noun  credit.Noun
	Table *Table[RecordRow]
}

// RecordTables are the tables of records in the order in which they are loaded and
// written. All have the same columns.
var RecordTables = recordTables()

func recordTables() (out []RecordTable) {
	for _, k := range credit.RecordKinds {
		out = append(out, recordTable(k))
	}
	return out
}

func recordTable(k credit.RecordKind) RecordTable {
	head := func(r *RecordRow) *credit.RecordHead { return r.Head() }
	return RecordTable{k.Noun, &Table[RecordRow]{
		Name: k.Table, Key: 1,
		New: func() *RecordRow { return &RecordRow{Record: k.New()} },
		Columns: []Column[RecordRow]{
			text("id", func(r *RecordRow) *string { return &head(r).ID }),
			optional("merchant_id", func(r *RecordRow) *string { return &head(r).Merchant }),
			integer("company_id", func(r *RecordRow) *int64 { return &head(r).Company }),
			optional("of_key", func(r *RecordRow) *string { return &head(r).Of }),
			text("status", func(r *RecordRow) *string { return &head(r).Status }),
			instant("next_at", func(r *RecordRow) *time.Time { return &head(r).NextAt }),
			instant("created_at", func(r *RecordRow) *time.Time { return &head(r).CreatedAt }),
			instant("updated_at", func(r *RecordRow) *time.Time { return &head(r).UpdatedAt }),
			integer("version", func(r *RecordRow) *int { return &head(r).Version }),
			integer("event_seq", func(r *RecordRow) *int64 { return &head(r).EventSeq }),
			bodyOf("body"),
			integer("q", func(r *RecordRow) *int64 { return &r.Q }),
			lookupText("kind", kindOf),
		},
		Lookups: 1,
	}}
}

// kindOf parts records of one table that are listed apart: applications by their kind, and
// mails that nobody may have to wait for from others.
func kindOf(r *RecordRow) string {
	switch x := r.Record.(type) {
	case *credit.Application:
		return string(x.Kind)
	case *credit.Mail:
		if x.Urgent() {
			return urgent
		}
	}
	return ""
}

const urgent = "URGENT"

// bodyOf is the column of what a record says beside its head, as JSON.
func bodyOf(name string) Column[RecordRow] {
	return Column[RecordRow]{name, JSON,
		func(r *RecordRow) Value { return encodeJSON(r.Record) },
		func(r *RecordRow, v Value) error { return json.Unmarshal([]byte(v.Text), r.Record) }}
}

// RecordsOf is the table of a kind of records.
func RecordsOf(n credit.Noun) (*Table[RecordRow], error) {
	i := slices.IndexFunc(RecordTables, func(t RecordTable) bool { return t.Noun == n })
	if i < 0 {
		return nil, fmt.Errorf("store: unknown record kind %q", n)
	}
	return RecordTables[i].Table, nil
}

// ByNoun parts keys of records by their kind.
func ByNoun(keys []credit.RecordKey) map[credit.Noun][]string {
	out := map[credit.Noun][]string{}
	for _, k := range keys {
		out[k.Noun] = append(out[k.Noun], k.ID)
	}
	return out
}

// RecordFilter narrows a list of records; zero members do not.
type RecordFilter struct {
	Merchant string
	Company  int64
	Of       string
	Status   string
	// Kind and NotKind are of applications.
	Kind, NotKind string
	From, To      time.Time // of creation, From ≤ x < To
}

// Takes reports that the filter lets a record through.
func (f RecordFilter) Takes(r credit.Record) bool {
	if a, ok := r.(*credit.Application); ok && (f.Kind != "" && string(a.Kind) != f.Kind || f.NotKind != "" && string(a.Kind) == f.NotKind) {
		return false
	}
	h := r.Head()
	return (f.Merchant == "" || f.Merchant == h.Merchant) && (f.Company == 0 || f.Company == h.Company) &&
		(f.Of == "" || f.Of == h.Of) && (f.Status == "" || f.Status == h.Status) &&
		!h.CreatedAt.Before(f.From) && (f.To.IsZero() || h.CreatedAt.Before(f.To))
}

// Secrets are the sealed values under these handles; those that were erased are left out.
func Secrets(v View, ids []string) (map[string][]byte, error) {
	q := Query{From: RowsOf(&Vault), Limit: -1}
	q.among("id", ids)
	out := map[string][]byte{}
	err := v.List(q, func(row any) error { r := row.(*VaultRow); out[r.ID] = r.Sealed; return nil })
	if err != nil {
		return nil, fmt.Errorf("read the vault: %w", err)
	}
	return out, nil
}

// VaultRow is a sealed value that belongs to a record and is in no log.
type VaultRow struct {
	ID     string
	Sealed []byte
}

// Vault is the table of what is personal: erasing a row erases what it says, and nothing
// else (A61).
var Vault = Table[VaultRow]{
	Name: "vault", Key: 1,
	Columns: []Column[VaultRow]{
		text("id", func(r *VaultRow) *string { return &r.ID }),
		bytesOf("sealed", func(r *VaultRow) *[]byte { return &r.Sealed }),
	},
}

package postgres

import "tenor/internal/core/store"

func recordOf(id string) cells {
	return cells{
		"id": "'" + id + "'", "merchant_id": "'m'", "company_id": "0", "status": "'x'", "created_at": "'2026-01-02'", "updated_at": "'2026-01-02'",
		"version": "5", "event_seq": "0", "body": "'{}'",
	}
}

// recordRows are the first rows of every table of records, of the vault and of the scratch.
func recordRows() (rows []string) {
	for _, t := range store.RecordTables {
		rows = append(rows, insertRow(t.Table.Name, recordOf("r1")))
	}
	return append(rows, "INSERT INTO vault VALUES ('v1', '\\x00')", "INSERT INTO scratch VALUES ('s1', '\\x00', '2026-01-02', 1)")
}

// recordRules are those of every table of records, and of the scratch.
func recordRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	for _, t := range store.RecordTables {
		name := t.Table.Name
		add(name+"_stay", "DELETE FROM "+name)
		add(name+"_stay", "TRUNCATE "+name)
		add(name+"_identity", "UPDATE "+name+" SET id = id")
		for _, change := range []string{"merchant_id = 'other'", "merchant_id = NULL", "created_at = created_at + interval '1 day'", "version = version - 1"} {
			add(name+"_life", "UPDATE "+name+" SET "+change)
		}
		add(name+"_version_check", insertRow(name, recordOf("x").but(cells{"version": "0"})))
		add(name+"_event_seq_check", insertRow(name, recordOf("x").but(cells{"event_seq": "-1"})))
	}
	add("scratch_version_check", "INSERT INTO scratch VALUES ('s2', '\\x00', '2026-01-02', 0)")
	return list
}

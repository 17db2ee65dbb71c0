package postgres

import "strings"

func screeningOf(id string) cells {
	return cells{"id": "'" + id + "'", "company_id": "1", "merchant_id": "''", "status": "'CLEARED'", "decided_at": "'2026-01-02'", "version": "5"}
}

// lenderRows are the first rows of the lender's tables.
func lenderRows() []string {
	return []string{
		insertRow("lenders", cells{"id": "'lender'", "provided_to": "'2026-01-31'", "closed_to": "'2026-01-31'", "version": "5"}),
		insertRow("screenings", screeningOf("scr1")),
	}
}

// lenderRules are those of the lender and of screenings.
func lenderRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	for _, table := range []string{"lenders", "screenings"} {
		add(table+"_stay", "DELETE FROM "+table)
		add(table+"_stay", "TRUNCATE "+table)
	}
	for table, fixed := range map[string]string{"lenders": "id", "screenings": "id company_id merchant_id opened_at"} {
		for _, column := range strings.Fields(fixed) {
			add(table+"_identity", "UPDATE "+table+" SET "+column+" = "+column)
		}
	}
	add("lenders_id_check", insertRow("lenders", cells{"id": "'x'"}))
	add("lenders_version_check", "UPDATE lenders SET version = 0")
	for _, change := range []string{"version = 4", "provided_to = provided_to - 1", "provided_to = NULL", "closed_to = closed_to - 1", "closed_to = NULL"} {
		add("lenders_life", "UPDATE lenders SET "+change)
	}
	add("screenings_status_check", insertRow("screenings", screeningOf("x").but(cells{"status": "''"})))
	add("screenings_version_check", insertRow("screenings", screeningOf("x").but(cells{"version": "0"})))
	add("screenings_check", insertRow("screenings", screeningOf("x").but(cells{"decided_at": "NULL"})))
	add("screenings_check", insertRow("screenings", screeningOf("x").but(cells{"status": "'OPEN'"})))
	add("screenings_check1", insertRow("screenings", screeningOf("x").but(cells{"merchant_id": "'m1'"})))
	add("screenings_check1", insertRow("screenings", screeningOf("x").but(cells{"company_id": "0"})))
	add("screenings_of", insertRow("screenings", screeningOf("x").but(cells{"company_id": "9"})))
	add("screenings_of", insertRow("screenings", screeningOf("x").but(cells{"company_id": "0", "merchant_id": "'none'"})))
	add("screenings_life", "UPDATE screenings SET version = 4")
	add("screenings_life", "UPDATE screenings SET status = 'OPEN', decided_at = NULL")
	return list
}

package postgres

import (
	"slices"
	"strings"
)

// railRows are valid rows of the tables of rails and payouts: company 1 has method pm1;
// payout po1 of merchant m1 includes line l1, while l2 waits; transfer t1 collects
// payment p1 and stands in file f1, t2 pays po1.
func railRows() []string {
	return []string{
		insertRow("payment_methods", methodOf("pm1", "1")),
		insertRow("payment_methods", methodOf("pm2", "2")),
		insertRow("payouts", payoutOf("po1", "m1")),
		insertRow("payouts", payoutOf("po2", "m2")),
		insertRow("payout_lines", lineOf("l1").but(cells{"payout_id": "'po1'"})),
		insertRow("payout_lines", lineOf("l2")),
		insertRow("transfers", transferOf("t1").but(cells{"kind": "'PAYMENT'", "filed": "true"})),
		insertRow("transfers", payoutTransfer("t2")),
		insertRow("notices", suspensionOf("ntc1").but(cells{"version": "5"})),
		insertRow("periods", cells{"month": "'2025-12-01'"}),
		insertRow("bank_files", cells{"id": "'f1'", "state": "'SENT'"}),
		insertRow("bank_entries", cells{"transfer_id": "'t1'", "file_id": "'f1'"}),
		insertRow("bank_notices", noticeOf("bn1")),
		insertRow("bank_matches", matchOf("bm1").but(cells{"undone_at": "NULL"})),
		insertRow("bank_matches", matchOf("bm2")),
		insertRow("bank_lines", cells{"id": "'bl1'", "match_id": "'bm1'"}),
		insertRow("cash_items", cells{"entry_id": "'n1'", "match_id": "'bm1'"}),
	}
}

func suspensionOf(id string) cells {
	return cells{"id": "'" + id + "'", "kind": "'SUSPENSION'", "asked_notice_id": "NULL", "late": "false", "erased_at": "NULL"}
}

func methodOf(id, company string) cells {
	return cells{
		"id": "'" + id + "'", "company_id": company, "type": "'ACH'", "status": "'ACTIVE'", "card": "NULL", "version": "5",
	}
}

func payoutOf(id, merchant string) cells {
	return cells{
		"id": "'" + id + "'", "merchant_id": "'" + merchant + "'", "status": "'SENT'", "gross": "10", "refunds": "2", "net": "6",
		"version": "5", "event_seq": "5",
	}
}

// lineOf is a waiting line of order o2.
func lineOf(id string) cells {
	return cells{
		"id": "'" + id + "'", "merchant_id": "'m1'", "kind": "'CAPTURE'", "order_key": "'o2'", "of_key": "'o2'", "gross": "9",
		"amount": "7", "netted": "0", "payout_id": "NULL", "version": "5",
	}
}

// transferOf is a transfer that was sent and stands in no file.
func transferOf(id string) cells {
	return cells{
		"id": "'" + id + "'", "rail": "'ACH'", "kind": "'REFUND'", "payment_id": "'p1'", "payment_method_id": "'pm1'",
		"payout_id": "NULL", "status": "'SENT'", "version": "5",
	}
}

// payoutTransfer is a transfer that pays po1.
func payoutTransfer(id string) cells {
	return transferOf(id).but(cells{
		"company_id": "0", "merchant_id": "'m1'", "payment_id": "NULL", "payment_method_id": "NULL", "payout_id": "'po1'", "kind": "'PAYOUT'",
	})
}

// matchOf is a match that was undone.
func matchOf(id string) cells {
	return cells{"id": "'" + id + "'", "rule": "'BATCH'", "undone_by": "''"}
}

func noticeOf(id string) cells {
	return cells{"rail": "'ACH'", "id": "'" + id + "'", "transfer_id": "'t1'", "reviewed_at": "NULL"}
}

// railRules are those of the tables of rails, payouts and the exchange with banks.
func railRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	for _, pair := range strings.Fields("periods.debits bank_entries.trace") {
		table, column, _ := strings.Cut(pair, ".")
		add(table+"_keep", "UPDATE "+table+" SET "+column+" = "+column)
		add(table+"_keep", "DELETE FROM "+table)
		add(table+"_keep", "TRUNCATE "+table)
	}
	for _, table := range strings.Fields("payment_methods payouts payout_lines transfers notices bank_files bank_notices bank_lines bank_matches cash_items") {
		add(table+"_stay", "DELETE FROM "+table)
		add(table+"_stay", "TRUNCATE "+table)
	}
	for table, fixed := range map[string]string{
		"payment_methods": "id", "payouts": "id", "payout_lines": "id", "transfers": "id", "notices": "id",
		"bank_files":   "id cut_off first_trace entries debits credits created_at",
		"bank_notices": "rail id kind transfer_id code at",
		"bank_lines":   "id date amount reference",
		"bank_matches": "id rule lines entries amount note made_at made_by",
		"cash_items":   "entry_id",
	} {
		for _, column := range strings.Fields(fixed) {
			add(table+"_identity", "UPDATE "+table+" SET "+column+" = "+column)
		}
	}
	taken := func(name, sql string) { list = append(list, rule{name, codeTaken, []string{sql}}) }
	taken("transfers_collects", insertRow("transfers", transferOf("x").but(cells{"kind": "'PAYMENT'"})))
	taken("transfers_payout", insertRow("transfers", payoutTransfer("x")))
	taken("bank_entries_file", insertRow("bank_entries", cells{"transfer_id": "'t2'", "file_id": "'f1'"}))
	return slices.Concat(list, railChecks(), railCrossRules(), railFixedRules())
}

// railFixedRules are of what never changes in records whose versions are compared.
func railFixedRules() []rule {
	var list []rule
	for row, changes := range map[string][]string{
		"payment_methods pm1": {"company_id = 2", "merchant_id = 'm1'", "type = 'CARD', bank = NULL, card = '{}'"},
		"payouts po1": {"merchant_id = 'm2'", "run_on = run_on + 1", "gross = 11, net = 7", "discount = 2, net = 5",
			"refunds = 3, net = 5", "repaid = 2, net = 7", "clawback = 2, net = 5", "collected = 2, net = 5"},
		"payout_lines l2": {"merchant_id = 'm2'", "kind = 'CLAWBACK'", "company_id = 2", "order_key = NULL, of_key = '1'",
			"source = 'x'", "due_on = due_on + 1"},
		"transfers t1": {"rail = 'CARD'", "kind = 'REFUND'", "company_id = 2", "payment_id = NULL", "refund_id = NULL",
			"payment_method_id = NULL", "amount = 2", "entry_description = 'x'"},
		"transfers t2": {"merchant_id = 'm2'", "payout_id = NULL"},
		"notices ntc1": {"kind = 'CLOSURE'", "company_id = 2", "action_at = now()", "reasons = NULL", "said = NULL", "said = 'x'", "late = NOT late", "erased_at = now()"},
	} {
		table, id, _ := strings.Cut(row, " ")
		for _, change := range changes {
			list = append(list, rule{table + "_life", codeBroken, []string{"UPDATE " + table + " SET " + change + " WHERE id = '" + id + "'"}})
		}
	}
	return list
}

func railChecks() []rule {
	var list []rule
	add := func(name, sql string) { list = append(list, rule{name, codeBroken, []string{sql}}) }
	words := "payment_methods.status= payment_methods.version=0 payouts.status= payouts.run_on=NULL" +
		" payouts.version=0 payout_lines.kind= payout_lines.gross=-1 payout_lines.discount=-1 payout_lines.refunds=-1" +
		" payout_lines.due_on=NULL payout_lines.version=0 transfers.rail= transfers.kind= transfers.status= transfers.amount=-1" +
		" transfers.version=0 notices.kind= notices.version=0 periods.debits=-1 bank_files.state= bank_files.first_trace=0" +
		" bank_files.first_trace=10000000 bank_files.entries=0 bank_files.debits=-1 bank_files.credits=-1 bank_entries.trace=0" +
		" bank_entries.trace=10000000 bank_notices.rail= bank_lines.date=NULL bank_matches.rule="
	rows := map[string]cells{
		"payment_methods": methodOf("x", "1"), "payouts": payoutOf("x", "m1"), "payout_lines": lineOf("x").but(cells{"kind": "'CLAWBACK'"}), "transfers": transferOf("x"),
		"notices": suspensionOf("x"), "periods": {"month": "'2025-11-01'"}, "bank_files": {"id": "'x'", "state": "'SENT'"},
		"bank_entries": {"transfer_id": "'t1'", "file_id": "'f1'"}, "bank_notices": noticeOf("x"), "bank_matches": matchOf("x"),
		"bank_lines": {"match_id": "NULL"},
	}
	for _, word := range strings.Fields(words) {
		column, value, _ := strings.Cut(word, "=")
		table, column, _ := strings.Cut(column, ".")
		if value == "" {
			value = "''"
		}
		add(table+"_"+column+"_check", insertRow(table, rows[table].but(cells{column: value})))
	}
	add("notices_erased_check", insertRow("notices", suspensionOf("x").but(cells{"erased_at": "now()", "sent_at": "NULL", "said": "NULL"})))
	add("payment_methods_type_check", insertRow("payment_methods", methodOf("x", "1").but(cells{"type": "''", "bank": "NULL"})))
	for column, net := range map[string]string{"gross": "-5", "discount": "8", "refunds": "9", "repaid": "4", "clawback": "8", "collected": "8"} {
		add("payouts_"+column+"_check", insertRow("payouts", payoutOf("x", "m1").but(cells{column: "-1", "net": net})))
	}
	add("payouts_net_check", insertRow("payouts", payoutOf("x", "m1").but(cells{"refunds": "9", "net": "-1"})))
	add("payouts_check", insertRow("payouts", payoutOf("x", "m1").but(cells{"net": "5"})))
	add("payout_lines_amount_check", insertRow("payout_lines", lineOf("x").but(cells{"refunds": "9", "amount": "-1"})))
	add("periods_month_check", insertRow("periods", cells{"month": "'2025-12-02'"}))
	for _, broken := range []struct {
		table, number string
		row           cells
	}{
		{"payment_methods", "", cells{"bank": "NULL"}}, {"payment_methods", "", cells{"card": "'{}'"}},
		{"payment_methods", "1", cells{"status": "'DISABLED'"}}, {"payment_methods", "1", cells{"disabled_reason": "'R02'"}},
		{"payout_lines", "", cells{"netted": "8"}}, {"payout_lines", "", cells{"netted": "-1"}},
		{"payout_lines", "1", cells{"of_key": "'1'"}}, {"payout_lines", "2", cells{"kind": "'CAPTURE'", "amount": "8"}}, {"payout_lines", "3", cells{"kind": "'REPAID'", "netted": "1"}},
		{"transfers", "", cells{"amount": "0"}}, {"transfers", "1", cells{"company_id": "0"}}, {"transfers", "1", cells{"merchant_id": "'m1'"}},
		{"transfers", "2", cells{"sent_at": "NULL"}}, {"transfers", "3", cells{"back": "-1"}},
		{"bank_notices", "", cells{"closed_at": "NULL", "result": "'ok'"}},
		{"bank_matches", "", cells{"undone_at": "NULL", "undone_by": "'me'"}},
	} {
		add(broken.table+"_check"+broken.number, insertRow(broken.table, rows[broken.table].but(broken.row)))
	}
	add("notices_said_check", insertRow("notices", rows["notices"].but(cells{"sent_at": "NULL"})))
	add("notices_late_check", insertRow("notices", rows["notices"].but(cells{"sent_at": "NULL", "said": "NULL", "late": "true"})))
	add("notices_asked_check", insertRow("notices", rows["notices"].but(cells{"asked_notice_id": "'ntc1'"})))
	add("notices_asked_check", insertRow("notices", rows["notices"].but(cells{"kind": "'FURTHER_REASONS'", "asked_notice_id": "NULL"})))
	add("payments_check1", "UPDATE payments SET on_hold = amount + 1")
	return list
}

func railCrossRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	second := func(table string, good, bad cells) string { // in one statement
		_, values, _ := strings.Cut(insertRow(table, bad), " VALUES ")
		return insertRow(table, good) + ", " + values
	}
	for table, trigger := range map[string]string{
		"payment_methods": "life", "payouts": "life", "payout_lines": "life", "transfers": "life", "notices": "life",
	} {
		add(table+"_"+trigger, "UPDATE "+table+" SET version = version - 1")
	}
	add("payouts_life", "UPDATE payouts SET event_seq = event_seq - 1")
	add("payment_methods_company", second("payment_methods", methodOf("x", "1"), methodOf("y", "9")))
	add("notices_company", insertRow("notices", suspensionOf("x").but(cells{"company_id": "9"})))
	add("payments_method", second("payments", succeeded("p2"), succeeded("p3").but(cells{"payment_method_id": "'pm2'"})))
	add("payments_method", insertRow("payments", succeeded("p2").but(cells{"payment_method_id": "'none'"})))
	add("payouts_merchant", insertRow("payouts", payoutOf("x", "none")))
	for _, edge := range strings.Fields("SENT-PENDING SETTLED-SENT FAILED-SETTLED") {
		from, to, _ := strings.Cut(edge, "-")
		add("payouts_life", insertRow("payouts", payoutOf("x", "m1").but(cells{"status": "'" + from + "'"})),
			"UPDATE payouts SET status = '"+to+"' WHERE id = 'x'")
	}
	for _, edge := range strings.Fields("SENT-QUEUED SENT-CANCELED SETTLED-FAILED RETURNED-SETTLED FAILED-SENT CANCELED-SENT") {
		from, to, _ := strings.Cut(edge, "-")
		add("transfers_life", insertRow("transfers", transferOf("x").but(cells{"status": "'" + from + "'"})),
			"UPDATE transfers SET status = '"+to+"' WHERE id = 'x'")
	}
	add("transfers_life", "UPDATE transfers SET filed = false")
	none := lineOf("y").but(cells{"kind": "'CARRIED'", "order_key": "NULL", "of_key": "'1'", "merchant_id": "'none'"})
	add("payout_lines_merchant", second("payout_lines", lineOf("x"), none))
	for column, value := range map[string]string{"company_id": "2", "merchant_id": "'m2'"} {
		add("payout_lines_parent", second("payout_lines", lineOf("x"), lineOf("y").but(cells{column: value})))
	}
	add("payout_lines_parent", insertRow("payout_lines", lineOf("x").but(cells{"order_key": "'none'", "of_key": "'none'"})))
	for _, payout := range []string{"'po2'", "'none'"} { // of another merchant, and none
		add("payout_lines_payout_still", "UPDATE payout_lines SET payout_id = 't1' WHERE id = 'l2'") // a company's transfer
		add("payout_lines_payout", second("payout_lines", lineOf("x"), lineOf("y").but(cells{"payout_id": payout})))
		add("payout_lines_payout_still", "UPDATE payout_lines SET payout_id = "+payout+" WHERE id = 'l2'")
		add("transfers_parent", insertRow("transfers", payoutTransfer("x").but(cells{"payout_id": payout})))
	}
	for _, changed := range []string{"payout_id = NULL", "amount = 5, refunds = 3", "gross = 10, refunds = 2", "gross = 10, discount = 2"} {
		add("payout_lines_life", "UPDATE payout_lines SET "+changed+" WHERE id = 'l1'")
	}
	for column, value := range map[string]string{"company_id": "2", "payment_id": "'none'", "payment_method_id": "'pm2'"} {
		add("transfers_parent", second("transfers", transferOf("x"), transferOf("y").but(cells{column: value})))
	}
	add("transfers_parent", insertRow("transfers", transferOf("x").but(cells{"company_id": "9", "payment_id": "NULL", "payment_method_id": "NULL"})))
	add("transfers_parent", insertRow("transfers", payoutTransfer("x").but(cells{"merchant_id": "'none'", "payout_id": "NULL"})))
	add("notices_life", "UPDATE notices SET sent_at = NULL, said = NULL")
	add("entries_open", entryOf(3, cells{"id": "'n3'", "book_date": "'2025-12-31'", "value_date": "'2025-12-31'"}, 5, -5)...)
	for _, edge := range strings.Fields("SENT-BUILT ACCEPTED-SENT REFUSED-ACCEPTED") {
		from, to, _ := strings.Cut(edge, "-")
		add("bank_files_life", insertRow("bank_files", cells{"id": "'x'", "state": "'" + from + "'"}),
			"UPDATE bank_files SET state = '"+to+"' WHERE id = 'x'")
	}
	for column, value := range map[string]string{"transfer_id": "'none'", "file_id": "'none'"} {
		entry := cells{"transfer_id": "'x'", "file_id": "'f1'", "trace": "2"}
		add("bank_entries_parent", insertRow("transfers", transferOf("x").but(cells{"filed": "true"})),
			insertRow("bank_entries", entry.but(cells{column: value})))
	}
	for column, value := range map[string]string{"filed": "false", "rail": "'CARD'", "status": "'FAILED'"} {
		add("bank_entries_parent", insertRow("transfers", transferOf("x").but(cells{"filed": "true", column: value})),
			insertRow("bank_entries", cells{"transfer_id": "'x'", "file_id": "'f1'", "trace": "2"}))
	}
	add("bank_notices_transfer", second("bank_notices", noticeOf("x"), noticeOf("y").but(cells{"transfer_id": "'none'"})))
	add("bank_notices_life", "UPDATE bank_notices SET result = 'another'")
	add("bank_notices_life", "UPDATE bank_notices SET closed_at = NULL, result = ''")
	add("bank_notices_life", `UPDATE bank_notices SET payload = '{"amount":"7.00"}'`)
	seen := "UPDATE bank_notices SET reviewed_at = now(), reviewed_by = 'ann', review_note = 'seen'"
	add("bank_notices_life", seen, "UPDATE bank_notices SET reviewed_by = 'ben'")
	add("bank_notices_life", seen, "UPDATE bank_notices SET reviewed_at = NULL, reviewed_by = '', review_note = ''")
	for _, half := range []string{"reviewed_by = 'ann', review_note = 'seen'", "reviewed_at = now(), reviewed_by = 'ann'", "reviewed_at = now(), review_note = 'seen'"} {
		add("bank_notices_review", "UPDATE bank_notices SET "+half)
	}
	for _, match := range []string{"'none'", "'bm2'"} { // no match, and one that was undone
		add("bank_lines_match", second("bank_lines", cells{"id": "'x'", "match_id": "NULL"}, cells{"id": "'y'", "match_id": match}))
		add("bank_lines_match_still", "UPDATE bank_lines SET match_id = "+match)
		add("cash_items_match", insertRow("cash_items", cells{"entry_id": "'n2'", "match_id": match}))
		add("cash_items_match_still", "UPDATE cash_items SET match_id = "+match)
	}
	add("cash_items_entry", insertRow("cash_items", cells{"entry_id": "'none'", "match_id": "NULL"}))
	add("bank_matches_life", "UPDATE bank_matches SET undone_by = 'another' WHERE id = 'bm2'")
	return list
}

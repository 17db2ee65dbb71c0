package postgres

import "strings"

func receiptOf(id string) cells {
	return cells{
		"id": "'" + id + "'", "amount": "5", "method": "'WIRE'", "received_on": "'2026-01-02'", "status": "'RETURNED'", "back_reference": "'b'",
		"payment_id": "NULL", "created_at": "'2026-01-02'", "ended_at": "'2026-01-02'", "version": "5",
	}
}

// receiptRows are the first rows of unidentified receipts.
func receiptRows() []string { return []string{insertRow("receipts", receiptOf("rcp1"))} }

// receiptRules are those of unidentified receipts.
func receiptRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	add("receipts_stay", "DELETE FROM receipts")
	add("receipts_stay", "TRUNCATE receipts")
	for _, column := range strings.Fields("id amount method received_on reference created_at") {
		add("receipts_identity", "UPDATE receipts SET "+column+" = "+column)
	}
	for name, change := range map[string]cells{
		"receipts_amount_check": {"amount": "0"}, "receipts_method_check": {"method": "'ACH'"}, "receipts_status_check": {"status": "''", "back_reference": "NULL"},
		"receipts_version_check": {"version": "0"}, "receipts_check": {"ended_at": "NULL"}, "receipts_check1": {"payment_id": "'pay_1'"},
		"receipts_check2": {"back_reference": "NULL"},
	} {
		add(name, insertRow("receipts", receiptOf("x").but(change)))
	}
	add("receipts_life", "UPDATE receipts SET version = 4")
	add("receipts_life", "UPDATE receipts SET back_reference = 'c'")
	add("receipts_life", "UPDATE receipts SET status = 'OPEN', ended_at = NULL, back_reference = NULL")
	return list
}

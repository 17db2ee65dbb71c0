package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store/memory"
	sqlitestore "tenor/internal/core/store/sqlite"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/suite"
)

// tamper is one change to a clean database behind Tenor's back. One of the invariants must
// be reported. {words} stand for identifiers of the story.
type tamper struct {
	what string
	want string // invariants, one of which is reported
	sql  string
}

// tampers each violate one or more invariants of docs/rules/invariants.md.
var tampers = []tamper{
	{"one posting + 1 cent", "LG1", `UPDATE postings SET amount = amount + 1 WHERE q = (SELECT max(q) FROM postings) AND n = 0 AND line = 0`},
	{"one posting + 1 cent, in the trial balance", "LG2", `UPDATE postings SET amount = amount + 1 WHERE account = 1100 AND order_key = '{amortized}'`},
	{"stored balance + 1", "LG3", `UPDATE balances SET amount = amount + 1 WHERE account = 1100 AND order_key = '{amortized}'`},
	{"balance removed", "LG3", `DELETE FROM balances WHERE account = 4010 AND order_key = '{amortized}'`},
	{"total of a day + 1", "LG3", `UPDATE day_totals SET debits = debits + 1 WHERE account = 1100 AND event = 'ORDER_CAPTURED'`},
	{"total of a day removed", "LG3", `DELETE FROM day_totals WHERE account = 2000 AND event = 'ORDER_CAPTURED'`},
	{"total of a day without postings", "LG3", `INSERT INTO day_totals VALUES (1, 5000, 'ORDER_CAPTURED', 'USD', 7, 7, 2)`},
	{"what is due on a date + 1", "SC9", `UPDATE due_totals SET charge = charge + 1 WHERE due_date IN (SELECT due_date FROM installments WHERE order_key = '{amortized}')`},
	{"what is due on a date, on another day", "SC9", `UPDATE due_totals SET book_date = book_date + 1 WHERE book_date = (SELECT max(book_date) FROM due_totals)`},
	{"what is due on a date without orders", "SC9", `INSERT INTO due_totals VALUES (1, 2, 0, 0, 'USD', 7, 7, 0, 1, 1, 7)`},
	{"answers removed", "ID4", `DELETE FROM idempotency`},
	{"balance without postings", "LG3", `INSERT INTO balances (order_key, company_id, account, merchant_id, currency, amount) VALUES ('', 0, 5000, '', 'USD', 7)`},
	{"entry deleted", "LG5", `DELETE FROM postings WHERE (q, n) IN (SELECT q, n FROM entries WHERE event = 'PAYMENT_RECEIVED' LIMIT 1);
		DELETE FROM entries WHERE (q, n) IN (SELECT q, n FROM entries WHERE event = 'PAYMENT_RECEIVED' LIMIT 1)`},
	{"second reversal added", "LG4", `
		INSERT INTO postings SELECT q, n + 90, line, account, amount, company_id, merchant_id, order_key, payment_id, installment FROM postings
			WHERE (q, n) = (SELECT q, n FROM entries WHERE reverses IS NOT NULL ORDER BY q, n LIMIT 1);
		INSERT INTO entries SELECT q, n + 90, 'ent_again', company_id, book_date, value_date, event, cause, currency, reverses, at FROM entries
			WHERE reverses IS NOT NULL ORDER BY q, n LIMIT 1`},
	{"reversal of a reversal", "LG4", `UPDATE entries SET reverses = (SELECT id FROM entries WHERE reverses IS NOT NULL ORDER BY q, n LIMIT 1)
		WHERE (q, n) = (SELECT q, n FROM entries ORDER BY q DESC, n DESC LIMIT 1)`},
	{"reversal not exact", "LG4", `UPDATE postings SET amount = amount * 2 WHERE (q, n) = (SELECT q, n FROM entries WHERE reverses IS NOT NULL ORDER BY q, n LIMIT 1)`},
	{"balanced extra entry without command", "LG5", `
		INSERT INTO postings VALUES (1, 90, 0, 1000, 500, 0, '', NULL, '', 0), (1, 90, 1, 3000, -500, 0, '', NULL, '', 0);
		INSERT INTO entries SELECT 1, 90, 'ent_extra', 0, business_date, business_date, 'FUNDED', 'x', 'USD', NULL, at FROM batches WHERE first_q = 1`},
	{"balanced entry that makes 2100 debit", "LG6", `
		INSERT INTO postings VALUES (1, 90, 0, 2100, 900000, {company}, '', NULL, '', 0), (1, 90, 1, 1000, -900000, 0, '', NULL, '', 0);
		INSERT INTO entries SELECT 1, 90, 'ent_extra', 0, business_date, business_date, 'CREDIT', 'x', 'USD', NULL, at FROM batches WHERE first_q = 1`},
	{"2000 owed while 1210 is held", "LG6", `
		INSERT INTO postings SELECT q, 95, 0, 1210, 500, company_id, merchant_id, order_key, '', 0 FROM postings WHERE account = 2000 AND order_key = '{amortized}' LIMIT 1;
		INSERT INTO postings SELECT q, 95, 1, 2000, -500, company_id, merchant_id, order_key, '', 0 FROM postings WHERE account = 2000 AND order_key = '{amortized}' LIMIT 1;
		INSERT INTO entries SELECT q, 95, 'ent_owed', company_id, book_date, value_date, 'PAYMENT_REFUNDED', 'x', 'USD', NULL, at FROM entries WHERE (q, n) IN
			(SELECT q, n FROM postings WHERE account = 2000 AND order_key = '{amortized}' LIMIT 1)`},
	{"value date after the book date", "LG7", `UPDATE entries SET value_date = book_date + 1 WHERE event = 'ORDER_CAPTURED'`},
	{"book date moved", "LG7", `UPDATE entries SET book_date = book_date - 1, value_date = book_date - 1 WHERE event = 'ORDER_CAPTURED'`},
	{"two spellings of one account", "LG8", `UPDATE postings SET merchant_id = '' WHERE account = 2000 AND order_key = '{amortized}'`},
	{"account that the chart lacks", "LG1", `UPDATE postings SET account = 1101 WHERE account = 1100 AND order_key = '{amortized}'`},
	{"posting in EUR", "MN4", `UPDATE entries SET currency = 'EUR' WHERE event = 'ORDER_CAPTURED'`},
	{"order in EUR", "MN4", `UPDATE orders SET currency = 'EUR' WHERE order_key = '{amortized}'`},
	{"CANCELED to CAPTURED", "OR1", `UPDATE orders SET status = 'CAPTURED' WHERE order_key = '{canceled}'`},
	{"version skipped", "OR2", `UPDATE orders SET version = version + 1 WHERE order_key = '{amortized}'`},
	{"old version changed", "OR2", `UPDATE order_history SET version = version + 7 WHERE order_key = '{amortized}'`},
	{"old version removed", "OR2", `DELETE FROM order_history WHERE order_key = '{amortized}' AND until_q = (SELECT min(until_q) FROM order_history WHERE order_key = '{amortized}')`},
	{"old version of a company changed", "CL3 AU7", `UPDATE company_history SET reserved = reserved + 1 WHERE company_id = {company}`},
	{"capture_date moved a day", "OR3", `UPDATE orders SET capture_date = capture_date + 1 WHERE order_key = '{amortized}'`},
	{"invoice total + 1", "OR5", `UPDATE invoices SET amount_due = amount_due + 1 WHERE order_key = '{amortized}'`},
	{"merchant discount + 1", "OR5", `UPDATE orders SET merchant_discount = merchant_discount + 1 WHERE order_key = '{amortized}'`},
	{"schedule under a canceled order", "OR6", `INSERT INTO loans SELECT '{canceled}', company_id, merchant_id, captured_at, terms, level_payment, as_of, current,
		slices, carried, earned, earned_from, prepaid, refunded, waived, q, charged_off FROM loans WHERE order_key = '{amortized}'`},
	{"same merchant_order_id twice", "OR8", `UPDATE orders SET merchant_order_id = 'PO-1' WHERE order_key = '{part}'`},
	{"claim removed", "OR8", `DELETE FROM claims WHERE name = 'PO-1'`},
	{"claim of a payment moved", "OR8", `UPDATE claims SET owner = 'pay_other' WHERE name = 'wire-77'`},
	{"child's K + 1", "OR10", `UPDATE orders SET captured = captured + 1, amount = amount + 1 WHERE parent = '{part}'`},
	{"grandchild", "OR10", `UPDATE orders SET parent = '{amortized}' WHERE order_key = '{part}'`},
	{"a current order set OVERDUE", "OR11", `UPDATE orders SET financing_status = 'OVERDUE' WHERE order_key = '{paidOff}'`},
	{"an overdue order set ACTIVE", "OR11", `UPDATE orders SET financing_status = 'ACTIVE' WHERE order_key = '{part}'`},
	{"reserved - 1", "CL2 CL3", `UPDATE companies SET reserved = reserved - 1 WHERE company_id = {company}`},
	{"outstanding + 1", "CL3", `UPDATE companies SET outstanding = outstanding + 1 WHERE company_id = {company}`},
	{"on_hold + 1", "CL3", `UPDATE companies SET on_hold = on_hold + 1 WHERE company_id = {company}`},
	{"limit + 1", "AU7", `UPDATE companies SET credit_limit = credit_limit + 1 WHERE company_id = {company}`},
	{"reservation left on an ended order", "CL4", `UPDATE orders SET reserved = 30000 WHERE order_key = '{canceled}'`},
	{"principal moved between rows of two orders", "SC1", `UPDATE installments SET principal = principal - 100 WHERE order_key = '{amortized}' AND number = 5;
		UPDATE installments SET principal = principal + 100 WHERE order_key = '{flat}' AND number = 4`},
	{"principal of two orders paid", "SC4", `UPDATE installments SET paid_principal = paid_principal + 1 WHERE order_key = '{overdue}';
		UPDATE installments SET paid_principal = paid_principal - 1 WHERE order_key = '{amortized}' AND number = 1`},
	{"due date + 1", "SC3", `UPDATE installments SET due_date = due_date + 1 WHERE order_key = '{amortized}' AND number = 3`},
	{"a row that no re-schedule has moved", "F34", `UPDATE installments SET anchor = NOT anchor WHERE order_key = '{amortized}' AND number = 3`},
	{"paid before no re-amortizing", "F34", `UPDATE installments SET ahead = ahead + 1 WHERE order_key = '{amortized}' AND number = 3`},
	{"paid > amount", "SC5", `UPDATE installments SET paid_principal = principal + 1 WHERE order_key = '{amortized}' AND number = 1`},
	{"row deleted", "SC1", `DELETE FROM installments WHERE order_key = '{amortized}' AND number = 6`},
	{"revision counted back", "SC6", `UPDATE orders SET revision = revision - 1 WHERE order_key = '{amortized}'`},
	{"charge recognised + 1", "SC4", `UPDATE installments SET recognised = recognised + 1 WHERE order_key = '{amortized}' AND number = 1`},
	{"unearned charge", "PA7", `UPDATE installments SET recognised = recognised + 1 WHERE order_key = '{flat}' AND number = 1`},
	{"loan accrued further", "AU7 F34", `UPDATE loans SET slices = slices + 1 WHERE order_key = '{amortized}'`},
	{"money event removed", "F34", `DELETE FROM money_touches WHERE event_id = '{whole}'; DELETE FROM money_events WHERE id = '{whole}'`},
	{"money event of a returned payment removed", "AU7", `DELETE FROM money_touches WHERE event_id = '{back}'; DELETE FROM money_events WHERE id = '{back}'`},
	{"money event out of the history", "F34", `DELETE FROM money_touches WHERE event_id = '{back}'`},
	{"money event moved to another order beside its JSON", "F34", `UPDATE money_events SET order_key = '{flat}' WHERE id = '{whole}'`},
	{"money event of another kind beside its JSON", "F34", `UPDATE money_events SET kind = 'REFUND' WHERE id = '{whole}'`},
	{"money event of another payment beside its JSON", "F34", `UPDATE money_events SET payment_id = '{whole}' WHERE id = '{back}'`},
	{"money event a day earlier beside its JSON", "F34", `UPDATE money_events SET effective_date = effective_date - 1 WHERE id = '{whole}'`},
	{"money event in another place beside its JSON", "F34", `UPDATE money_events SET seq = seq + 1 WHERE id = '{whole}'`},
	{"money event + 1 beside its JSON", "F34", `UPDATE money_events SET amount = amount + 1 WHERE id = '{whole}'`},
	{"money event under another id", "F34", `UPDATE money_events SET id = 'pay_other' WHERE id = '{whole}'`},
	{"money event recorded in another commit", "AU7", `UPDATE money_events SET q = q - 1 WHERE id = '{whole}'`},
	{"money event in another place of its commit", "AU7", `UPDATE money_events SET n = n + 1 WHERE id = '{whole}'`},
	{"two money events in one place of a commit", "F34", `UPDATE money_events SET (q, n) = (SELECT q, n FROM money_events WHERE id = '{back}') WHERE id = '{whole}'`},
	{"money event's touch of another company", "AU1", `UPDATE money_touches SET company_id = company_id + 1 WHERE event_id = '{whole}'`},
	{"loan of another company", "AU1", `UPDATE loans SET company_id = company_id + 1 WHERE order_key = '{amortized}'`},
	{"loan of another merchant", "AU1", `UPDATE loans SET merchant_id = '{other}' WHERE order_key = '{amortized}'`},
	{"row of another company", "AU1", `UPDATE installments SET company_id = company_id + 1 WHERE order_key = '{amortized}' AND number = 2`},
	{"row of another merchant", "AU1", `UPDATE installments SET merchant_id = '{other}' WHERE order_key = '{amortized}' AND number = 2`},
	{"row of no loan", "AU1", `INSERT INTO installments SELECT '{canceled}', number, company_id, merchant_id, due_date, target, principal, finance_charge,
		paid_principal, paid_finance_charge, recognised, paid_on, canceled, anchor, ahead FROM installments WHERE order_key = '{amortized}' AND number = 2`},
	{"fee of another company", "AU1", `UPDATE fees SET company_id = company_id + 1 WHERE order_key = '{overdue}'`},
	{"fees counted from another number", "AU7", `UPDATE fees SET n = n + 7 WHERE order_key = '{overdue}'`},
	{"payment listed for another merchant", "AU1", `UPDATE payments SET order_merchant_id = '{other}' WHERE id = (SELECT max(id) FROM payments WHERE order_key = '{amortized}')`},
	{"order listed as waiting for staff", "AU7", `UPDATE orders SET stopped = NOT stopped WHERE order_key = '{amortized}'`},
	{"company found by another e-mail", "AU7", `UPDATE companies SET email_key = 'other@example.com'`},
	{"payment of no order listed for a merchant", "AU1", `UPDATE payments SET order_merchant_id = '{other}' WHERE id = '{whole}'`},
	{"entry of another company", "AU1", `UPDATE entries SET company_id = company_id + 1 WHERE event = 'ORDER_CAPTURED'`},
	{"one entry of a commit of another company", "AU1", `UPDATE entries SET company_id = company_id + 1 WHERE (q, n) = (SELECT q, n FROM entries WHERE n = 1 LIMIT 1)`},
	{"entry at another time", "AU7", `UPDATE entries SET at = at - 1000000 WHERE event = 'ORDER_CAPTURED'`},
	{"link in another place of its list", "AU1", `UPDATE company_merchants SET created_at = created_at + 1 WHERE company_id = {company}`},
	{"returned payment set SUCCEEDED", "PA1 PA3", `UPDATE payments SET status = 'SUCCEEDED' WHERE id = '{back}'`},
	{"one allocation - 1 cent", "PA3", `UPDATE payments SET allocations = json_set(allocations, '$[0].principal', json_extract(allocations, '$[0].principal') - 0.01) WHERE id = '{whole}'`},
	{"unapplied + 1", "PA3", `UPDATE payments SET unapplied = unapplied + 1 WHERE id = '{whole}'`},
	{"open credit - 1", "PA6", `UPDATE credits SET amount = amount - 1`},
	{"two allocations of a payment swapped", "PA4", `UPDATE payments SET allocations = json_array(json_extract(allocations, '$[1]'), json_extract(allocations, '$[0]')) WHERE id = '{whole}'`},
	{"allocation moved to another company's order", "PA4", `UPDATE payments SET allocations = json_set(allocations, '$[0].order_key', '{amortized}') WHERE id = '{whole}'`},
	{"order set PAID_OFF with 1 cent open", "PA8", `UPDATE orders SET financing_status = 'PAID_OFF' WHERE order_key = '{amortized}'`},
	{"refund + 1 above captured", "RF1", `UPDATE orders SET refunded = captured + 1 WHERE order_key = '{returned}'`},
	{"refund above the payment", "RF2", `UPDATE payments SET refunded = amount + 1 WHERE id = '{whole}'`},
	{"discount share + 1", "RF5", `UPDATE orders SET merchant_discount_back = merchant_discount_back + 1 WHERE order_key = '{amortized}'`},
	{"credit on 2100 - 1", "PA6", `UPDATE postings SET amount = amount + 1 WHERE account = 2100; UPDATE balances SET amount = amount + 1 WHERE account = 2100`},
	{"RETURNED with F < K", "OR7", `UPDATE orders SET status = 'RETURNED', returned_at = captured_at WHERE order_key = '{amortized}'`},
	{"RETURNED without its day", "RF4", `UPDATE orders SET returned_at = NULL WHERE order_key = '{returned}'`},
	{"refund removed", "OR7", `UPDATE orders SET refunds = '[]' WHERE order_key = '{amortized}'`},
	{"commit with an earlier business date", "TM1", `UPDATE batches SET business_date = business_date - 40 WHERE first_q = (SELECT max(first_q) FROM batches)`},
	{"event removed", "EV1", `DELETE FROM events WHERE object_id = '{amortized}' AND sequence = 2`},
	{"last event removed", "EV1", `DELETE FROM events WHERE object_id = '{amortized}' AND sequence = (SELECT max(sequence) FROM events WHERE object_id = '{amortized}')`},
	{"stored body of an event changed", "EV4", `UPDATE events SET payload = replace(payload, '1200.00', '1300.00') WHERE object_id = '{amortized}' AND sequence = 1`},
	{"sequence in a payload changed", "EV4", `UPDATE events SET payload = replace(payload, '"sequence":1,', '"sequence":9,') WHERE object_id = '{amortized}' AND sequence = 1`},
	{"event shown to another merchant", "AU1", `UPDATE events SET merchant_id = '{other}' WHERE object_id = '{amortized}' AND sequence = 1`},
	{"payment's merchant changed", "AU1", `UPDATE payments SET merchant_id = '{other}' WHERE id = '{whole}'`},
	{"invoice's merchant changed", "AU1", `UPDATE invoices SET merchant_id = '{other}' WHERE order_key = '{amortized}'`},
	{"link removed", "AU1", `DELETE FROM company_merchants WHERE company_id = {company} AND merchant_id = '{other}'`},
	{"merchant renamed", "AU7 OR8", `UPDATE merchants SET name = 'Other' WHERE id = '{other}'`},
	{"program changed", "AU7", `UPDATE programs SET settings = replace(settings, '"min_order_amount":1.00', '"min_order_amount":2.00') WHERE merchant_id = '{other}'`},
	{"audit row changed", "AU5", `UPDATE audit SET address = '198.51.100.1' WHERE q = 5`},
	{"refusal in the audit log changed", "LG5", `UPDATE audit SET result = 'not_found' WHERE result = 'insufficient_credit'`},
	{"audit row tells another old value", "AU4 AU5", `UPDATE audit SET payload = replace(payload, '"was":{', '"was":{"lender":{"contact":"me"},') WHERE instr(payload, '"was":{') > 0`},
	{"audit row deleted", "AU4", `DELETE FROM audit WHERE q = 5`},
	{"digest and audit row changed", "AU5", `UPDATE audit SET address = '198.51.100.1' WHERE q = 5; UPDATE batches SET digest = zeroblob(32) WHERE first_q <= 5 AND last_q >= 5`},
	{"last ten cut off", "AU5 AU7", `DELETE FROM audit WHERE q > (SELECT q - 10 FROM books); DELETE FROM batches WHERE last_q > (SELECT q - 10 FROM books)`},
	{"last ten cut off with the head", "AU5 AU7 LG5", `DELETE FROM audit WHERE q > (SELECT q - 10 FROM books); DELETE FROM batches WHERE last_q > (SELECT q - 10 FROM books);
		UPDATE books SET q = q - 10`},
	{"one q removed", "AU7", `UPDATE audit SET q = q + 1000 WHERE q = 5`},
	{"stored answer changed", "ID4", `UPDATE idempotency SET body = CAST('paid' AS BLOB), request = zeroblob(32), status = 200, content_type = '', location = '', etag = '',
		company_id = 0, sealed = 0 WHERE q = (SELECT min(q) FROM idempotency)`},
	{"stored answer of no commit", "ID4", `UPDATE idempotency SET q = 100000 WHERE q = (SELECT min(q) FROM idempotency)`},
	{"sealed answer changed", "ID4", `UPDATE idempotency SET body = CAST(body || 'x' AS BLOB) WHERE sealed = 1`},
	{"sealed answer of another row", "ID4", `UPDATE idempotency SET body = CAST('sealed for answer/x/y: 1' AS BLOB) WHERE sealed = 1`},
	{"sealed answer laid open", "ID4", `UPDATE idempotency SET sealed = 0 WHERE sealed = 1`},
	{"client with a scope of the operator", "AU3", `UPDATE clients SET scopes = '["operator:write","orders:read"]' WHERE id = '{client}'`},
	{"client's scope widened", "AU3", `UPDATE clients SET scopes = '["orders:read","sandbox"]' WHERE id = '{client}'`},
	{"client's secret in the clear", "AU3", `UPDATE clients SET secrets = '[{"hash":"tns_secret","until":"0001-01-01T00:00:00Z"}]' WHERE id = '{client}'`},
	{"client's secret exchanged", "AU3", `UPDATE clients SET secrets = '[{"hash":"' || hex(zeroblob(32)) || '","until":"0001-01-01T00:00:00Z"}]' WHERE id = '{client}'`},
	{"client of another merchant", "AU7", `UPDATE clients SET merchant_id = '{other}' WHERE id = '{client}'`},
	{"client valid again", "AU7", `UPDATE clients SET revoked_at = NULL WHERE name = 'old'`},
	{"client by no command", "AU7", `UPDATE clients SET version = 1, secrets = '[{"hash":"' || hex(zeroblob(32)) || '","until":"0001-01-01T00:00:00Z"}]' WHERE id = 'cli_bare'`},
	{"client removed", "AU7", `DELETE FROM clients WHERE name = 'old'`},
	{"client widened", "AU9 AU7", `UPDATE clients SET scopes = '["sandbox"]' WHERE id = '{client}'`},
	{"client of the console widened", "AU9", `UPDATE clients SET scopes = '["operator:read","operator:write"]' WHERE id = 'cli_bare'`},
	{"client's secret exchanged for another hash", "AU9", `UPDATE clients SET secrets = '[{"hash":"` + strings.Repeat("ab", 32) + `","until":"0001-01-01T00:00:00Z"}]' WHERE id = '{client}'`},
	{"client inserted", "AU9", `INSERT INTO clients SELECT 'cli_mine', merchant_id, name, scopes, per_minute, burst, secrets, created_at, updated_at, revoked_at, version, q FROM clients WHERE id = 'cli_bare'`},
	{"client inserted as if by an earlier program", "AU9", `INSERT INTO clients SELECT 'cli_mine', merchant_id, name, scopes, per_minute, burst, NULL, created_at, updated_at, NULL, 0, 0 FROM clients WHERE id = 'cli_bare'`},
	{"client revoked and valid again", "AU9", `UPDATE clients SET revoked_at = NULL, version = version, q = q WHERE name = 'old'`},
	{"client's rate limit raised", "AU9", `UPDATE clients SET per_minute = 1000000 WHERE id = 'cli_bare'`},
	{"token inserted", "AU9 AU7", `INSERT INTO tokens SELECT zeroblob(32), client_id, scopes, expires_at, NULL, q FROM tokens WHERE client_id = '{client}'`},
	{"token inserted by no commit", "AU9", `INSERT INTO tokens SELECT zeroblob(32), client_id, scopes, expires_at, NULL, 0 FROM tokens WHERE client_id = '{client}'`},
	{"token of another client", "AU9", `UPDATE tokens SET client_id = 'cli_bare' WHERE client_id = '{client}'`},
	{"token prolonged", "AU9 AU7", `UPDATE tokens SET expires_at = expires_at + 1000000 WHERE client_id = '{client}'`},
	{"token valid again", "AU9 AU7", `UPDATE tokens SET revoked_at = NULL WHERE client_id = 'cli_bare'`},
	{"command on a client taken out of its object", "AU9 AU5", `UPDATE audit SET object = '' WHERE object = '{client}' AND command = 'client.roll'`},
	{"token wider than its client", "AU3", `UPDATE tokens SET scopes = '["operator:read"]' WHERE client_id = '{client}'`},
	{"token of nobody", "AU3", `UPDATE tokens SET client_id = 'cli_none'`},
	{"endpoint's address changed", "AU7", `UPDATE endpoints SET url = 'https://elsewhere.example/' WHERE id = '{endpoint}'`},
	{"endpoint's old address changed", "AU7", `UPDATE endpoint_history SET url = 'https://elsewhere.example/' WHERE id = '{endpoint}'`},
	{"signing secret exchanged", "EV5", `UPDATE endpoints SET secrets = '[{"sealed":"bWluZQ==","until":"0001-01-01T00:00:00Z"}]' WHERE id = '{endpoint}'`},
	{"signing secret removed", "EV5", `UPDATE endpoints SET secrets = NULL WHERE id = '{endpoint}'`},
	{"endpoint on again", "EV6", `UPDATE endpoints SET enabled = 1 WHERE id = '{narrow}'`},
	{"endpoint on again, without a trace", "AU7", `UPDATE endpoints SET enabled = 1, disabled_reason = '' WHERE id = '{narrow}'`},
	{"endpoint of another merchant", "AU1", `UPDATE endpoints SET merchant_id = '{other}' WHERE id = '{endpoint}'`},
	{"endpoint's version removed", "EV6 AU7", `DELETE FROM endpoint_history WHERE id = '{endpoint}' AND until_q = (SELECT max(until_q) FROM endpoint_history WHERE id = '{endpoint}')`},
	{"endpoint removed", "EV1 AU7", `DELETE FROM endpoint_history WHERE id = '{narrow}'; DELETE FROM endpoints WHERE id = '{narrow}'`},
	{"endpoint without a place", "EV6", `DELETE FROM claims WHERE kind = 'endpoint_place' AND owner = '{endpoint}'`},
	{"place of an endpoint that was deleted", "EV6", `UPDATE claims SET owner = '{deleted}' WHERE kind = 'endpoint_place' AND owner = '{endpoint}'`},
	{"resend added", "AU7", `INSERT INTO resends SELECT 'rsd_x', endpoint_id, merchant_id, event_id, from_at, to_at, created_at, q - 1 FROM resends ORDER BY q LIMIT 1`},
	{"resend changed", "AU7", `UPDATE resends SET event_id = (SELECT id FROM events ORDER BY q DESC LIMIT 1) WHERE event_id <> ''`},
	{"resend removed", "EV2 AU7", `DELETE FROM resends WHERE event_id <> ''`},
	{"resend to another merchant's endpoint", "EV6", `UPDATE resends SET endpoint_id = '{deleted}' WHERE event_id <> ''`},
	{"event hidden from its merchant", "AU2", `UPDATE events SET readers = NULL WHERE object_id = '{amortized}' AND sequence = 2`},
	{"event that its merchant does not find", "AU2", `DELETE FROM event_readers WHERE q = (SELECT q FROM events WHERE object_id = '{amortized}' AND sequence = 2)`},
	{"event shown to one more merchant", "EV6", `UPDATE events SET readers = json_insert(readers, '$[#]', '{other}') WHERE object_id = '{amortized}' AND sequence = 2`},
	{"event found by one more merchant", "EV6", `INSERT INTO event_readers SELECT '{other}', min(q) FROM events
		WHERE object_type = 'order' AND q NOT IN (SELECT q FROM event_readers WHERE merchant_id = '{other}')`},
	{"company's event hidden from a linked merchant", "EV6", `UPDATE events SET readers = (SELECT json_group_array(value) FROM json_each(readers) WHERE value <> '{other}')
		WHERE object_id = '{company}' AND sequence = 2`},
	{"company's event shown to one that was not linked", "EV6", `UPDATE events SET readers = json_insert(coalesce(readers, '[]'), '$[#]', '{other}')
		WHERE object_type = 'company' AND coalesce(readers, '') NOT LIKE '%{other}%'`},
	{"event that its object does not find", "AU2", `DELETE FROM event_objects WHERE q = (SELECT min(q) FROM event_objects)`},
	{"event found by another object", "EV6", `INSERT INTO event_objects SELECT 'order', 'ord_other', min(q) FROM event_objects`},
	{"events and response overwritten", "EV4", `UPDATE audit SET told = x'01ff' WHERE q = (SELECT max(q) FROM event_readers)`},
	{"response overwritten", "ID4", `UPDATE audit SET told = x'01ff' WHERE q = (SELECT max(q) FROM idempotency WHERE request IS NULL)`},
	{"answer in the log changed", "ID4", `UPDATE answers SET body = CAST('paid' AS BLOB) WHERE q = (SELECT min(q) FROM answers)`},
	{"delivery to another merchant", "EV6", `UPDATE deliveries SET merchant_id = '{other}' WHERE id = (SELECT min(id) FROM deliveries WHERE endpoint_id = '{endpoint}')`},
	{"delivery to another merchant's endpoint", "EV6", `UPDATE deliveries SET merchant_id = '{other}', endpoint_id = '{deleted}' WHERE id =
		(SELECT min(id) FROM deliveries WHERE endpoint_id = '{endpoint}' AND object_type = 'order')`},
	{"delivery of a type that was not asked for", "EV6", `UPDATE deliveries SET endpoint_id = '{narrow}' WHERE id =
		(SELECT min(id) FROM deliveries WHERE endpoint_id = '{endpoint}' AND type = 'order.authorized')`},
	{"delivery to an endpoint that was off", "EV6", `UPDATE deliveries SET endpoint_id = '{deleted}', merchant_id = '{other}' WHERE id =
		(SELECT max(id) FROM deliveries WHERE endpoint_id = '{endpoint}' AND type = 'company.credit_line_changed')`},
	{"test event to another endpoint", "EV6", `UPDATE deliveries SET endpoint_id = '{endpoint}' WHERE type = 'webhook.test'`},
	{"delivery of another event", "EV4", `UPDATE deliveries SET event_id = (SELECT id FROM events ORDER BY q LIMIT 1) WHERE id = (SELECT max(id) FROM deliveries)`},
	{"delivery of no event", "EV4", `UPDATE deliveries SET event_q = event_q + 100000 WHERE id = (SELECT max(id) FROM deliveries)`},
	{"delivery with another sequence", "EV4", `UPDATE deliveries SET sequence = sequence + 1 WHERE id = (SELECT max(id) FROM deliveries)`},
	{"delivery removed", "EV2", `DELETE FROM attempts WHERE delivery_id = '{last}'; DELETE FROM deliveries WHERE id = '{last}'`},
	{"delivery that is sent again removed", "EV2", `DELETE FROM attempts WHERE delivery_id = (SELECT max(id) FROM deliveries WHERE resend_id <> '' AND event_q = (SELECT max(event_q) FROM deliveries WHERE resend_id <> ''));
		DELETE FROM deliveries WHERE id = (SELECT max(id) FROM deliveries WHERE resend_id <> '' AND event_q = (SELECT max(event_q) FROM deliveries WHERE resend_id <> ''))`},
	{"delivery twice", "EV2", `INSERT INTO deliveries (id, endpoint_id, merchant_id, resend_id, event_id, type, object_type, object_id, sequence, event_q,
		event_n, state, attempts, next_at, status, error, created_at, finished_at, url) SELECT 'dlv_again', endpoint_id, merchant_id, resend_id, event_id, type, object_type, object_id, sequence, event_q,
		event_n, 'PENDING', 0, created_at, 0, '', created_at, NULL, url FROM deliveries WHERE id = '{last}'`},
	{"delivery sent elsewhere", "EV6", `UPDATE deliveries SET url = 'https://elsewhere.example/' WHERE id = '{last}'`},
	{"endpoint of another kind", "EV6", `UPDATE endpoints SET kind = 'CHECKOUT'`},
	{"delivery that nobody asked for again", "EV2", `UPDATE deliveries SET resend_id = 'rsd_none' WHERE id = (SELECT max(id) FROM deliveries WHERE resend_id <> '')`},
	{"delivery in no state", "EV2", `UPDATE deliveries SET state = 'LOST' WHERE id = '{last}'`},
	{"delivery finished and pending", "EV2", `UPDATE deliveries SET state = 'PENDING' WHERE id = '{last}'`},
	{"failed delivery set SUCCEEDED", "EV6", `UPDATE deliveries SET state = 'SUCCEEDED' WHERE state = 'PARKED'`},
	{"attempt removed", "EV2", `DELETE FROM attempts WHERE status = 302`},
	{"attempt of no delivery", "EV2", `UPDATE attempts SET delivery_id = 'dlv_none' WHERE delivery_id = (SELECT min(delivery_id) FROM attempts WHERE status = 302) AND n = 1`},
	{"attempt answered with 302 counts", "EV6", `UPDATE attempts SET status = 302 WHERE status = 204`},
	{"cursor past the last commit", "EV2", `UPDATE delivery_cursors SET q = q + 100000 WHERE endpoint_id = '{endpoint}'`},
	{"cursor moved past what is not delivered", "EV2", `UPDATE delivery_cursors SET q = (SELECT max(q) FROM events), n = 1000 WHERE endpoint_id = '{endpoint}'`},
	{"cursor behind what is delivered", "EV2", `UPDATE delivery_cursors SET q = q - 5 WHERE endpoint_id = '{endpoint}'`},
	{"order written by another commit", "AU7", `UPDATE orders SET q = q - 1 WHERE order_key = '{amortized}'`},
	{"name taken in another commit", "OR8", `UPDATE claims SET q = q - 1 WHERE name = 'PO-1'`},
	{"lines of an entry in another order", "LG5", `UPDATE postings SET line = 90 - line WHERE (q, n) = (SELECT q, n FROM entries WHERE event = 'ORDER_CAPTURED' LIMIT 1)`},
	{"audit row of another company", "AU4", `UPDATE audit SET company_id = company_id + 1 WHERE command = 'order.create'`},
	{"answer under another key", "ID4", `UPDATE idempotency SET key = 'mine' WHERE q = (SELECT min(q) FROM idempotency)`},
}

// tiedTampers change money that tied orders share. Each concerns a payment for one order
// that pays another one.
var tiedTampers = []tamper{
	{"payment of the company said to be of one order", "PA4", `UPDATE payments SET order_key = '{part}', allocations = (SELECT json_group_array(CASE
			WHEN json_extract(value, '$.order_key') = '{part}' THEN json(value) ELSE json_set(value, '$.elsewhere', json('true')) END) FROM json_each(allocations))
		WHERE id = '{whole}'`},
	{"money of an order allocated to a tied one", "PA4", `UPDATE payments SET allocations = (SELECT json_group_array(CASE
			WHEN json_extract(value, '$.order_key') = '{ownTied}' THEN json_set(value, '$.order_key', '{dueTied}', '$.elsewhere', json('true'))
			ELSE json(value) END) FROM json_each(allocations)) WHERE id = '{over}'`},
	{"use of credit by another source", "PA4", `UPDATE money_events SET event = json_set(event, '$.Payment', '{back}') WHERE kind = 'CREDIT_USE'`},
	{"use of credit for another order", "PA4", `UPDATE money_events SET event = json_set(event, '$.Order', '{ownTied}') WHERE kind = 'CREDIT_USE'`},
	{"use of credit taken back", "PA4", `UPDATE money_events SET returned = 1 WHERE kind = 'CREDIT_USE'`},
	{"use of credit removed", "PA4", `DELETE FROM money_touches WHERE event_id IN (SELECT id FROM money_events WHERE kind = 'CREDIT_USE');
		DELETE FROM money_events WHERE kind = 'CREDIT_USE'`},
}

func every() []tamper { return slices.Concat(tampers, railTampers, tiedTampers, buyerTampers) }

// telling are the tampers with every change: the first one of each report, and all that tied orders
// share.
func telling() []tamper {
	seen := map[string]bool{}
	return slices.DeleteFunc(every(), func(x tamper) bool {
		before := seen[x.want] && !slices.Contains(tiedTampers, x)
		seen[x.want] = true
		return before
	})
}

// Each tamper is found and reported; the clean copy raises no alarm (T37). With every change one
// tamper of each report is, at night all.
func TestTampers(t *testing.T) {
	dir := t.TempDir()
	clean := filepath.Join(dir, "clean.db")
	names := makeClean(t, clean)
	if r := verifyFile(t, clean); !r.Clean() {
		t.Fatalf("the clean database: %v", r.Violations[0])
	}
	open := filepath.Join(dir, "open.db") // without guards, removed once for all
	copyFile(t, clean, open)
	unguard(t, open)
	caught := 0
	all := suite.By(telling, every)()
	for i, x := range all {
		t.Run(strings.ReplaceAll(x.what, " ", "_"), func(t *testing.T) {
			file := filepath.Join(dir, fmt.Sprint("tampered", i, ".db"))
			copyFile(t, open, file)
			defer os.Remove(file)
			alter(t, file, names.Replace(x.sql))
			r := verifyFile(t, file)
			if !found(r, strings.Fields(x.want)...) {
				t.Errorf("want %s, found %v", x.want, r.Violations)
				return
			}
			caught++
		})
	}
	t.Logf("detected %d of %d", caught, len(all))
}

func makeClean(t *testing.T, file string) *strings.Replacer {
	t.Helper()
	db, err := sqlitestore.Open(file, sqlitestore.Options{NormalSync: true})
	if err != nil {
		t.Fatal(err)
	}
	b := newBook(t, db)
	s := b.live()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("{amortized}", s.amortized, "{flat}", s.flat, "{part}", s.part, "{returned}", s.returned,
		"{canceled}", s.canceled, "{overdue}", s.overdue, "{paidOff}", s.paidOff, "{whole}", s.whole, "{back}", s.back,
		"{company}", fmt.Sprint(b.companies[0]), "{other}", b.shops[1].Merchant,
		"{client}", s.client, "{endpoint}", s.endpoint, "{narrow}", b.endpoints[1], "{deleted}", b.endpoints[2], "{last}", s.last,
		"{bounced}", s.rails.returned, "{settled}", s.rails.settled, "{failed}", s.rails.failed, "{notice}", s.rails.notice,
		"{railed}", fmt.Sprint(s.rails.company), "{dock}", s.rails.shop.Merchant, "{ach}", s.rails.ach, "{first}", s.rails.orders[0],
		"{over}", s.tied.over, "{ownTied}", s.tied.own, "{dueTied}", s.tied.due,
		"{completed}", s.bought.completed, "{openCheckout}", s.bought.open, "{left}", s.bought.left, "{approved}", s.bought.approved, "{declined}", s.bought.declined,
		"{waits}", s.bought.waits, "{person}", s.bought.person, "{mail}", s.bought.mail, "{paper}", s.bought.paper, "{dispute}", s.bought.dispute, "{answered}", s.bought.answered,
		"{invited}", s.bought.invited, "{onPaper}", s.bought.onPaper)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// change does what somebody with access to the file can do: it removes the schema's guards,
// then changes rows.
func change(t *testing.T, file, sql string) {
	t.Helper()
	unguard(t, file)
	alter(t, file, sql)
}

// breakIn opens a file without the rules of its schema. Nothing waits for the disk: here no
// power fails.
func breakIn(t *testing.T, file string) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(c, `PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON`, nil); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, `PRAGMA synchronous = OFF`, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// unguard removes what keeps rows of a file as they were written.
func unguard(t *testing.T, file string) {
	t.Helper()
	c := breakIn(t, file)
	defer c.Close()
	drop := strings.Builder{}
	drop.WriteString("DROP INDEX entries_reverses;")
	if err := sqlitex.Execute(c, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { fmt.Fprintf(&drop, "DROP TRIGGER %s;", s.ColumnText(0)); return nil },
	}); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(c, drop.String(), nil); err != nil {
		t.Fatal(err)
	}
}

// alter changes rows of a file without guards. A tamper must change something.
func alter(t *testing.T, file, sql string) {
	t.Helper()
	c := breakIn(t, file)
	defer c.Close()
	if packed.MatchString(sql) {
		unpack(t, c)
	}
	before := changes(t, c)
	if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
		t.Fatal(err)
	}
	if changes(t, c) == before {
		t.Fatal("nothing was changed")
	}
	if packed.MatchString(sql) {
		pack(t, c)
	}
}

// changes is how many rows this connection has changed.
func changes(t *testing.T, c *sqlite.Conn) int64 {
	t.Helper()
	n, err := sqlitex.ResultInt64(c.Prep(`SELECT total_changes()`))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func verifyFile(t *testing.T, file string) Report {
	t.Helper()
	db, err := sqlitestore.Open(file, sqlitestore.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := Run(context.Background(), db, Options{Scratch: memory.Scratch, Zone: zone(t), EncodeEvent: encodeEvent, Wire: resource.APIVersion, Open: opened, Keys: deployment()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

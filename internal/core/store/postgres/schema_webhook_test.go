package postgres

import "strings"

// webhookRows are valid rows of the tables of webhooks: endpoint w1 of merchant m1, w2
// of m2, and a pending delivery to w1.
func webhookRows() []string {
	return []string{
		insertRow("event_readers", cells{"merchant_id": "'m1'"}),
		insertRow("endpoints", endpointOf("w1", "m1")),
		insertRow("endpoints", endpointOf("w2", "m2")),
		insertRow("resends", cells{"id": "'r1'", "event_id": "'a'", "endpoint_id": "'w1'", "merchant_id": "'m1'"}),
		insertRow("resends", cells{"id": "'r2'", "to_at": "'2026-01-02'", "endpoint_id": "'w2'", "merchant_id": "'m2'"}),
		insertRow("deliveries", pendingDelivery("d1")),
		insertRow("attempts", cells{"delivery_id": "'d1'"}),
		insertRow("delivery_cursors", cells{"endpoint_id": "'w1'", "q": "5", "n": "5", "resend_q": "5"}),
		insertRow("leases", cells{"name": "'l'", "holder": "'h'", "token": "5"}),
	}
}

func endpointOf(id, merchant string) cells {
	return cells{"id": "'" + id + "'", "merchant_id": "'" + merchant + "'", "deleted_at": "NULL", "version": "5", "event_seq": "5"}
}

func pendingDelivery(id string) cells {
	return cells{
		"id": "'" + id + "'", "endpoint_id": "'w1'", "merchant_id": "'m1'", "event_id": "'a'", "object_id": "'o1'",
		"state": "'PENDING'", "finished_at": "NULL",
	}
}

// webhookRules are those of the tables of webhooks and of clients.
func webhookRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	for _, pair := range strings.Fields("event_readers.q endpoint_history.url resends.event_id") {
		table, column, _ := strings.Cut(pair, ".")
		add(table+"_keep", "UPDATE "+table+" SET "+column+" = "+column)
		add(table+"_keep", "DELETE FROM "+table)
		add(table+"_keep", "TRUNCATE "+table)
	}
	add("attempts_keep", "UPDATE attempts SET status = 0")
	add("attempts_stay", "DELETE FROM attempts")
	add("deliveries_stay", "DELETE FROM deliveries")
	add("clients_stay", "DELETE FROM tokens", "DELETE FROM clients")
	for _, table := range strings.Fields("endpoints leases") {
		add(table+"_stay", "DELETE FROM "+table)
		add(table+"_stay", "TRUNCATE "+table)
	}
	for table, fixed := range map[string]string{
		"clients": "id", "endpoints": "id merchant_id", "delivery_cursors": "endpoint_id", "leases": "name",
		"deliveries": "id endpoint_id merchant_id resend_id event_id type object_type object_id sequence event_q event_n created_at",
	} {
		for _, column := range strings.Fields(fixed) {
			add(table+"_identity", "UPDATE "+table+" SET "+column+" = "+column)
		}
	}
	return append(append(list, webhookChecks()...), webhookCrossRules()...)
}

func webhookChecks() []rule {
	var list []rule
	for name, sql := range map[string]string{
		"clients_check":                   "UPDATE clients SET version = 0",
		"clients_version_check":           "UPDATE clients SET version = -1",
		"event_readers_merchant_id_check": insertRow("event_readers", cells{"merchant_id": "'-'"}),
		"endpoints_version_check":         "UPDATE endpoints SET version = 0",
		"resends_check":                   insertRow("resends", cells{"id": "'r3'", "endpoint_id": "'w1'", "merchant_id": "'m1'", "from_at": "NULL"}),
		"deliveries_created_at_check":     insertRow("deliveries", pendingDelivery("d2").but(cells{"created_at": "NULL"})),
		"deliveries_attempts_check":       "UPDATE deliveries SET attempts = -1",
		"deliveries_state_check":          "UPDATE deliveries SET state = '', finished_at = now(), next_at = NULL",
		"deliveries_check":                "UPDATE deliveries SET finished_at = now()",
		"deliveries_check1":               "UPDATE deliveries SET state = 'PARKED', finished_at = now()",
		"attempts_n_check":                insertRow("attempts", cells{"delivery_id": "'d1'", "n": "0"}),
		"attempts_took_us_check":          insertRow("attempts", cells{"delivery_id": "'d1'", "n": "2", "took_us": "-1"}),
		"leases_token_check":              "UPDATE leases SET token = 0",
	} {
		list = append(list, rule{name, codeBroken, []string{sql}})
	}
	return list
}

func webhookCrossRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	add("clients_version", "UPDATE clients SET version = version - 1")
	add("event_readers_event", insertRow("event_readers", cells{"merchant_id": "'m1'", "n": "2"})+", ('m1', 2, 1)")
	add("clients_version", "UPDATE clients SET version = 0, q = 0")
	add("clients_version", "UPDATE clients SET merchant_id = 'm2'")
	add("endpoints_kind", "UPDATE endpoints SET kind = 'CHECKOUT'")
	add("deliveries_url", "UPDATE deliveries SET url = 'x'")
	add("endpoints_version", "UPDATE endpoints SET version = version - 1")
	add("endpoints_version", "UPDATE endpoints SET event_seq = event_seq - 1")
	add("endpoints_version", "UPDATE endpoints SET deleted_at = now()", "UPDATE endpoints SET deleted_at = NULL")
	add("endpoints_merchant", insertRow("endpoints", endpointOf("w3", "none")))
	add("resends_endpoint", insertRow("resends", cells{"id": "'r3'", "event_id": "'a'", "endpoint_id": "'none'", "merchant_id": "'m1'"}))
	add("resends_endpoint", insertRow("resends", cells{"id": "'r3'", "event_id": "'a'", "endpoint_id": "'w2'", "merchant_id": "'m1'"}))
	for _, endpoint := range []string{"'none'", "'w2'"} {
		add("deliveries_endpoint", insertRow("deliveries", pendingDelivery("d2").but(cells{"endpoint_id": endpoint})))
	}
	for column, value := range map[string]string{
		"event_id": "'b'", "event_q": "2", "event_n": "2", "type": "'x'", "object_type": "'x'", "object_id": "'x'", "sequence": "2",
		"merchant_id": "'m2'", "resend_id": "'r2'",
	} {
		_, good, _ := strings.Cut(insertRow("deliveries", pendingDelivery("d3")), " VALUES ")
		add("deliveries_cause", insertRow("deliveries", pendingDelivery("d2").but(cells{column: value}))+", "+good)
	}
	done := "UPDATE deliveries SET state = 'PARKED', next_at = NULL, finished_at = now()"
	add("deliveries_life", done, done)
	add("deliveries_life", "UPDATE deliveries SET attempts = attempts - 1")
	add("attempts_delivery", insertRow("attempts", cells{"delivery_id": "'none'"}))
	add("delivery_cursors_endpoint", insertRow("delivery_cursors", cells{"endpoint_id": "'none'"}))
	for _, back := range []string{"q = q - 1", "n = n - 1", "resend_q = resend_q - 1"} {
		add("delivery_cursors_grow", "UPDATE delivery_cursors SET "+back)
	}
	add("leases_grow", "UPDATE leases SET token = token - 1")
	add("leases_grow", "UPDATE leases SET holder = 'another'")
	return list
}

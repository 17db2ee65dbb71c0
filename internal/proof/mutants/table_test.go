package mutants

// table contains every mutant, grouped by place in the code.
var table = []mutant{
	{
		id: "M1", what: "callers are answered before the commit", change: true, pkg: "engine", test: "TestOutcomes",
		edits: []edit{{"engine/commit.go", "Update(way, func(tx store.Tx) error { return b.fill(way, tx) })", `Update(way, func(tx store.Tx) error {
		err := b.fill(way, tx)
		if err == nil {
			e.answer(b, b.head.Q+1) // whoever is answered again does not notice
		}
		return err
	})`}},
	},
	{
		id: "M2", what: "everybody in a batch gets the first one's answer", pkg: "engine", test: "TestBatchIsOneTransaction",
		edits: []edit{{"engine/commit.go", "e.queue.answer(x.Ticket, x.answer, nil)", "e.queue.answer(x.Ticket, b.entries[0].answer, nil)"}},
	},
	{
		id: "M3", what: "a commit whose outcome is unknown counts as failed", change: true, pkg: "engine", test: "TestOutcomes",
		edits: []edit{{"engine/commit.go", "if commit.Outcome == store.Unknown {", "if commit.Outcome == store.Unknown && len(b.entries) == 0 {"}},
	},
	{
		id: "M4", what: "a commit whose outcome is unknown counts as done", pkg: "engine", test: "TestOutcomes",
		edits: []edit{{"engine/commit.go", "return e.resolve(ctx, b.id)", "return store.Commit{Outcome: store.Committed, FirstQ: b.head.Q + 1}, nil"}},
	},
	{
		id: "M5", what: "a batch is run again without a look at what became of it", pkg: "engine", test: "TestOutcomes",
		edits: []edit{{"engine/commit.go", "return e.resolve(ctx, b.id)", "return store.Commit{}, errLost"}},
	},
	{
		id: "M6", what: "the caller's context is given to COMMIT", pkg: "engine", test: "TestCallerLeavesDuringCommit",
		edits: []edit{{"engine/commit.go", "e.cfg.Backend.Update(way, ", "e.cfg.Backend.Update(b.entries[0].ctx, "}},
	},
	{
		id: "M74", what: "a batch with callers' commands gives way", pkg: "engine", test: "TestGivesNoWay",
		edits: []edit{{"engine/background.go", "if callers > 0 || e.pace.gaveWay == maxGaveWay {", "if e.pace.gaveWay == maxGaveWay {"}},
	},
	{
		id: "M75", what: "callers make the background wait for ever", pkg: "engine", test: "TestGivesWayOnlySoOften",
		edits: []edit{{"engine/background.go", "if callers > 0 || e.pace.gaveWay == maxGaveWay {", "if callers > 0 {"}},
	},
	{
		id: "M9", what: "one refusal fails the batch", pkg: "engine", test: "TestRefusalsLeaveNeighboursAlone",
		edits: []edit{{"engine/batch.go", "if refusal != nil {\n\t\treturn b.refuseEntry(e, refusal)", "if refusal != nil {\n\t\treturn errNothing"}},
	},
	{
		id: "M10", what: "what was loaded and decided outlives an attempt that came to nothing", pkg: "engine", test: "TestNothingOutlivesAnAttempt",
		edits: []edit{
			{"engine/batch.go", "b.state, b.keys = credit.NewState(), credit.NewKeySet()\n", "if b.engine.state == nil {\n\t\tb.engine.state, b.engine.keys = credit.NewState(), credit.NewKeySet()\n\t}\n\tb.state, b.keys = b.engine.state, b.engine.keys\n"},
			{"engine/engine.go", "type Engine struct {\n", "type Engine struct {\n\tstate *credit.State\n\tkeys *credit.KeySet\n"},
		},
	},
	{
		id: "M13", what: "a command whose caller has gone is answered and kept, and nothing comes of it", pkg: "engine", test: "TestCallerLeavesWhileItIsDecided",
		edits: []edit{{"engine/batch.go", "\td := store.Decided{Changes: c, Dues: store.DueMoves(b.state, &c)}\n", "\tif e.ctx.Err() != nil {\n\t\tc = credit.Changes{}\n\t}\n\td := store.Decided{Changes: c, Dues: store.DueMoves(b.state, &c)}\n"}},
	},
	{
		id: "M12", what: "the queue takes more than its bound", pkg: "engine", test: "TestRoomIsSharedFairly",
		edits: []edit{{"engine/queue.go", "free, length := q.limit-q.depth, 0", "free, length := 8*q.limit-q.depth, 0"}},
	},
	{
		id: "M15", what: "one merchant fills the batch", pkg: "engine", test: "TestRoundRobin",
		edits: []edit{{"engine/queue.go", "q.turn++ ", "q.turn += 0 "}},
	},
	{
		id: "M19", what: "the key is looked up in a snapshot of before the transaction", change: true, pkg: "httpapi", test: "TestSameKeyStorm",
		edits: []edit{{"store/memory/memory.go", "t.db.answers.get(k, t.db.head.Q); row != nil", "t.db.answers.get(k, t.db.head.Q-1); row != nil"}},
	},
	{
		id: "M20", what: "the response is stored after the commit, in a transaction of its own", change: true, pkg: "engine", test: "TestBatchIsOneTransaction",
		edits: []edit{
			{"engine/batch.go", "Decided: b.decided,\n\t}); err != nil {", "Decided: without(b.decided),\n\t}); err != nil {"},
			{"engine/batch.go", "// date sets the batch's instant.", `func without(list []store.Decided) []store.Decided {
	out := append([]store.Decided(nil), list...)
	for i := range out {
		out[i].Key = nil
	}
	return out
}

func (b *batch) later(tx store.Tx) error {
	return tx.Apply(store.Batch{ID: b.engine.cfg.NewBatchID(), Decided: b.decided})
}

// date sets the batch's instant.`},
			{"engine/commit.go", "case commit.Outcome == store.Committed:", "case commit.Outcome == store.Committed:\n\t\t\t_, _ = e.cfg.Backend.Update(context.WithoutCancel(ctx), b.later)"},
		},
	},
	{
		id: "M50", what: "events are written in a second transaction", change: true, pkg: "engine", test: "TestBatchIsOneTransaction",
		edits: []edit{
			{"engine/batch.go", "Decided: b.decided,\n\t}); err != nil {", "Decided: without(b.decided),\n\t}); err != nil {"},
			{"engine/batch.go", "// date sets the batch's instant.", `func without(list []store.Decided) []store.Decided {
	out := append([]store.Decided(nil), list...)
	for i := range out {
		out[i].Events = nil
	}
	return out
}

func (b *batch) later(tx store.Tx) error {
	return tx.Apply(store.Batch{ID: b.engine.cfg.NewBatchID(), Decided: b.decided})
}

// date sets the batch's instant.`},
			{"engine/commit.go", "case commit.Outcome == store.Committed:", "case commit.Outcome == store.Committed:\n\t\t\t_, _ = e.cfg.Backend.Update(context.WithoutCancel(ctx), b.later)"},
		},
	},
	{
		id: "M21", what: "a key is not its client's own", pkg: "engine", test: "TestKeyIsScopedByClient",
		edits: []edit{{"engine/request.go", "store.KeyID{Client: r.Actor.Client, Key: r.Actor.Key}", "store.KeyID{Client: \"all\", Key: r.Actor.Key}"}},
	},
	{
		id: "M22", what: "a stored answer is given before existence and link are asked", pkg: "engine", test: "TestKeyIsNoPermission",
		edits: []edit{{"engine/batch.go", "\tvar refusal *credit.Rejection\n", "\tif done, err := b.repeat(e, answers); done || err != nil {\n\t\treturn err\n\t}\n\tvar refusal *credit.Rejection\n"}},
	},
	{
		id: "M24", what: "an answer of 5xx is kept under its key", pkg: "engine", test: "TestBugStrikesOneCommand",
		edits: []edit{{"engine/batch.go", "response.Status > 499", "response.Status > 599"}},
	},
	{
		id: "M25", what: "an order that fills the line exactly is refused", change: true, pkg: "credit", test: "TestCreditLineVectors",
		edits: []edit{{"lending/order_authorize.go", "if amount <= available {", "if amount < available {"}},
	},
	{
		id: "M26", what: "a cancelled order keeps its reservation", change: true, pkg: "credit", test: "TestStories",
		edits: []edit{{"lending/order_update.go", "\td.Reserve(o, 0)\n\to.Status, o.CanceledAt, o.CancelReason", "\to.Status, o.CanceledAt, o.CancelReason"}},
	},
	{
		id: "M35", what: "a dry run stores its key", pkg: "engine", test: "TestDryRun",
		edits: []edit{
			{"engine/request.go", `if r.Actor.Key != "" && !r.DryRun {`, `if r.Actor.Key != "" {`},
			{"engine/batch.go", "if e.request.DryRun {\n\t\treturn b.predict(e, c)", "if e.request.DryRun && e.key == (store.KeyID{}) {\n\t\treturn b.predict(e, c)"},
		},
	},
	{
		id: "M36", what: "the sign of a negative amount is passed over", pkg: "contracttest", test: "TestContract/faults/createOrder",
		edits: []edit{
			{"values/money.go", "a, err := money.Parse(text)\n\tswitch {\n\tcase err == nil && a >= lowest:", "a, err := money.Parse(strings.TrimPrefix(text, \"-\"))\n\tswitch {\n\tcase err == nil && a >= lowest:"},
		},
	},
	{
		id: "M38", what: "the last row is rounded like the others, without the remainder", pkg: "schedule", test: "TestDerivedSchedules",
		edits: []edit{{"schedule/level.go", "last := t.Principal - pr*(n-1)", "last := pr"}},
	},
	{
		id: "M39", what: "months are added by the standard library", pkg: "calendar", test: "TestDueDates",
		edits: []edit{{"calendar/date.go", "return Of(y, m, min(day, DaysIn(y, m)))", "t := time.Date(y, m, day, 0, 0, 0, 0, time.UTC)\n\treturn Of(t.Year(), t.Month(), t.Day())"}},
	},
	{
		id: "M40", what: "business dates are those of UTC", pkg: "calendar", test: "TestBusinessDate",
		edits: []edit{{"calendar/zone.go", "y, m, d := t.In(z.location).Date()\n\treturn Of(y, m, d)", "y, m, d := t.UTC().Date()\n\treturn Of(y, m, d)"}},
	},
	{
		id: "M45", what: "a refund is taken from the first rows", pkg: "schedule", test: "TestMerchantRefund",
		edits: []edit{{"schedule/refund.go", "for k := len(l.Rows); k >= 1 && left > 0; k-- {\n\t\trow := &l.Rows[k-1]\n\t\tx := min(left", "for k := 1; k <= len(l.Rows) && left > 0; k++ {\n\t\trow := &l.Rows[k-1]\n\t\tx := min(left"}},
	},
	{
		id: "M66", what: "verify has a pass less", pkg: "verify", test: "TestTampers",
		edits: []edit{{"verify/verify.go", `[]string{"CL2", "CL3", "CL4", "PA6", "PA10"}, []string{"credits"}}, lines},`, `[]string{"CL2", "CL3", "CL4", "PA6", "PA10"}, []string{"credits"}}, links},`}},
	},
	{
		id: "M49", what: "the stream of events goes on after the greatest identifier", pkg: "store/memory", test: "TestConform",
		edits: []edit{
			{"store/memory/stream.go", "return sort.Search(len(d.events), func(i int) bool { return comparePlaces(placeOf(d.events[i]), p) > 0 })", `last := ""
	for _, e := range d.events {
		if placeOf(e) == p {
			last = e.ID
		}
	}
	return sort.Search(len(d.events), func(i int) bool { return d.events[i].ID > last })`},
		},
	},
	{
		id: "M52", what: "the body is encoded again for each attempt", pkg: "webhook", test: "TestDelivers",
		edits: []edit{
			{"webhook/attempt.go", "\tr.at, r.began = s.now(), time.Now()\n", "\tvar v any\n\t_ = json.Unmarshal(body, &v)\n\tbody, _ = json.Marshal(v)\n\tr.at, r.began = s.now(), time.Now()\n"},
			{"webhook/attempt.go", "\t\"context\"\n", "\t\"context\"\n\t\"encoding/json\"\n"},
		},
	},
	{
		id: "M53", what: "redirects are followed", pkg: "outbound", test: "TestRedirectsAreNotFollowed",
		edits: []edit{{"outbound/outbound.go", "CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },", "CheckRedirect: nil,"}},
	},
	{
		id: "M54", what: "the address is checked when it is registered, and not when it is dialled", pkg: "outbound", test: "TestRebinding",
		edits: []edit{{"outbound/outbound.go", "if err := g.check(to); err != nil {", "if err := g.check(to); err != nil && network == \"\" {"}},
	},
	{
		id: "M55", what: "a receiver asks only whether there is a signature", pkg: "webhook", test: "TestVerify",
		edits: []edit{{"webhook/verify.go", "if err == nil && hmac.Equal(got, want) {", "if err == nil && hmac.Equal(got[:1], got[:1]) && len(got) == len(want) {"}},
	},
	{
		id: "M55b", what: "the client asks only whether there is a signature", pkg: "client", test: "TestVerifyWebhook",
		edits: []edit{{"client/signature.go", "if hmac.Equal([]byte(g), want) {", "if len(g) == len(want) && hmac.Equal(want, want) {"}},
	},
	{
		id: "M56", what: "a lease is asked for its holder and not for its token", pkg: "store/memory", test: "TestConform",
		edits: []edit{{"store/memory/courier.go", "now.Holder == l.Holder && now.Token == l.Token", "now.Holder == l.Holder"}},
	},
	{
		id: "M59", what: "one route does not ask whose the object is", change: true, pkg: "httpapi", test: "TestAccessMatrix/getInvoice",
		edits: []edit{{"httpapi/payments/invoices.go", "if i == nil || !c.Principal.Operator && i.Merchant != c.Principal.Tenant {", "if i == nil {"}},
	},
	{
		id: "M60", what: "a parameter that is not known is passed over", pkg: "contracttest", test: "TestContract/faults/listOrders",
		edits: []edit{{"rest/params.go", "\t\tcase !ok && !cursorHere:\n\t\t\tunknown = append(", "\t\tcase !ok && !cursorHere:\n\t\t\t_ = append("}},
	},
	{
		id: "M61", what: "a member that is given twice is taken", pkg: "rest", test: "TestDecodeVerdicts",
		edits: []edit{{"rest/decode.go", "jsontext.NewDecoder(bytes.NewBuffer(body))", "jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))"}},
	},
	{
		id: "M62", what: "the log shows the header Authorization", pkg: "httpapi", test: "TestMarkedSecretsLeaveNoTrace",
		edits: []edit{{"rest/route.go", `slog.String("traceparent", c.Traceparent))`, `slog.String("traceparent", c.Traceparent), slog.String("by", r.Header.Get("Authorization")))`}},
	},
	{
		id: "M65", what: "as_of reads what is there now", pkg: "httpapi", test: "TestForesightAndHindsight",
		edits: []edit{{"httpapi/serve/asof.go", "q, err := store.SeqAt(v, t)", "q, err := v.Seq(), error(nil)"}},
	},
}

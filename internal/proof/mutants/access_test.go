package mutants

// access are mutants of what merchants encounter first: tokens, secrets, webhooks, lists.
var access = []mutant{
	{
		id: "foreign token", what: "a client learns of another's token", pkg: "httpapi", test: "TestForeignTokens",
		edits: []edit{{"auth/oauth.go", "own := found && p.Token.Client == c.ID && subtle", "own := found && subtle"}},
	},
	{
		id: "old secret", what: "a secret that was rolled goes on for ever", pkg: "auth", test: "TestRollOverlaps",
		edits: []edit{{"auth/secret.go", "if until := c.Secrets[i].Until; until.IsZero() || now.Before(until) {", "if until := c.Secrets[i].Until; until.IsZero() || until.After(c.CreatedAt) {"}},
	},
	{
		id: "no secret", what: "a client without a secret is opened by an empty hash", pkg: "auth", test: "TestNoSecretIsNoSecret",
		edits: []edit{{"auth/secret.go", "kept, valid := hex.EncodeToString(make([]byte, sha256.Size)), 0", "kept, valid := HashSecret(\"\"), 1"}},
	},
	{
		id: "revoked client", what: "the tokens of a revoked client go on", pkg: "httpapi", test: "TestRevokedClient",
		edits: []edit{{"auth/auth.go", "|| ended(t.RevokedAt, now) || ended(c.RevokedAt, now) {", "|| ended(t.RevokedAt, now) {"}},
	},
	{
		id: "token's end", what: "a token lives a moment too long", pkg: "auth", test: "TestTokenEnds",
		edits: []edit{{"auth/auth.go", "if !now.Before(t.ExpiresAt) || ended(t.RevokedAt, now)", "if now.After(t.ExpiresAt) || ended(t.RevokedAt, now)"}},
	},
	{
		id: "guesses", what: "wrong secrets are counted by client only", pkg: "auth", test: "TestBruteForce",
		edits: []edit{{"auth/oauth.go", "\ts.byAddress.Count(from, now)\n", ""}},
	},
	{
		id: "guesses of a client", what: "wrong secrets are counted by address only", pkg: "auth", test: "TestBruteForce",
		edits: []edit{{"auth/oauth.go", "\t\ts.byPair.Count(client+\" \"+from, now)\n", ""}},
	},
	{
		id: "wider token", what: "a token holds scopes that were taken from its client", pkg: "auth", test: "TestScopesNeverExceedTheClients",
		edits: []edit{{"auth/auth.go", "Scopes: common(t.Scopes, c.Scopes), PerMinute", "Scopes: t.Scopes, PerMinute"}},
	},
	{
		id: "cursor of another", what: "a cursor is not bound to its merchant", pkg: "contracttest", test: "TestContract/bounds/listOrders",
		edits: []edit{{"rest/call.go", `owner := c.api.config.Contract.Tenant + ":" + c.Principal.Tenant`, `owner := c.api.config.Contract.Tenant`}},
	},
	{
		id: "cursor of another filter", what: "a cursor is not bound to its filters", pkg: "contracttest", test: "TestContract/bounds/listPayments",
		edits: []edit{{"rest/call.go", "owner, c.filters().Encode()}", "owner}"}},
	},
	{
		id: "plain secret", what: "an answer that shows a secret is stored as it is", pkg: "engine", test: "TestSecretAnswer",
		edits: []edit{{"engine/answer.go", "\tif !r.Secret {\n\t\treturn a, nil\n\t}\n", "\tif a.Sealed = false; !a.Sealed {\n\t\treturn a, nil\n\t}\n"}},
	},
	{
		id: "3xx", what: "a redirect counts as received", pkg: "webhook", test: "TestAnswers",
		edits: []edit{{"webhook/attempt.go", "case r.status >= 200 && r.status <= 299:", "case r.status >= 200 && r.status <= 399:"}},
	},
	{
		id: "410", what: "an endpoint that is gone is tried again", pkg: "webhook", test: "TestGone",
		edits: []edit{{"webhook/settle.go", "case r.status == http.StatusGone && x.Version == r.target.Version:", "case r.status == http.StatusGone && x.Version != r.target.Version:"}},
	},
	{
		id: "410 of before", what: "an endpoint that has changed is disabled for its old address", pkg: "webhook", test: "TestGoneMeanwhileMoved",
		edits: []edit{{"webhook/settle.go", "case r.status == http.StatusGone && x.Version == r.target.Version:", "case r.status == http.StatusGone:"}},
	},
	{
		id: "overtaking", what: "an event overtakes one of its object that failed", pkg: "webhook", test: "TestOnlyTheObjectWaits",
		edits: []edit{{"webhook/queue.go", "key := laneKey{d.Object, d.Resend}\n", "key := laneKey{d.Object, d.Resend + d.ID}\n"}, {"webhook/queue.go", "l := e.lanes[laneKey{it.Object, it.Resend}]\n\tfor i := 1", "l := e.lanes[laneKey{it.Object, it.Resend + it.ID}]\n\tfor i := 1"}, {"webhook/queue.go", "l := e.lanes[laneKey{it.Object, it.Resend}]\n\tl.items[0] = nil", "l := e.lanes[laneKey{it.Object, it.Resend + it.ID}]\n\tl.items[0] = nil"}},
	},
	{
		id: "Retry-After", what: "a receiver's Retry-After has no bound", pkg: "webhook", test: "TestNextAttempt",
		edits: []edit{{"webhook/schedule.go", "max(wait, min(retryAfter, maxRetryAfter))", "max(wait, retryAfter)"}},
	},
	{
		id: "rotated secret", what: "the secret before does not sign beside the new one", pkg: "webhook", test: "TestRotation",
		edits: []edit{{"webhook/sign.go", "for _, secret := range x.Secrets {", "for _, secret := range x.Secrets[:1] {"}},
	},
	{
		id: "secret without an end", what: "the secret before signs for ever", pkg: "webhook", test: "TestRotation",
		edits: []edit{{"webhook/sign.go", "if !secret.Until.IsZero() && !at.Before(secret.Until) {", "if !secret.Until.IsZero() && at.Before(x.CreatedAt) {"}},
	},
	{
		id: "internal answer", what: "what a private address answers is shown", pkg: "webhook", test: "TestAnswersThatAreKept",
		edits: []edit{{"webhook/attempt.go", "if s.cfg.Sandbox || isPublic(remote) {", "if s.cfg.Sandbox || remote != nil {"}},
	},
	{
		id: "changed URL", what: "an address is not looked at when it is changed", pkg: "credit", test: "TestJudgedAddressesAreRefused",
		edits: []edit{{"access/endpoint.go", "if r := refuseURL(next.URL, c.URLProblem); r != nil && old.Kind == credit.EndpointOwn {", "if r := refuseURL(next.URL, \"\"); r != nil && old.Kind == credit.EndpointOwn {"}},
	},
	{
		id: "listed twice", what: "a number that is twice in a list is compared twice", pkg: "httpapi", test: "TestReconciliation",
		edits: []edit{{"httpapi/payments/reconciliation_list.go", "if r.duplicate = l.slots[slot] != 0; !r.duplicate {", "if r.duplicate = l.slots[slot] == 1<<31; !r.duplicate {"}},
	},
	{
		id: "another's list", what: "a list is compared with the orders of all merchants", pkg: "httpapi", test: "TestReconciliation",
		edits: []edit{{"httpapi/payments/reconciliations.go", "merchant: c.Principal.Tenant, out:", "merchant: \"\", out:"}},
	},
	{
		id: "CSV quotes", what: "a quote inside a bare field is taken", pkg: "rest", test: "TestCSV",
		edits: []edit{{"rest/csv.go", "case c == '\"':\n\t\t\treturn false, &CSVError{Line: r.line, Detail: \"A quote appears", "case c == 0xff:\n\t\t\treturn false, &CSVError{Line: r.line, Detail: \"A quote appears"}},
	},
	{
		id: "body twice", what: "a second document behind the body is passed over", pkg: "contracttest", test: "TestContract/faults/createOrder",
		edits: []edit{{"rest/decode.go", "} else if err == nil {\n\t\t\terr = ErrTrailing\n\t\t}", "} else if err == nil {\n\t\t\terr = error(nil)\n\t\t}"}},
	},
	{
		id: "size", what: "a body may be larger than the contract says", pkg: "contracttest", test: "TestContract/statuses/createOrder",
		edits: []edit{{"rest/body.go", "if c.Request.ContentLength > op.MaxBody {", "if c.Request.ContentLength > 2*op.MaxBody {"}, {"rest/body.go", "http.MaxBytesReader(w, r.Body, op.MaxBody)", "http.MaxBytesReader(w, r.Body, 2*op.MaxBody)"}},
	},
	{
		id: "undocumented", what: "an answer has a member that the contract does not tell of", pkg: "contracttest", test: "TestContract/statuses/getOrder",
		edits: []edit{{"rest/answer.go", "\tset(\"ETag\", ans.ETag)\n", "\tset(\"ETag\", ans.ETag)\n\tif len(body) > 2 && status == 0 && ans.ETag != \"\" {\n\t\tbody = append([]byte(`{\"_v\":1,`), body[1:]...)\n\t}\n"}},
	},
	{
		id: "no As-Of-Seq", what: "a read does not tell which commits it has seen", pkg: "contracttest", test: "TestContract/statuses/getOrder",
		edits: []edit{{"rest/answer.go", "set(\"As-Of-Seq\", sequence(ans.AsOfSeq))", "set(\"As-Of-Seq\", \"\")"}},
	},
	{
		id: "another code", what: "a refusal has a code that the contract does not have for it", pkg: "contracttest", test: "TestContract/faults/updateOrder",
		edits: []edit{{"rest/decode.go", "return &Problem{Code: CodeUnknownMember, Errors: r.unknown}, nil", "return &Problem{Code: CodeMalformed, Errors: r.unknown}, nil"}},
	},
	{
		id: "own approval", what: "whoever requested an act approves it", pkg: "credit", test: "TestStories/approvals",
		edits: []edit{{"staff/approval.go", "case a.Maker == e.Actor.Client:", "case a.Maker == e.Actor.Client && a.Maker == \"\":"}},
	},
	{
		id: "another act", what: "another act is done than was requested", pkg: "credit", test: "TestStories/approvals",
		edits: []edit{{"staff/approval.go", "case a.Act != c.Act || a.Payload != c.Payload || !ok:", "case !ok:"}},
	},
	{
		id: "stale approval", what: "what has changed since it was requested is approved", pkg: "credit", test: "TestStories/approvals",
		edits: []edit{{"staff/approval.go", "case guarded.Guard(s).Basis != a.Basis:", "case guarded.Guard(s).Permission != a.Permission:"}},
	},
}

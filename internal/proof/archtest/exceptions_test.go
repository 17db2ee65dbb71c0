package archtest

// exception allows one finding of a check.
type exception struct {
	check string
	where string // a file, or file#subject
	why   string
}

// exceptions is the complete list. It only gets shorter: one that is no longer needed fails the
// test.
var exceptions = []exception{
	{"sql", "cmd/tenor/server_test.go", "books that do not balance are made behind the back of everything that would refuse them"},
	{"sql", "cmd/tenor/requests_test.go", "what was planted is looked for in all that the table holds, not in what the store says of it"},
	{"sql", "cmd/tenor/requests_pages_test.go", "the table of the request log is taken away under a running server"},
	{"sql", "internal/core/verify/tamper_test.go", "a tamper is what somebody does to the file behind Tenor's back"},
	{"sql", "internal/app/bench/footprint_test.go", "it counts what a commit has written, in the file itself"},
	{"sql", "internal/core/verify/tamper_told_test.go", "it lays out as tables what the audit log has packed, for tampers to change"},
	{"sql", "internal/core/verify/rail_tamper_test.go", "it damages stored rows by raw means, which verify must find"},
	{"sql", "internal/core/verify/buyer_tamper_test.go", "it damages stored records by raw means, which verify must find"},
	{"sql", "internal/core/verify/heads_tamper_test.go", "a forger changes rows with the file in hand, which signed heads must show"},
	{"sql", "internal/core/verify/storage_test.go", "it has SQLite write everything into the file, whose pages it then damages"},
	{"calls", "internal/office/letter/text.go", "mails as text, where escaping would be wrong; their values have no control characters, and their pages are html/template"},
	{"state", "internal/core/failpoint/failpoint.go#stop", "only what crash tests link sets it, for a point in any package"},
	{"state", "internal/core/store/sqlite/statements.go", "the texts of all statements, made once of the tables and never written again"},
	{"state", "internal/core/store/postgres/statements.go", "the texts of all statements, made once of the tables and never written again"},
	{"state", "internal/core/store/told.go#dictionary", "the dictionary of packed columns, prepared once and never written again"},
	{"state", "internal/core/store/rows_record.go#RecordTables", "the tables of the kinds of records, of which Nouns is made"},
	{"state", "internal/core/store/nouns.go#Nouns", "the table of nouns: each is given its place once, before anything runs, and none is written again"},
	{"state", "internal/edge/resource/encode.go#writers", "a table that is compiled once from the types and never written again; every answer is encoded with it"},
}

package archtest

// exception lets one finding of a check pass.
type exception struct {
	check string
	where string // a file, or file#subject
	why   string
}

// exceptions is the whole list. It only grows shorter: one that is no longer
// needed fails the test.
var exceptions = []exception{
	{"state", "internal/failpoint/on.go#armed", "only builds with the failpoint tag have it; what it arms is a point in any package"},
	{"state", "internal/wire/encode.go#writers", "a table that is compiled once from the types and never written again; every answer is encoded with it"},
}

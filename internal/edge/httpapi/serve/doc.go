// Package serve is the common part of the operations of Tenor's API: how a request becomes
// a command or a read, and how the result becomes an answer.
//
// Where to look:
//
//	service.go   dependencies of operations; commands and reads
//	asof.go      reads of the past               dryrun.go   commands that are only predicted
//	answer.go    answers and pages of a list     find.go     records that the caller may see
//	keys.go      path parameters                 fields.go   members that may be absent
//	sealed.go    sealed data                     papers.go   papers as HTML and PDF
//	sandbox.go   controls of a sandbox           uploads.go  uploaded files
package serve

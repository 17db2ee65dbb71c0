// Package serve is what the operations of Tenor's API have in common: how a request becomes a
// command or a read, and how the result becomes an answer.
//
// Where to look:
//
//	service.go   what operations are given; commands and reads
//	asof.go      reads of the past               dryrun.go   commands that are only predicted
//	answer.go    answers and pages of a list     find.go     records that the caller may see
//	keys.go      what paths name                 fields.go   members that may be absent
//	sealed.go    what is sealed                  papers.go   papers as HTML and PDF
//	sandbox.go   what a sandbox obeys            uploads.go  files that come in
package serve

// Package supply looks at what Tenor is made of besides its own code (T39): the
// modules are the ones whose sums are kept, their licences may be used and are kept
// with the binary, the binary tells what is in it, two builds of the same source are
// the same bytes, and nothing that builds or checks it fetches anything else.
//
// What is known of the modules' vulnerabilities, make vulnerabilities asks.
package supply

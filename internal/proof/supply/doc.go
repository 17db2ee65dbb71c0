// Package supply checks what Tenor is made of besides its own code (T39): the modules match their
// recorded sums, their licences are allowed and shipped with the binary, the binary lists its
// contents, two builds of the same source are the same bytes, and nothing that builds or checks
// it fetches anything else.
//
// Known vulnerabilities of the modules are checked by make vulnerabilities.
package supply

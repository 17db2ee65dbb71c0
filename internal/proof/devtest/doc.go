// Package devtest runs a sandbox inside a test, as `tenor dev` starts it, and calls it as a
// merchant's developer does: through the API, on the command line, and on the pages.
package devtest

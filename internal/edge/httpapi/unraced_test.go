//go:build !race

package httpapi_test

// raced reports whether the race detector watches.
const raced = false

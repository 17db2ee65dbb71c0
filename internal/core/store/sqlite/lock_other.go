//go:build !unix

package sqlite

import (
	"errors"
	"os"
)

// lock fails: without a lock that ends with its process, nothing would keep a second
// process from writing.
func lock(string) (*os.File, error) {
	return nil, errors.New("sqlite: this operating system has no flock")
}

//go:build failpoint

package main

import (
	"os"

	"tenor/internal/core/failpoint/armed"
)

// arm makes the program of the crash tests stop where its environment says.
func arm() {
	if _, err := armed.Arm(os.Getenv(armed.Environment)); err != nil {
		panic(err) // a crash test that arms nothing would pass without testing
	}
}

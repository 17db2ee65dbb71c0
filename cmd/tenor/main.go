// Command tenor is the whole product in one binary: it serves the API and the pages, runs a
// sandbox, and is the command line for both. It alone knows which database is behind them.
package main

import (
	"os"

	"tenor/internal/app/cli"
)

func main() {
	arm()
	os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr, os.Exit))
}

package main

import (
	"bytes"
	"context"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
)

// An interrupted client command exits with 130.
func TestInterruptedCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	if code := cli.Run(ctx, []string{"orders", "list", "--url", "http://127.0.0.1:1"}, devtest.App(&out, &errs)); code != exit.Interrupted || errs.Len() > 0 {
		t.Errorf("ended with %d: %s", code, &errs)
	}
}

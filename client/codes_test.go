package client

import (
	"errors"
	"fmt"
	"testing"
)

func TestProblemsAreCompared(t *testing.T) {
	err := fmt.Errorf("ship: %w", &Problem{Code: "insufficient_credit"})
	if !errors.Is(err, CodeInsufficientCredit) || errors.Is(err, CodeNotFound) || errors.Is(&Problem{}, Code("x")) {
		t.Error("problems are not compared by their codes")
	}
	if CodeNotFound.Error() != "not_found" {
		t.Error("a code does not say its name")
	}
}

package engine

import (
	"context"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Settle returns once every running batch has ended. Whatever this process decides from
// then on is dated no earlier than the moment of the call, and everything decided before is
// committed: a read of the past waits for it (TM3). It does not wait for other nodes'
// batches: until a later batch is committed, one of theirs may still be dated earlier, by
// as much as clocks and commits lag. Its errors are those of Submit.
func Settle(ctx context.Context, s Submitter) error {
	if g, ok := s.(*Group); ok {
		for _, e := range g.members {
			if err := Settle(ctx, e); err != nil {
				return err
			}
		}
		return nil
	}
	// A dry run queues behind earlier commands and leaves no trace. This one names no
	// order, so there is nothing to decide.
	_, err := s.Submit(ctx, Request{Command: lending.ServiceOrder{}, Actor: credit.Actor{Client: "system", Operator: true}, DryRun: true})
	return err
}

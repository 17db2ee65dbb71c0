package engine

import "context"

// Alone is an engine without Run: each command is decided by the goroutine that submits it.
// It is for a process that has a few commands and serves nobody.
type Alone struct{ *Engine }

// Submit implements Submitter.
func (a Alone) Submit(ctx context.Context, r Request) (Result, error) {
	t, err := a.Enqueue(ctx, r)
	if err != nil {
		return Result{}, err
	}
	for ctx.Err() == nil {
		select {
		case <-t.Done():
			return t.Result()
		default:
			a.Step(ctx)
		}
	}
	return a.wait(ctx, t)
}

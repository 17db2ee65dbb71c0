package engine

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// ReadAhead reads what the commands need, as their batch will, and discards it. While the
// writer waits for a disk, everybody waits for the writer: callers that know commands
// before they are queued can read ahead in parallel, so that the writer finds the data in
// memory. What it reads decides nothing, so an error or a broken command here has no
// effect: the batch will encounter it again.
func ReadAhead(v store.View, commands []credit.Command, env credit.Env) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read ahead: panic: %v", p)
		}
	}()
	state, keys := credit.NewState(), credit.NewKeySet()
	for range maxRounds {
		var fresh credit.Keys
		more := false
		for _, c := range commands {
			more = keys.Add(&fresh, credit.KeysOf(c, state, env)) || more
		}
		if !more {
			return nil
		}
		fresh.Sort()
		if err := v.Load(state, fresh); err != nil {
			return fmt.Errorf("read ahead: %w", err)
		}
	}
	return nil
}

package engine

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// ReadAhead reads what the commands need, as their batch will, and keeps nothing of it.
// While the writer waits for a disk everybody waits for the writer: who knows commands
// before they are queued reads ahead beside it, and what it needs is in memory then. What
// was seen decides nothing, so an error, or a command that breaks, concerns no command: its
// batch will meet it again.
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

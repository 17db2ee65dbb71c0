package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"tenor/internal/core/store"
)

// passing is an error that a retry may avoid (EN9).
type passing struct{ error }

// Retryable tells the engine to load and decide the batch again.
func (passing) Retryable() bool { return true }

// Unwrap returns the error itself.
func (p passing) Unwrap() error { return p.error }

// What statements demand, in the middle of a pipeline whose answers are read only at its
// end; see the function demand of the schema.
const (
	codeFenced    = "TN001" // the book is in the batch's epoch
	codeBehind    = "TN002" // the book is not ahead of the batch
	codeChanged   = "TN003" // what was read without a lock has not changed
	codeTaken     = "TN004" // a name is free, or already its owner's
	codeLeaseLost = "TN005" // the worker still holds the lease
	codeAnother   = "TN006" // a delivery has not become another one
)

func isLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}

// transient marks errors of a connection that could not be opened or broke before COMMIT
// was sent.
func transient(err error) error {
	if errors.Is(err, errClosed) {
		return err
	}
	return passing{fmt.Errorf("%w: %w", store.ErrUnreachable, err)}
}

// verdict translates an error before COMMIT, or one that kept it from being reached. In all
// of these cases nothing was committed.
func verdict(err error) error {
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case isLost(err):
		return transient(err)
	case !errors.As(err, &e):
		return err
	}
	switch e.Code {
	case "40001", "40P01", "55P03", "57014": // serialization, deadlock, lock timeout, canceled by an administrator
		return passing{err}
	case codeChanged:
		return passing{fmt.Errorf("the records that the batch was decided on have changed: %w", err)}
	case codeFenced:
		return fmt.Errorf("%w: %w", store.ErrFenced, err)
	case codeBehind:
		return fmt.Errorf("%w: %w", store.ErrBehind, err)
	case codeTaken, "23505":
		return fmt.Errorf("%w: %w", store.ErrTaken, err)
	case codeAnother:
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	case "53100":
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	// Classes: constraints, data that a column cannot hold, server limits. The same rows
	// would cause them again, and the fault may lie with one command only.
	if class := e.Code[:min(2, len(e.Code))]; class == "23" || class == "22" || class == "54" {
		return fmt.Errorf("%w: %w", store.ErrRefused, err)
	}
	return err
}

package serve

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/lending"
	"tenor/internal/edge/rest"
)

// CheckRange reports a range of dates that ends before it begins.
func CheckRange(from, to *calendar.Date, report func(name, code, detail string)) {
	if from != nil && to != nil && *from > *to {
		report("to", "reversed", "to is before from.")
	}
}

// None is the date of an open end.
const None = calendar.None

// Given is the new value of a member: zero if it is null, nil if it is absent.
func Given[T any](o rest.Opt[T]) *T {
	if !o.Set {
		return nil
	}
	return &o.Value
}

// Put adds a present member: nil if it is null.
func Put[T any](m map[string]*T, name string, o rest.Opt[T]) {
	switch {
	case o.Null:
		m[name] = nil
	case o.Set:
		m[name] = &o.Value
	}
}

// Patch turns an optional member into the domain's form, nil if it is absent.
func Patch[T any](o rest.Opt[T]) *lending.Patch[T] {
	if !o.Set {
		return nil
	}
	return &lending.Patch[T]{Null: o.Null, Value: o.Value}
}

// Deref is the value of an optional member, zero if it is absent.
func Deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}

// DateOr is an optional date, None if it is absent.
func DateOr(d *calendar.Date) calendar.Date {
	if d == nil {
		return calendar.None
	}
	return *d
}

package store

import "context"

// Glancer is a Viewer that can take the small reads of many callers from one snapshot.
type Glancer interface {
	// Glance is View for a few small reads of a short-lived caller. The snapshot is taken at
	// the first read, and may be shared with other callers who read at that moment. It holds
	// every commit that was acknowledged before that read.
	Glance(ctx context.Context, fn func(View) error) error
}

// Glance runs fn on a snapshot that may be shared, if the viewer has such.
func Glance(ctx context.Context, v Viewer, fn func(View) error) error {
	if g, ok := v.(Glancer); ok {
		return g.Glance(ctx, fn)
	}
	return v.View(ctx, fn)
}

package credit

// Erased reports that nothing is kept of what a notice has said.
func (n *Notice) Erased() bool { return !n.ErasedAt.IsZero() }

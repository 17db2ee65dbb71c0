package stage

import (
	"errors"
	"testing"

	"tenor/internal/app/node"
	"tenor/internal/core/store/memory"
	"tenor/internal/edge/httpapi/serve"
)

// If the database cannot be copied, the error says so.
func TestNoSnapshotsOnAServer(t *testing.T) {
	c := controls{node: &node.Node{DB: memory.New()}, stage: &Stage{}}
	_, first := c.Snapshot(t.Context(), "")
	_, second := c.Snapshots()
	_, third := c.Restore(t.Context(), "snp_01KB2C4E6G8J0M2P4R6T8V0X2Z")
	_, fourth := c.Reset(t.Context(), "", true, false)
	for i, err := range []error{first, second, third, fourth} {
		if !errors.Is(err, serve.ErrNoSnapshots) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

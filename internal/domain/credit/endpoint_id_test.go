package credit_test

import (
	"testing"

	"tenor/internal/domain/credit"
)

// An endpoint may bring the identifier that its secret was sealed for. It cannot replace
// another endpoint, and only well-formed identifiers are accepted.
func TestEndpointsComeWithTheirIdentifier(t *testing.T) {
	s := newScene(t, "endpoint")
	c := newEndpoint(s.owner)
	c.ID = credit.EndpointID([16]byte{7}, s.now)
	if x := s.must(s.owner, c).(*credit.Endpoint); x.ID != c.ID {
		t.Errorf("made as %s, not as %s", x.ID, c.ID)
	}
	for _, id := range []string{c.ID, "whk_1", "ord_" + c.ID[4:], c.ID[:29] + "u"} {
		c.ID = id
		if _, r := s.do(s.owner, c); r == nil || r.Code != credit.ValidationFailed.Code {
			t.Errorf("%s: %v", id, r)
		}
	}
}

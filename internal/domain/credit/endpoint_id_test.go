package credit_test

import (
	"errors"
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

// A secret opens only for its endpoint. One that an earlier version sealed for the merchant
// opens for that merchant's endpoints.
func TestSecretsOpenForTheirEndpoint(t *testing.T) {
	one, two := &credit.Endpoint{ID: "whk_1", Merchant: "mch_1"}, &credit.Endpoint{ID: "whk_2", Merchant: "mch_1"}
	open := func(sealed []byte, about string) ([]byte, error) {
		if string(sealed) != about {
			return nil, errors.New("sealed about something else")
		}
		return []byte("secret"), nil
	}
	sealed := credit.EndpointSecret{Sealed: []byte(credit.SigningSecretOf(one.ID))}
	if plain, err := one.OpenSecret(sealed, open); err != nil || string(plain) != "secret" {
		t.Errorf("its own: %q, %v", plain, err)
	}
	if plain, err := two.OpenSecret(sealed, open); err == nil {
		t.Errorf("that of another endpoint opens: %q", plain)
	}
	former := credit.EndpointSecret{Sealed: []byte("webhook-secret:mch_1")}
	if _, err := two.OpenSecret(former, open); err != nil {
		t.Errorf("a former one: %v", err)
	}
	if _, err := (&credit.Endpoint{ID: "whk_3", Merchant: "mch_2"}).OpenSecret(former, open); err == nil {
		t.Error("a former one of another merchant opens")
	}
}

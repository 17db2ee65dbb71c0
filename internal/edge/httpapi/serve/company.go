package serve

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

// ReasonBody is the reason of a company's status.
type ReasonBody struct {
	Code    string  `json:"code" required:"true" pattern:"^[a-z][a-z0-9_]{0,63}$" doc:"For programs." example:"address_check"`
	Message *string `json:"message" doc:"For people." example:"The address is being checked."`
}

// SubmitCompany reads what is past due, since the writer cannot, and submits a command that
// answers with the company. An If-Match names the bytes that the caller has seen; it
// becomes the version that had them.
func (s *Service) SubmitCompany(c *rest.Call, id values.CompanyID, command func(ifMatch []string) credit.Command) (rest.Answer, error) {
	var late resource.Lateness
	match := IfMatch(c.IfMatch)
	_, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Companies: []int64{int64(id)}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Companies[int64(id)]
		if x == nil {
			return rest.Answer{}, nil // the command reports it
		}
		var err error
		if late, err = s.Lateness(v, x); err != nil {
			return rest.Answer{}, err
		}
		w := CompanyFor(c.Principal, x, late)
		seen, err := Tagged(&w)
		if c.IfMatch.Given() && !c.IfMatch.Any && c.IfMatch.MatchStrong(seen.ETag) {
			match = []string{VersionTag(x.Version)}
		}
		return rest.Answer{}, err
	})
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, command(match), CompanyAnswer(late, c.Principal))
}

// BecauseBody is embedded in bodies that must give a reason.
type BecauseBody struct {
	Reason string `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"reviewed by the credit desk"`
}

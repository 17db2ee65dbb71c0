package verify

import (
	"encoding/json"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// estimates decides prequalifications again from their figures in the vault, each with the
// policy version that decided it (F27). It uses the rows, not the log, so it works whatever
// rules decided the log.
func estimates(r *run) error {
	asked := map[string]*credit.Application{}
	erased, unopened, unknown := 0, 0, 0
	if err := store.EachRecord(r.view, credit.NounApplication, func(x credit.Record) error {
		a := x.(*credit.Application)
		switch {
		case a.Kind != underwriting.Estimate:
		case a.Form == "":
			erased++
		default:
			asked[a.Form] = a
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	if err := store.EachSecret(r.view, func(id string, sealed []byte) error {
		a := asked[id]
		if a == nil {
			return r.ctx.Err()
		}
		policy, known := r.policy(a.PolicyVersion())
		switch {
		case r.options.Open == nil:
			unopened++
		case !known:
			unknown++
		default:
			r.estimate(a, policy, sealed)
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	if erased+unopened+unknown > 0 {
		r.note("prequalifications not decided again: %d are erased, %d need the key, %d have a policy version that this program lacks", erased, unopened, unknown)
	}
	return nil
}

// estimate decides one prequalification again.
func (r *run) estimate(a *credit.Application, p underwriting.Policy, sealed []byte) {
	object := "application " + a.ID
	plain, err := r.options.Open(sealed, credit.SecretPlace(a.Form))
	if err != nil {
		r.broken("F27", object, "its figures cannot be decrypted: %v", err)
		return
	}
	var f credit.Figures
	if err := json.Unmarshal(plain, &f); err != nil {
		r.broken("F27", object, "its figures cannot be read") // the error may reveal them
		return
	}
	r.guard("F27", object, func() {
		if why := a.DecidedOtherwise(p, f); why != "" {
			r.broken("F27", object, "%s", why)
		}
	})
}

// policy returns a version of the policy.
func (r *run) policy(version int) (underwriting.Policy, bool) {
	if r.options.Policy != nil {
		return r.options.Policy(version)
	}
	return underwriting.Version(version)
}

package buyers

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

func (s API) addApplicationDocument(c *rest.Call, p *serve.ApplicationID, _ *rest.None) (rest.Answer, error) {
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) { // before anything is done with the file
		_, err := serve.FindApplication(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	data, problem := serve.Clean(c.ContentType, c.Body)
	if problem != nil {
		return rest.Answer{}, problem
	}
	filed, secret := s.Desk.Filed(buyer.Paper{Kind: credit.DocumentUpload, ContentType: c.ContentType, Data: data})
	return s.Do(c, onboarding.AttachDocument{Application: p.ID, Paper: filed, Secrets: []credit.Secret{secret}}, func(ch credit.Changes) serve.Success {
		w := resource.NewDocument(ch.Result.(*credit.Document))
		return serve.Success{Body: &w, Location: "/v1/operator/applications/" + p.ID + "/documents/" + w.ID}
	})
}

package httpapi

import (
	"errors"
	"net/http"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/picture"
)

// maxUpload is the most bytes of a file.
const maxUpload = 10 << 20

// uploads are the media types of files that are taken.
func uploads() []string { return []string{mediaPDF, picture.PNG, picture.JPEG} }

// clean is a file as it is kept. What it is, its content says: a name or header that says
// otherwise is refused. Pictures are written anew, so that nothing rides in them.
func clean(contentType string, data []byte) ([]byte, *rest.Problem) {
	if len(data) == 0 {
		return nil, &rest.Problem{Code: rest.CodeMediaType, Detail: "The request has no file."}
	}
	if http.DetectContentType(data) != contentType {
		return nil, &rest.Problem{Code: rest.CodeMediaType, Detail: "The file does not match the media type of the request."}
	}
	if contentType == mediaPDF {
		return data, nil
	}
	kept, err := picture.Redraw(data)
	switch {
	case errors.Is(err, picture.ErrLarge):
		return nil, &rest.Problem{Code: rest.CodeTooLarge, Detail: "The image has more than 40 million pixels."}
	case err != nil:
		return nil, &rest.Problem{Code: rest.CodeMediaType, Detail: "The image cannot be read."}
	}
	return kept, nil
}

func (s *Service) addApplicationDocument(c *rest.Call, p *applicationID, _ *rest.None) (rest.Answer, error) {
	if _, err := s.read(c, func(v store.View) (rest.Answer, error) { // before anything is done with the file
		_, err := findApplication(c, v, p.ID)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	data, problem := clean(c.ContentType, c.Body)
	if problem != nil {
		return rest.Answer{}, problem
	}
	filed, secret := s.Desk.Filed(buyer.Paper{Kind: credit.DocumentUpload, ContentType: c.ContentType, Data: data})
	return s.do(c, onboarding.AttachDocument{Application: p.ID, Paper: filed, Secrets: []credit.Secret{secret}}, func(ch credit.Changes) success {
		w := resource.NewDocument(ch.Result.(*credit.Document))
		return success{body: &w, location: "/v1/operator/applications/" + p.ID + "/documents/" + w.ID}
	})
}

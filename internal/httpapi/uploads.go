package httpapi

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"

	"tenor/internal/buyer"
	"tenor/internal/credit"
	"tenor/internal/store"
	"tenor/internal/wire"
)

const (
	mediaPNG  = "image/png"
	mediaJPEG = "image/jpeg"
	// maxUpload is the most bytes of a file.
	maxUpload = 10 << 20
	// maxPixels is the largest picture: one is opened in memory, whatever its file says.
	maxPixels = 40_000_000
)

// uploads are the media types of files that are taken.
func uploads() []string { return []string{mediaPDF, mediaPNG, mediaJPEG} }

// clean is a file as it is kept. What it is, its content says: a name or header that says
// otherwise is refused. Pictures are written anew, so that nothing rides in them.
func clean(contentType string, data []byte) ([]byte, *Problem) {
	if len(data) == 0 {
		return nil, &Problem{Code: codeMediaType, Detail: "The request has no file."}
	}
	if http.DetectContentType(data) != contentType {
		return nil, &Problem{Code: codeMediaType, Detail: "The file is not of the media type that the request names."}
	}
	if contentType == mediaPDF {
		return data, nil
	}
	broken := &Problem{Code: codeMediaType, Detail: "The picture cannot be read."}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width < 1 || size.Height < 1 {
		return nil, broken
	}
	if size.Width > maxPixels/size.Height {
		return nil, &Problem{Code: codeTooLarge, Detail: "The picture has more than 40 million pixels."}
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, broken
	}
	var out bytes.Buffer
	if contentType == mediaPNG {
		err = png.Encode(&out, picture)
	} else {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: 90})
	}
	if err != nil {
		return nil, broken
	}
	return out.Bytes(), nil
}

func (s *Service) addApplicationDocument(c *Call, p *applicationID, _ *None) (Answer, error) {
	if _, err := s.read(c, func(v store.View) (Answer, error) { // before anything is done with the file
		_, err := findApplication(c, v, p.ID)
		return Answer{}, err
	}); err != nil {
		return Answer{}, err
	}
	data, problem := clean(c.ContentType, c.Body)
	if problem != nil {
		return Answer{}, problem
	}
	filed, secret := s.Desk.Filed(buyer.Paper{Kind: credit.DocumentUpload, ContentType: c.ContentType, Data: data})
	return s.do(c, credit.AttachDocument{Application: p.ID, Paper: filed, Secrets: []credit.Secret{secret}}, func(ch credit.Changes) success {
		w := wire.NewDocument(ch.Result.(*credit.Document))
		return success{body: &w, location: "/v1/operator/applications/" + p.ID + "/documents/" + w.ID}
	})
}

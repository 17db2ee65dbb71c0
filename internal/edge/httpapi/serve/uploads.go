package serve

import (
	"errors"
	"net/http"

	"tenor/internal/edge/rest"
	"tenor/internal/ui/picture"
)

// MaxUpload is the maximum size of a file in bytes.
const MaxUpload = 10 << 20

// Uploads are the accepted media types of files.
func Uploads() []string { return []string{MediaPDF, picture.PNG, picture.JPEG} }

// Clean returns a file as it is stored. Its content determines its type: a name or header
// that says otherwise is refused. Pictures are re-encoded, so that nothing is hidden in
// them.
func Clean(contentType string, data []byte) ([]byte, *rest.Problem) {
	if len(data) == 0 {
		return nil, &rest.Problem{Code: rest.CodeMediaType, Detail: "The request has no file."}
	}
	if http.DetectContentType(data) != contentType {
		return nil, &rest.Problem{Code: rest.CodeMediaType, Detail: "The file does not match the media type of the request."}
	}
	if contentType == MediaPDF {
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

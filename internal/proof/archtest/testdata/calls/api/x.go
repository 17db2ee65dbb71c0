//archtest:room internal/edge/httpapi

package httpapi

import (
	"encoding/json"
	"io"
)

func a(r io.Reader, b []byte) {
	_ = json.Unmarshal(b, nil) // want: strict decoder
	_ = json.NewDecoder(r)     // want: strict decoder
	_, _ = json.Marshal(nil)
}

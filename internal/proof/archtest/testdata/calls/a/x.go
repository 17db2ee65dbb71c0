//archtest:room internal/edge/webhook

package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/tls"
	"html/template"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"time"
)

func a(name string, t time.Time, mac []byte) any {
	_ = template.HTML(name) // want: escaping
	_ = template.HTMLEscapeString(name)
	_ = rand.Int()                           // want: crypto/rand
	_ = tls.Config{InsecureSkipVerify: true} // want: TLS
	_ = t.AddDate(0, 1, 0)                   // want: AddMonths
	_ = bytes.Equal(mac, nil)                // want: hmac.Equal
	_ = hmac.Equal(mac, nil)
	_, _ = http.Get(name) // want: time limits
	log.Print(name)       // want: slog
	os.Exit(1)            // want: only main
	return nil
}

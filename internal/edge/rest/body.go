package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// announced checks what the headers say about a body: its media type (415) and its size.
func announced(w http.ResponseWriter, c *Call, op *operation) *Problem {
	if c.ContentType = ContentType(c.Request.Header, op.Consumes); c.ContentType == "" {
		detail := "The operation takes " + strings.Join(op.Consumes, ", ") + " in UTF-8 without content encoding."
		if len(c.Request.Header.Values("Content-Type")) == 0 {
			detail = "The request has no body with a Content-Type. " + detail
		}
		return &Problem{Code: CodeMediaType, Detail: detail}
	}
	if c.Request.ContentLength > op.MaxBody {
		w.Header().Set("Connection", "close") // the body is not read
		return op.tooLarge()
	}
	return nil
}

// MaxForm is the maximum size of a form for an operation that answers by itself, in bytes.
const MaxForm = 16 << 10

// eagerBody is the largest body for which memory is allocated before it arrives. A larger
// one gets memory as it arrives: a mere announcement holds none.
const eagerBody = 16 << 10

// readBody is the media type (415) and size stages. Bodies in transit are counted per
// tenant, so that a slow tenant keeps nobody else waiting.
func (a *API) readBody(w http.ResponseWriter, c *Call, op *operation, who string) *Problem {
	r := c.Request
	if r.ContentLength == 0 && op.BodyOptional && r.Header.Get("Content-Encoding") == "" {
		return nil
	}
	if p := announced(w, c, op); p != nil {
		return p
	}
	if op.MaxBody > defaultMaxBody {
		// A writer that cannot change its deadlines keeps the server's.
		conn, now := http.NewResponseController(w), time.Now()
		_ = conn.SetReadDeadline(now.Add(largeBodyTimeout))
		_ = conn.SetWriteDeadline(now.Add(largeBodyTimeout + AnswerTimeout))
	}
	if !a.guard.bodies.Enter(who) {
		return Unavailable(CodeOverloaded, time.Second)
	}
	defer a.guard.bodies.Leave(who)
	limited := http.MaxBytesReader(w, r.Body, op.MaxBody)
	var err error
	if r.ContentLength > 0 && r.ContentLength <= eagerBody {
		c.Body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(limited, c.Body)
	} else {
		c.Body, err = a.readLarger(limited, who)
	}
	var over *http.MaxBytesError
	switch {
	case errors.Is(err, errCrowded):
		w.Header().Set("Connection", "close")
		return Unavailable(CodeOverloaded, time.Second)
	case errors.As(err, &over):
		return op.tooLarge()
	case err != nil:
		w.Header().Set("Connection", "close")
		return &Problem{Code: CodeMalformed, Detail: brokenOff}
	}
	return nil
}

// errCrowded means that there is no room for another large body.
var errCrowded = errors.New("no capacity for a large body")

// readLarger reads a body that is not small. From largeBody on it takes a place: the memory
// of bodies in transit is bounded.
func (a *API) readLarger(from io.Reader, who string) ([]byte, error) {
	body := bytes.NewBuffer(make([]byte, 0, eagerBody))
	if n, err := body.ReadFrom(io.LimitReader(from, largeBody)); err != nil || n < largeBody {
		return body.Bytes(), err
	}
	if !a.guard.large.Enter(who) {
		return nil, errCrowded
	}
	defer a.guard.large.Leave(who)
	_, err := body.ReadFrom(from)
	return body.Bytes(), err
}

// readAhead reads the form of an operation that answers by itself, and passes it what was
// read, with the error that ended the reading.
func readAhead(w http.ResponseWriter, r *http.Request) io.ReadCloser {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxForm))
	if err == nil {
		err = io.EOF
	}
	return &ahead{bytes.NewReader(text), err}
}

// ahead is a body that was read in advance.
type ahead struct {
	text *bytes.Reader
	end  error // follows the text
}

// Read implements io.Reader.
func (b *ahead) Read(p []byte) (int, error) {
	if b.text.Len() == 0 {
		return 0, b.end
	}
	return b.text.Read(p)
}

// Close implements io.Closer. net/http handles the rest of the request.
func (*ahead) Close() error { return nil }

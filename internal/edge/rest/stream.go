package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Maximum number of concurrent streamed bodies: each holds memory until it is answered.
const (
	maxStreams      = 4
	streamsOfTenant = 1
)

// StreamTimeout is how long a handler may work after reading a streamed body.
const StreamTimeout = time.Minute

// openBody runs the stages media type (415) and, as far as announced, size, and leaves the
// body to the handler.
func openBody(w http.ResponseWriter, c *Call, op *operation) *Problem {
	p := announced(w, c, op)
	if p != nil {
		return p
	}
	// A writer that cannot change its deadlines keeps the server's.
	conn, now := http.NewResponseController(w), time.Now()
	_ = conn.SetReadDeadline(now.Add(largeBodyTimeout))
	_ = conn.SetWriteDeadline(now.Add(largeBodyTimeout + StreamTimeout + AnswerTimeout))
	c.Stream = http.MaxBytesReader(w, c.Request.Body, op.MaxBody)
	return nil
}

// tooLarge is the problem for a body above an operation's limit.
func (o *Operation) tooLarge() *Problem {
	return &Problem{Code: CodeTooLarge, Detail: fmt.Sprintf("The operation accepts at most %d bytes.", o.MaxBody)}
}

// BrokenStream returns the problem of a failed read of a streamed body; nil if the content
// is at fault.
func (c *Call) BrokenStream(err error) *Problem {
	var over *http.MaxBytesError
	switch {
	case err == nil || err == io.EOF:
		return nil
	case errors.As(err, &over):
		return c.Operation.tooLarge()
	case errors.Is(err, errStream) && c.ContentType == MediaCSV:
		return &Problem{Code: CodeMalformedCSV, Detail: brokenOff}
	case errors.Is(err, errStream):
		return &Problem{Code: CodeMalformed, Detail: brokenOff}
	}
	return nil
}

// brokenOff is the detail for a body that ends before its announced end.
const brokenOff = "The body did not match its announced length."

// errStream marks failures of the connection rather than the content.
var errStream = errors.New("body cut short")

// Source is a streamed body whose own errors can be distinguished from errors in its
// content.
type Source struct {
	io.Reader
	Count int64 // bytes so far
}

// Read implements io.Reader.
func (s *Source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.Count += int64(n)
	var over *http.MaxBytesError
	if err != nil && err != io.EOF && !errors.As(err, &over) {
		err = fmt.Errorf("%w: %w", errStream, err)
	}
	return n, err
}

// ExportTimeout is how long a streamed answer may take.
const ExportTimeout = 5 * time.Minute

// errHead ends a stream whose body was not requested.
var errHead = errors.New("only the header was requested")

// sendStream sends an answer while it is made. A failure midway breaks off the connection,
// so that a part is not taken for the whole.
func (a *API) sendStream(w http.ResponseWriter, c *Call, ans Answer) (status, size int) {
	begun := false
	out := &counted{to: w}
	err := ans.Stream(func(asOf int64) io.Writer {
		begun = true
		// A writer that cannot change its deadline keeps the server's.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(ExportTimeout + AnswerTimeout))
		h := w.Header()
		h.Set("Content-Type", ans.ContentType)
		if len(c.Operation.Produces) > 1 {
			h.Set("Vary", "Accept")
		}
		if asOf != 0 {
			h.Set("As-Of-Seq", sequence(asOf))
		}
		w.WriteHeader(http.StatusOK)
		if c.Request.Method == http.MethodHead {
			out.failed = errHead
		}
		return out
	})
	switch {
	case err == nil || errors.Is(err, errHead):
		return http.StatusOK, out.size
	case !begun:
		return a.send(w, c, a.problemAnswer(c, err))
	}
	a.config.Log.Error("response aborted", "request_id", c.RequestID, "operation", c.operationID(), "error", err.Error())
	panic(http.ErrAbortHandler)
}

// counted is an outgoing body.
type counted struct {
	to     io.Writer
	size   int
	failed error
}

func (w *counted) Write(b []byte) (int, error) {
	if w.failed != nil {
		return 0, w.failed
	}
	n, err := w.to.Write(b)
	w.size += n
	return n, err
}

// Flush sends what has been written, so that a slowly produced answer can be read line by
// line.
func (w *counted) Flush() error {
	out, ok := w.to.(http.ResponseWriter)
	if !ok {
		return nil
	}
	return http.NewResponseController(out).Flush()
}

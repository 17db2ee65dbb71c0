package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Excerpt reads a response's body up to MaxBody, so that its connection can be reused, closes it,
// and returns at most its first n bytes as valid UTF-8 without NUL. A read error ends it.
func Excerpt(body io.ReadCloser, n int) string {
	head := make([]byte, n)
	got, err := io.ReadFull(body, head)
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(body, MaxBody-int64(n))) // the next request shows whether the connection is still usable
	}
	_ = body.Close()
	text := strings.ReplaceAll(strings.ToValidUTF8(string(head[:got]), "\uFFFD"), "\x00", "\uFFFD")
	return cut(text, n)
}

// cut shortens a text to at most n bytes, between two characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Reason says in one sentence why a request failed. It is safe to show to the person who named
// the address: it contains no address, no resolver and nothing about the network behind Tenor.
func Reason(err error) string {
	var name *net.DNSError
	var timeout net.Error
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrBlocked):
		return "The address is not allowed."
	case errors.As(err, &name):
		return nameReason(name)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "No answer came in time."
	case errors.Is(err, context.Canceled):
		return "The request was cut short."
	}
	if text := certificateReason(err); text != "" {
		return text
	}
	return connectionReason(err)
}

func nameReason(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "The host's name does not exist."
	case err.IsTimeout:
		return "The host's name was not resolved in time."
	}
	return "The host's name could not be resolved."
}

func certificateReason(err error) string {
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "The host's certificate has expired or is not valid yet."
	case errors.As(err, &host):
		return "The host's certificate is for another name."
	case errors.As(err, &authority):
		return "The host's certificate is not signed by a known authority."
	case errors.As(err, &certificate):
		return "The host's certificate is not valid."
	case errors.As(err, &record), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "The host does not speak TLS."
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return "The TLS handshake failed."
	}
	return ""
}

func connectionReason(err error) string {
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "The host cannot be reached."
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(text, "server closed idle connection"):
		return "The connection was closed before the answer."
	case strings.Contains(text, "response headers exceeded"):
		return "The answer's headers are too large."
	case strings.Contains(text, "malformed HTTP"), strings.Contains(text, "malformed MIME"):
		return "The answer is not HTTP."
	}
	return "The request failed."
}

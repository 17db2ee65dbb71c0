package rest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A failure before the first byte of a streamed answer is a problem; a later one breaks off
// the connection, so that a part is not taken for the whole.
func TestStreamedAnswersBreakOff(t *testing.T) {
	var fail error
	early := true
	log := &strings.Builder{}
	api, err := New(Config{
		BaseURL: "https://api.example.com", Authenticator: people, CursorKey: []byte(strings.Repeat("k", 32)),
		Log: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now, Contract: widgetContract(),
	}, []Operation{{
		ID: "exportWidgets", Method: "GET", Path: "/v1/export", Scopes: []string{"orders:read"}, Produces: []string{"application/json", "text/csv"}, Response: None{},
		Endpoint: Handle(func(*Call, *None, *None) (Answer, error) {
			return Answer{ContentType: "text/csv", Stream: func(begin func(int64) io.Writer) error {
				if early && fail != nil {
					return fail
				}
				if _, err := begin(7).Write([]byte("a,b\n")); err != nil {
					return err
				}
				return fail
			}}, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	get := func() (status int, body string, err error) {
		r, err := http.NewRequestWithContext(context.Background(), "GET", server.URL+"/v1/export", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer merchant")
		answer, err := server.Client().Do(r)
		if err != nil {
			return 0, "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode == 200 && answer.Header.Get("As-Of-Seq") != "7" {
			t.Errorf("header: %v", answer.Header)
		}
		return answer.StatusCode, string(text), err
	}
	if status, body, err := get(); status != 200 || body != "a,b\n" || err != nil {
		t.Errorf("whole: %d %q %v", status, body, err)
	}
	fail = errors.New("s3cr3t")
	if status, body, err := get(); status != 500 || !strings.Contains(body, "internal_error") || strings.Contains(body, "s3cr3t") || err != nil {
		t.Errorf("failed before its beginning: %d %q %v", status, body, err)
	}
	early = false
	if status, body, err := get(); err == nil {
		t.Errorf("broken off: %d %q without an error", status, body)
	}
	server.Close() // nobody writes to the log anymore
	if !strings.Contains(log.String(), "response aborted") {
		t.Errorf("log: %s", log)
	}
}

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tenor/internal/edge/resource"
)

// specimen is one resource that the bare handler serves.
type specimen struct {
	Path string          `json:"path"`
	Body json.RawMessage `json:"body"`
}

// sample requests what W4 reads and writes the responses to a file.
func (r *runner) sample(s *site) (paths []string, file string, err error) {
	callers, err := s.shop.dial(1, s.hosts()...)
	if err != nil {
		return nil, "", err
	}
	defer s.shop.leave(callers)
	file = filepath.Join(r.dir, "specimens-"+s.kind+".json")
	out, err := os.Create(file)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	write := json.NewEncoder(out)
	for range samples {
		path := s.shop.readPath(&callers[0].rng)
		a, err := callers[0].ask(&request{method: "GET", path: path}, 200)
		if err != nil {
			return nil, "", err
		}
		if err := write.Encode(specimen{path, a.body}); err != nil {
			return nil, "", err
		}
		paths = append(paths, path)
	}
	return paths, file, nil
}

// ServeBare is the upper bound for W4: an HTTP server that only encodes, for each request, a
// resource that it holds in memory. It reads the resources from a file written by a run, reports
// on errs where it listens, as tenor serve does, and answers until the context ends.
func ServeBare(ctx context.Context, file string, errs io.Writer) error {
	resources, err := readSpecimens(file)
	if err != nil {
		return fmt.Errorf("serve bare: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve bare: %w", err)
	}
	s := &http.Server{Handler: bareHandler(resources), ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	slog.New(slog.NewJSONHandler(errs, nil)).Info("serving", "address", l.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serve bare: %w", err)
	case <-ctx.Done():
		return s.Close()
	}
}

// bareHandler encodes the resource at a path.
func bareHandler(resources map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		x, found := resources[q.URL.RequestURI()]
		if !found {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body, err := resource.Encode(x)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the caller may be gone
	})
}

func readSpecimens(file string) (map[string]any, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	resources := map[string]any{}
	for read := json.NewDecoder(in); ; {
		var s specimen
		switch err := read.Decode(&s); {
		case errors.Is(err, io.EOF):
			return resources, nil
		case err != nil:
			return nil, err
		}
		if resources[s.Path], err = resourceOf(s); err != nil {
			return nil, err
		}
	}
}

// resourceOf decodes a specimen into the type that the API encodes.
func resourceOf(s specimen) (any, error) {
	switch {
	case strings.HasPrefix(s.Path, "/v1/order/"):
		x, err := resource.Decode[resource.Order](s.Body)
		return &x, err
	case strings.HasPrefix(s.Path, "/payments/schedule/"):
		x, err := resource.Decode[resource.Schedule](s.Body)
		return &x, err
	}
	x, err := resource.Decode[resource.List[resource.Payment]](s.Body)
	return &x, err
}

package node

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/verify"
	"tenor/internal/ports/outbound"
)

// headTarget is where heads are exported.
type headTarget interface {
	fmt.Stringer // for messages: shows no secret
	// put adds a head, which is one line of text.
	put(ctx context.Context, at time.Time, text []byte) error
	// last returns the newest exported head; false if there is none, or the target cannot be read.
	last() (store.SignedHead, bool, error)
}

// openHeadTarget parses the value of --heads; nil for "".
func openHeadTarget(text string) (headTarget, error) {
	switch {
	case text == "":
		return nil, nil
	case strings.Contains(text, "://"):
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return nil, &exit.Failure{Code: exit.Usage, Text: "--heads must be a file, a directory or an https:// URL"}
		}
		// The lender names it, and a log collector often runs on a private network.
		return &webTarget{text, u.Scheme + "://" + u.Host + u.Path, outbound.NewClient(outbound.Config{Rules: outbound.Rules{AllowPrivate: true}})}, nil
	}
	info, err := os.Stat(text)
	if err == nil && info.IsDir() || strings.HasSuffix(text, string(os.PathSeparator)) {
		return fileTarget{text, true}, nil
	}
	return fileTarget{text, false}, nil
}

// fileTarget appends heads to a file, or to one per day in a directory. It never changes existing
// content, so an append-only file works.
type fileTarget struct {
	path string
	days bool // path is a directory
}

func (t fileTarget) String() string { return t.path }

// put implements headTarget.
func (t fileTarget) put(_ context.Context, at time.Time, text []byte) (err error) {
	file := t.path
	if t.days {
		file = filepath.Join(t.path, "heads-"+at.UTC().Format(time.DateOnly)+".jsonl")
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// last implements headTarget.
func (t fileTarget) last() (h store.SignedHead, found bool, err error) {
	file := t.path
	if t.days {
		list, err := filepath.Glob(filepath.Join(t.path, "heads-*.jsonl"))
		if err != nil || len(list) == 0 {
			return h, false, err
		}
		file = slices.Max(list)
	}
	list, err := ReadHeads(file)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	if err != nil || len(list) == 0 {
		return h, false, err
	}
	return list[len(list)-1].Head, true, nil
}

// ReadHeads reads the heads in a file: exported ones, line by line, or one printed by verify,
// with or without the full report.
func ReadHeads(file string) (list []verify.GivenHead, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, fmt.Errorf("%s: the text after head %d is not a JSON document", file, len(list))
		}
		var report struct {
			Head json.RawMessage `json:"head"`
		}
		if json.Unmarshal(raw, &report) == nil && len(report.Head) > 0 {
			raw = report.Head
		}
		h, err := engine.ParseHead(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: document %d is not a signed head: %w", file, len(list)+1, err)
		}
		list = append(list, verify.GivenHead{From: fmt.Sprintf("%s, document %d", file, len(list)+1), Head: h})
	}
	slices.SortStableFunc(list, func(a, b verify.GivenHead) int { // in signing order
		return cmp.Or(cmp.Compare(a.Head.Epoch, b.Head.Epoch), cmp.Compare(a.Head.Number, b.Head.Number))
	})
	return list, nil
}

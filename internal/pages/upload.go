package pages

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"tenor/internal/office/buyer"
	"tenor/internal/ui/picture"
)

// MaxUpload is the maximum size of a file in bytes.
const MaxUpload = 10 << 20

// Upload reads a form's file. Its type is detected from its content, not its name. An image is
// re-encoded, so that nothing hidden in it is kept.
func (c *Call) Upload() (p buyer.Paper, why string, err error) {
	file, head, err := c.R.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || head != nil && head.Size == 0 {
		return p, "files.none", nil
	}
	if err != nil {
		return p, "", fmt.Errorf("pages: read a file: %w", err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, MaxUpload+1))
	if err != nil {
		return p, "", fmt.Errorf("pages: read a file: %w", err)
	}
	if len(data) > MaxUpload {
		return p, "files.large", nil
	}
	p = buyer.Paper{ContentType: http.DetectContentType(data), Name: fileName(head.Filename), Data: data}
	switch p.ContentType {
	case "application/pdf":
		return p, "", nil
	case picture.PNG, picture.JPEG:
		if p.Data, err = picture.Redraw(data); err != nil {
			return p, "files.broken", nil
		}
		return p, "", nil
	}
	return p, "files.kind", nil
}

// fileName sanitizes the name of a file.
func fileName(text string) string {
	text = path.Base(strings.ReplaceAll(strings.ToValidUTF8(text, ""), `\`, "/"))
	text = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"<>:|?*`, r) || r == 0x7f || r >= 0x2028 && r <= 0x202e {
			return -1
		}
		return r
	}, text)
	if r := []rune(text); len(r) > 100 {
		text = string(r[len(r)-100:])
	}
	return text
}

package portal

import (
	"bytes"
	"fmt"
	"image/png"
	"io/fs"

	"tenor/internal/ui/web"
)

// picture is an image with its size, so that the layout does not shift when it loads.
type picture struct {
	file          string // in the docs folder
	Path          string
	Width, Height int // pixels
}

// loadPictures reads the pictures in the docs folder.
func (s *site) loadPictures() error {
	names, err := fs.Glob(s.config.Docs, "pictures/*.png")
	if err != nil {
		return err
	}
	for _, name := range names {
		body, err := fs.ReadFile(s.config.Docs, name)
		if err != nil {
			return err
		}
		size, err := png.DecodeConfig(bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		at := web.AssetPath("/docs/pictures/", name, body)
		s.markdown.pictures[at] = picture{name, at, size.Width, size.Height}
		s.assets.Files[at] = web.NewAsset("image/png", body)
	}
	return nil
}

package design

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"strings"

	"tenor/internal/ui/web"
)

//go:embed assets
var assetFiles embed.FS

// Assets are the files of pages, under paths that contain a hash of their content: browsers cache
// them forever.
type Assets struct {
	CSS  string // the stylesheet
	Font string // a stylesheet with Inter, for application pages
	Copy string // the script for copy buttons
	Docs string // the script for documentation: tabs that remember the choice

	Search string // the script of its search
	Keys   string // the script for the console's keys
	Icon   string // of the window

	Files map[string]web.Asset // by path
}

// LoadAssets gives each file a path below prefix.
func LoadAssets(prefix string) (Assets, error) {
	a := Assets{Files: map[string]web.Asset{}}
	var err error
	add := func(file, media string, replace ...string) (path string) {
		body, failed := assetFiles.ReadFile("assets/" + file)
		if failed != nil {
			err = errors.Join(err, failed)
			return ""
		}
		if len(replace) == 2 {
			body = bytes.ReplaceAll(body, []byte(replace[0]), []byte(replace[1]))
		}
		path = web.AssetPath(prefix, file, body)
		a.Files[path] = web.NewAsset(media, body)
		return path
	}
	a.CSS = add("design.css", "text/css; charset=utf-8")
	font := add("inter.woff2", "font/woff2")
	a.Font = add("inter.css", "text/css; charset=utf-8", "inter.woff2", font[strings.LastIndex(font, "/")+1:])
	a.Copy = add("copy.js", "text/javascript; charset=utf-8")
	a.Docs = add("docs.js", "text/javascript; charset=utf-8")
	a.Search = add("search.js", "text/javascript; charset=utf-8")
	a.Keys = add("keys.js", "text/javascript; charset=utf-8")
	a.Icon = add("icon.svg", "image/svg+xml")
	if err != nil {
		return Assets{}, fmt.Errorf("design: %w", err)
	}
	return a, nil
}

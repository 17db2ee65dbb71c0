// Package docs holds the pages of this folder that the developer portal shows,
// as files: guides, reference, rules, decisions, the pictures in them, and the licences of
// what is in the binary. It has no code; the portal renders them.
package docs

import "embed"

// Files are the pages, by their names in this folder.
//
//go:embed guides/*.md reference/*.md rules/*.md licences/*.txt pictures/*.png
//go:embed accessibility.md accounting.md changelog.md cli.md cli-json.md decisions.md glossary.md interface.md operating.md reliability.md rules.md
var Files embed.FS

package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository, relative to this package's folder.
const root = "../../.."

// page is one Markdown file.
type page struct {
	name   string // relative to the root, with slashes
	lines  []string
	blocks []block
}

// block is one fenced block.
type block struct {
	line   int // of its opening fence, from 1
	end    int // of its closing fence
	lang   string
	words  []string // after the language
	text   string   // with a final newline unless empty
	indent string
}

func (b block) has(word string) bool { return slices.Contains(b.words, word) }

// entries returns the name of the example whose entries the block shows, "" if none.
func (b block) entries() string {
	for _, w := range b.words {
		if name, ok := strings.CutPrefix(w, "entries="); ok {
			return name
		}
	}
	return ""
}

// pages reads every Markdown file meant for readers.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, readPage(t, filepath.ToSlash(rel)))
		}
	}
	if len(all) < 5 {
		t.Fatalf("only %d pages found: is this the repository?", len(all))
	}
	return all
}

func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	p, why := parsePage(name, string(text))
	if why != "" {
		t.Fatalf("%s: %s", name, why)
	}
	return p
}

// parsePage finds the fenced blocks of a page; why is not empty if one is unclosed.
func parsePage(name, text string) (p page, why string) {
	p = page{name: name, lines: strings.Split(text, "\n")}
	var open *block
	for i, line := range p.lines {
		fence := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(fence, "```") {
			if open != nil {
				open.text += strings.TrimPrefix(line, open.indent) + "\n"
			}
			continue
		}
		if open == nil {
			words := strings.Fields(strings.TrimPrefix(fence, "```"))
			open = &block{line: i + 1, indent: line[:len(line)-len(fence)]}
			if len(words) > 0 {
				open.lang, open.words = words[0], words[1:]
			}
			continue
		}
		open.end = i + 1
		p.blocks = append(p.blocks, *open)
		open = nil
	}
	if open != nil {
		return p, "a block is never closed"
	}
	return p, ""
}

// prose returns the page without its blocks, with its lines in place.
func (p page) prose() []string {
	out := slices.Clone(p.lines)
	for _, b := range p.blocks {
		for i := b.line - 1; i < b.end; i++ {
			out[i] = ""
		}
	}
	return out
}

// outputOf returns the block with the expected output of a block: the next one, with only blank
// lines in between.
func (p page) outputOf(i int) (block, bool) {
	if i+1 >= len(p.blocks) {
		return block{}, false
	}
	next := p.blocks[i+1]
	if next.lang != "text" && next.lang != "json" {
		return block{}, false
	}
	for _, line := range p.lines[p.blocks[i].end : next.line-1] {
		if strings.TrimSpace(line) != "" {
			return block{}, false
		}
	}
	return next, true
}

// rows returns the cells of a table's rows below the heading that begins with title.
func (p page) rows(t *testing.T, title string) [][]string {
	t.Helper()
	var out [][]string
	inside, head := false, 0
	for _, line := range p.prose() {
		if strings.HasPrefix(line, "#") {
			if inside && len(out) > 0 {
				break
			}
			inside = strings.HasPrefix(strings.TrimSpace(strings.TrimLeft(line, "#")), title)
			continue
		}
		if !inside || !strings.HasPrefix(line, "|") {
			head = 0
			continue
		}
		if head++; head > 2 { // after the header and its separator
			out = append(out, cells(line))
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has no table under %q", p.name, title)
	}
	return out
}

var unescapedBar = regexp.MustCompile(`(^|[^\\])\|`)

// cells splits a table line; \| is a bar inside a cell.
func cells(line string) []string {
	line = unescapedBar.ReplaceAllString(strings.TrimSpace(line), "$1\x00")
	var out []string
	for _, c := range strings.Split(strings.Trim(line, "\x00"), "\x00") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(c, `\|`, "|")))
	}
	return out
}

func TestParsePage(t *testing.T) {
	p, why := parsePage("x.md", "# A\n\n```sh test\necho 1\n```\n\n```text\n1\n```\nwords\n```json\n{}\n```\n| a | b |\n|---|---|\n| x \\| y | `z` |\n")
	if why != "" || len(p.blocks) != 3 {
		t.Fatalf("%d blocks, %q", len(p.blocks), why)
	}
	b := p.blocks[0]
	if b.lang != "sh" || !b.has("test") || b.text != "echo 1\n" || b.line != 3 || b.end != 5 {
		t.Errorf("first block: %+v", b)
	}
	if out, ok := p.outputOf(0); !ok || out.text != "1\n" {
		t.Errorf("output of the first block: %+v %v", out, ok)
	}
	if _, ok := p.outputOf(1); ok {
		t.Error("a block after words is taken for output")
	}
	if rows := p.rows(t, "A"); len(rows) != 1 || rows[0][0] != "x | y" || rows[0][1] != "`z`" {
		t.Errorf("rows: %q", rows)
	}
	if _, why := parsePage("x.md", "```sh\necho\n"); why == "" {
		t.Error("an open block is not noticed")
	}
}

package portal

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	mdtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"tenor/internal/ui/design"
)

// node is a piece of a Markdown page. Markdown is parsed into nodes and never into HTML: the
// templates write the tags, and all text is escaped like any other. HTML in Markdown is text,
// too.
type node struct {
	Kind     string // see the template "node"
	Text     string // of text and code
	Level    int    // of a heading
	ID       string // of a heading: its anchor
	Lang     string // of a code block
	Href     string // of a link; "" does not lead anywhere on these pages
	Outside  bool   // of a link: to another host
	Start    int    // of an ordered list
	Picture  picture
	Children []node
	Sources  []source // of tabs: the same in several languages
}

// source is a code with its title.
type source struct{ Title, Lang, Text string }

// languages are those of code blocks, with their names.
var languages = map[string]string{
	"sh": "Shell", "bash": "Shell", "json": "JSON", "go": "Go", "php": "PHP", "javascript": "JavaScript", "python": "Python", "sql": "SQL", "text": "Output", "html": "HTML", "csv": "CSV",
}

// Code returns a code block in color. Program output is calm.
func (n node) Code() design.Code {
	return design.Code{Title: languages[n.Lang], Language: n.Lang, Text: n.Text, Calm: n.Lang == "text" || n.Lang == "json"}
}

// Tabs returns code blocks of which the reader needs one.
func (n node) Tabs() design.Tabs {
	t := design.Tabs{Label: "Language"}
	for _, s := range n.Sources {
		t.Code = append(t.Code, design.Code{Title: s.Title, Language: s.Lang, Text: s.Text})
	}
	return t
}

// tabbed merges consecutive code blocks, each below the name of its language, into one node.
func tabbed(nodes []node) []node {
	var out []node
	for i := 0; i < len(nodes); {
		var group []source
		for j := i; j+1 < len(nodes) && nodes[j+1].Kind == "pre" && labels(nodes[j], nodes[j+1].Lang); j += 2 {
			group = append(group, source{languages[nodes[j+1].Lang], nodes[j+1].Lang, nodes[j+1].Text})
		}
		if len(group) < 2 {
			out = append(out, nodes[i])
			i++
			continue
		}
		out = append(out, node{Kind: "tabs", Sources: group})
		i += 2 * len(group)
	}
	return out
}

// labels reports whether a paragraph is the name of a language: "Go:".
func labels(n node, language string) bool {
	said := strings.TrimSpace(plainText([]node{n}))
	name := languages[language]
	return n.Kind == "p" && name != "" && strings.HasPrefix(said, name) && strings.HasSuffix(said, ":") && len(said) < len(name)+20
}

// linker returns where a link on a page leads: an address, or "" if it is not served here.
type linker func(target string) string

// markdown converts Markdown to nodes.
type markdown struct {
	parser   parser.Parser
	pictures map[string]picture // by address; other pictures are replaced by their description
}

// newMarkdown returns Markdown without HTML: text in angle brackets is text.
func newMarkdown() markdown {
	m := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100), util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
	return markdown{parser: m, pictures: map[string]picture{}}
}

// nodes parses a text. With a nil linker, links lead nowhere.
func (m markdown) nodes(source string, to linker) []node {
	if to == nil {
		to = func(string) string { return "" }
	}
	w := walker{markdown: m, source: []byte(source), to: to, anchors: map[string]int{}}
	return tabbed(w.children(m.parser.Parse(mdtext.NewReader(w.source))))
}

// inline parses a one-paragraph text for use in running text.
func (m markdown) inline(source string, to linker) []node {
	all := m.nodes(source, to)
	if len(all) == 1 && all[0].Kind == "p" {
		return all[0].Children
	}
	return all
}

type walker struct {
	markdown
	source  []byte
	to      linker
	anchors map[string]int // how often each was used
}

func (w *walker) children(n ast.Node) []node {
	var out []node
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, w.node(c)...)
	}
	return out
}

// node converts one node of the parser.
func (w *walker) node(n ast.Node) []node {
	switch n := n.(type) {
	case *ast.Heading:
		h := node{Kind: "heading", Level: n.Level, Children: w.children(n)}
		h.ID = w.anchor(plainText(h.Children))
		return []node{h}
	case *ast.Paragraph:
		return []node{{Kind: "p", Children: w.children(n)}}
	case *ast.TextBlock:
		return w.children(n)
	case *ast.List:
		if n.IsOrdered() {
			return []node{{Kind: "ol", Start: n.Start, Children: w.children(n)}}
		}
		return []node{{Kind: "ul", Children: w.children(n)}}
	case *ast.ListItem:
		return []node{{Kind: "li", Children: w.children(n)}}
	case *ast.Blockquote:
		return []node{{Kind: "quote", Children: w.children(n)}}
	case *ast.FencedCodeBlock:
		return []node{{Kind: "pre", Lang: string(n.Language(w.source)), Text: w.lines(n)}}
	case *ast.CodeBlock:
		return []node{{Kind: "pre", Text: w.lines(n)}}
	case *ast.ThematicBreak:
		return []node{{Kind: "hr"}}
	case *extast.Table:
		return []node{{Kind: "table", Children: w.children(n)}}
	case *extast.TableHeader:
		return []node{{Kind: "head", Children: w.children(n)}}
	case *extast.TableRow:
		return []node{{Kind: "row", Children: w.children(n)}}
	case *extast.TableCell:
		return []node{{Kind: "cell", Children: w.children(n)}}
	}
	return w.span(n)
}

// span converts an inline node.
func (w *walker) span(n ast.Node) []node {
	switch n := n.(type) {
	case *ast.Text:
		s := design.Curly(unescape(string(n.Value(w.source))))
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		return []node{{Kind: "text", Text: s}}
	case *ast.String:
		return []node{{Kind: "text", Text: design.Curly(string(n.Value))}}
	case *ast.CodeSpan:
		return []node{{Kind: "code", Text: w.raw(n)}}
	case *ast.Emphasis:
		kind := "em"
		if n.Level > 1 {
			kind = "strong"
		}
		return []node{{Kind: kind, Children: w.children(n)}}
	case *ast.Link:
		return w.link(string(n.Destination), w.children(n))
	case *ast.AutoLink:
		label := string(n.Label(w.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			return []node{{Kind: "text", Text: label}}
		}
		return w.link(label, []node{{Kind: "text", Text: label}})
	case *ast.Image:
		p, ok := w.pictures[w.to(string(n.Destination))]
		if !ok {
			return w.children(n)
		}
		return []node{{Kind: "picture", Picture: p, Text: plainText(w.children(n))}}
	}
	return w.children(n)
}

// link creates a link if the target is allowed: on these pages, or over https to another host.
// Otherwise it returns only the text.
func (w *walker) link(target string, label []node) []node {
	if strings.HasPrefix(target, "https://") {
		return []node{{Kind: "link", Href: target, Outside: true, Children: label}}
	}
	if href := w.to(target); href != "" {
		return []node{{Kind: "link", Href: href, Children: label}}
	}
	return label
}

func (w *walker) lines(n ast.Node) string {
	var s strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		s.Write(at.Value(w.source))
	}
	return s.String()
}

// raw returns the text of a code span: no escapes, line breaks become spaces.
func (w *walker) raw(n ast.Node) string {
	var s strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			s.Write(t.Segment.Value(w.source))
		}
	}
	return strings.ReplaceAll(s.String(), "\n", " ")
}

// unescape resolves \* and &amp; in running text.
func unescape(s string) string {
	b := util.UnescapePunctuations([]byte(s))
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(b)))
}

// anchor returns the anchor of a heading, as code hosts generate it: a repeated heading gets a
// number.
func (w *walker) anchor(heading string) string {
	a := slug(heading)
	n := w.anchors[a]
	w.anchors[a]++
	if n > 0 {
		a = fmt.Sprintf("%s-%d", a, n)
	}
	return a
}

var notInSlugs = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

func slug(heading string) string {
	s := strings.ToLower(strings.TrimSpace(heading))
	return strings.ReplaceAll(notInSlugs.ReplaceAllString(s, ""), " ", "-")
}

// plainText returns what a reader would read aloud.
func plainText(nodes []node) string {
	var s strings.Builder
	for _, n := range nodes {
		s.WriteString(n.Text)
		s.WriteString(plainText(n.Children))
		switch n.Kind {
		case "p", "li", "pre", "heading", "cell":
			s.WriteString("\n")
		}
	}
	return s.String()
}

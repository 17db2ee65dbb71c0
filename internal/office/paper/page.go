package paper

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

// sheet is a paper as it is printed, in either format.
type sheet struct {
	Language         string
	Lender, Address  string // the head
	Title, Sub, Lead string
	Parties          []pair
	Summary          string // names the figures
	Figures          []pair
	Sections         []section
	Numbered         bool // the sections have numbers
	Contact          string
	Foot, Page       string // Page has {page} and {pages}
}

type pair struct{ Label, Value string }

// section is a part of a paper, with any of these.
type section struct {
	Heading string
	Table   *table
	List    []string
	Text    []string
	Sign    []pair // lines to sign on, some of them filled in
}

type table struct {
	Caption string
	Columns []column
	Rows    [][]cell
	Total   []cell
}

type cell struct{ Lines []string }

// align is the alignment of a column's text.
type align bool

const (
	left  align = false
	right align = true
)

type column struct {
	Name  string
	Align align
	Width float64 // share of the page
}

//go:embed page.html page.css
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"inc": func(i int) int { return i + 1 },
}).ParseFS(files, "page.html"))

// style is the sheet's own stylesheet, which is embedded in the page.
func style() (string, error) {
	b, err := files.ReadFile("page.css")
	return string(b), err
}

// Policy is the Content-Security-Policy with which a paper is served as a page: it allows
// the paper's own style, and nothing to run, load or be followed.
func Policy() string {
	text, err := style()
	if err != nil {
		panic("paper: " + err.Error()) // it is embedded
	}
	sum := sha256.Sum256([]byte(text))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// html writes the sheet as a page. The stylesheet contains no input and is embedded as is,
// between two marks that html/template does not process.
func (x sheet) html(w io.Writer) error {
	css, err := style()
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := page.Execute(&b, x); err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Replace(b.String(), "<style></style>", "<style>"+css+"</style>", 1))
	return err
}

package terminal

import (
	"io"

	"tenor/client"
)

// Paper is a document that the server also renders for people, as a page or as PDF.
type Paper struct {
	Format string `enum:"text,html,pdf" default:"text" help:"html or pdf: the document as the recipient gets it."`
	Out    string `short:"o" type:"path" placeholder:"FILE" help:"Output file; it must not exist."`
}

// Print writes the paper that get fetches, if one is requested; otherwise it reports false.
func (p Paper) Print(a *App, r *Remote, get func(api *client.Client, mediaType string, w io.Writer) error) (bool, error) {
	kind := map[string]string{"html": client.HTML, "pdf": client.PDF}[p.Format]
	if kind == "" || r.JSON {
		return false, nil
	}
	api, err := r.Connect(a)
	if err != nil {
		return true, err
	}
	return true, r.Write(a, p.Out, func(w io.Writer) error { return get(api, kind, w) })
}

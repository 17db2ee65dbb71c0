package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// completeTimeout is how long a key press waits for a server.
const completeTimeout = 2 * time.Second

// completeCommand tells shells what may follow at the cursor.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words before the cursor, and the word at the cursor."`
}

// Run is called by the parser. It prints only candidates, and never fails: a shell has nowhere to
// show an error.
func (c *completeCommand) Run(ctx context.Context, a *terminal.App, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	at := ""
	if len(words) > 0 {
		at, words = words[len(words)-1], words[:len(words)-1]
	}
	for _, x := range (completer{ctx, a}).candidates(k.Model.Node, words, at) {
		fmt.Fprintf(a.Out, "%s\t%s\n", terminal.Clean(x.Word), terminal.Clean(x.Note))
	}
	return nil
}

// completer finds candidates in the grammar, and asks a server for keys.
type completer struct {
	ctx context.Context
	a   *terminal.App
}

// candidates walks the grammar along the words of the line.
func (c completer) candidates(n *kong.Node, words []string, at string) []terminal.Candidate {
	var awaited *kong.Flag // the flag whose value comes next
	place := 0             // among the positional arguments
	for _, w := range words {
		name, _, given := strings.Cut(w, "=")
		switch {
		case w == "=": // bash treats it as a word of its own
		case awaited != nil:
			awaited = nil
		case strings.HasPrefix(w, "-") && len(w) > 1:
			if f := flagOf(n, name); f != nil && !f.IsBool() && !given {
				awaited = f
			}
		default:
			switch child := childOf(n, w); {
			case child != nil:
				n = child
			case len(n.Children) > 0:
				return nil // no such command
			default:
				place++
			}
		}
	}
	switch {
	case awaited != nil:
		at = strings.TrimPrefix(at, "=")
		return terminal.Begin(at, c.values(awaited.Value, at))
	case strings.HasPrefix(at, "-"):
		return c.flags(n, at)
	case len(n.Children) > 0:
		return terminal.Begin(at, children(n))
	case place < len(n.Positional):
		return terminal.Begin(at, c.values(n.Positional[place], at))
	}
	return nil
}

func flagOf(n *kong.Node, name string) *kong.Flag {
	for _, group := range n.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

func childOf(n *kong.Node, name string) *kong.Node {
	for _, child := range n.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

func children(n *kong.Node) []terminal.Candidate {
	var out []terminal.Candidate
	for _, child := range n.Children {
		if !child.Hidden {
			out = append(out, terminal.Candidate{Word: child.Name, Note: child.Help})
		}
	}
	return out
}

// flags returns the flags of a command, or the values of the flag before an equals sign.
func (c completer) flags(n *kong.Node, at string) []terminal.Candidate {
	if name, value, ok := strings.Cut(at, "="); ok {
		f := flagOf(n, name)
		if f == nil {
			return nil
		}
		var out []terminal.Candidate
		for _, x := range terminal.Begin(value, c.values(f.Value, value)) {
			out = append(out, terminal.Candidate{Word: name + "=" + x.Word, Note: x.Note})
		}
		return out
	}
	var out []terminal.Candidate
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			out = append(out, terminal.Candidate{Word: "--" + f.Name, Note: f.Help})
		}
	}
	slices.SortFunc(out, func(x, y terminal.Candidate) int { return cmp.Compare(x.Word, y.Word) })
	return terminal.Begin(at, out)
}

// values returns the possible values of an argument or a flag: those of its enum, or of the kind
// its tag names.
func (c completer) values(v *kong.Value, at string) []terminal.Candidate {
	kind := v.Tag.Get("complete")
	if v.Enum != "" {
		return terminal.Words(strings.Split(v.Enum, ",")...)
	}
	if list := terminal.FixedWords(kind); list != nil {
		if before, _, ok := terminal.CutLast(at, ","); ok { // a list: complete its last word
			for i := range list {
				list[i].Word = before + "," + list[i].Word
			}
		}
		return list
	}
	if kind == "" {
		return nil
	}
	return c.keys(kind)
}

// keys queries the server named by the environment. Without a token or a server there are no
// keys.
func (c completer) keys(kind string) []terminal.Candidate {
	r := terminal.Remote{URL: cmp.Or(c.a.Getenv("TENOR_URL"), "http://localhost:8080"), TokenFile: c.a.Getenv("TENOR_TOKEN_FILE")}
	quiet := *c.a
	quiet.ErrTerminal = false
	api, err := r.Connect(&quiet)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.a.Wait(completeTimeout))
	defer cancel()
	api.Retries = 0
	page := client.Paging{Limit: 50}
	switch kind {
	case "order":
		return found(api.ListOrders(ctx, client.OrderFilter{}, page))(func(o *client.Order) terminal.Candidate {
			return terminal.Candidate{Word: o.Key, Note: strings.TrimSpace(o.MerchantOrderID + " " + terminal.Dollars(o.Amount) + " " + o.Status)}
		})
	case "company":
		return found(api.ListCompanies(ctx, page))(func(x *client.Company) terminal.Candidate { return terminal.Candidate{Word: x.ID, Note: x.Name} })
	case "webhook":
		return found(api.ListWebhooks(ctx, page))(func(w *client.Webhook) terminal.Candidate { return terminal.Candidate{Word: w.ID, Note: w.URL} })
	case "merchant":
		return found(api.ListMerchants(ctx, page))(func(m *client.Merchant) terminal.Candidate { return terminal.Candidate{Word: m.ID, Note: m.Name} })
	}
	return nil
}

// found turns a page into candidates, and an error into none.
func found[T any](p *client.Page[T], err error) func(func(*T) terminal.Candidate) []terminal.Candidate {
	return func(of func(*T) terminal.Candidate) []terminal.Candidate {
		if err != nil {
			return nil
		}
		var out []terminal.Candidate
		for i := range p.Data {
			out = append(out, of(&p.Data[i]))
		}
		return out
	}
}

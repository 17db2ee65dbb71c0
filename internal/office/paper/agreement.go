package paper

import (
	"strings"

	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// agree makes an agreement from its words: a list of sections, some of them for certain
// orders only.
func agree(in Input, kind string) (sheet, error) {
	text, err := read(in.Language, kind)
	if err != nil {
		return sheet{}, err
	}
	keys, err := readKeys(in.Language, "disclosure", in.Disclosure.Template)
	if err != nil {
		return sheet{}, err
	}
	keys.values = figures(in)
	v := keys.values
	words := prose(text)
	s := sheet{
		Language: in.Language, Lender: in.Lender, Address: in.LenderAddress, Title: v.fill(words.keys["title"]), Sub: v.fill(words.keys["sub"]),
		Parties: parties(keys, in), Page: keys.find("page"), Foot: v.fill(words.keys["foot"]), Contact: keys.say("contact"), Numbered: true,
	}
	for _, part := range words.parts {
		if part.only != "" && !holds(part.only, in) {
			continue
		}
		x := section{Heading: v.fill(part.heading)}
		for _, p := range part.text {
			switch p { // sentences that the disclosure has in the same words
			case "{runs}":
				x.List = spans(keys, in)
			case "{late}":
				x.Text = append(x.Text, late(keys, in.Disclosure))
			case "{returned}":
				x.Text = append(x.Text, returned(keys, in.Disclosure))
			default:
				x.Text = append(x.Text, v.fill(p))
			}
		}
		s.Sections = append(s.Sections, x)
	}
	return s, nil
}

// holds reports whether a section applies to an order.
func holds(only string, in Input) bool {
	x := in.Disclosure
	switch only {
	case "autopay":
		return in.Autopay
	case "manual":
		return !in.Autopay
	case "charge":
		return x.FinanceCharge > 0
	case "free":
		return x.FinanceCharge == 0
	case "flat":
		return flat(x)
	case "interest":
		return x.FinanceCharge > 0 && !flat(x)
	}
	return false
}

func flat(x lending.Disclosure) bool { return x.FinanceCharge > 0 && x.Plan == schedule.FlatFee }

// written are the words of an agreement.
type written struct {
	keys  map[string]string
	parts []part
}

// part is one section of it.
type part struct {
	heading, only string
	text          []string
}

// prose parses an agreement: lines of key = words, then sections, one paragraph per line.
func prose(text string) written {
	w := written{keys: map[string]string{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch heading, begins := strings.CutPrefix(line, "== "); {
		case line == "" || strings.HasPrefix(line, "#"):
		case begins:
			p := part{heading: heading}
			if name, only, some := strings.Cut(heading, " ["); some {
				p.heading, p.only = name, strings.TrimSuffix(only, "]")
			}
			w.parts = append(w.parts, p)
		case len(w.parts) == 0:
			key, words, _ := strings.Cut(line, " = ")
			w.keys[key] = words
		default:
			last := &w.parts[len(w.parts)-1]
			last.text = append(last.text, line)
		}
	}
	return w
}

package buyer

import (
	"fmt"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/letter"
	"tenor/internal/ui/design"
)

// Letters format amounts, dates and words in their language.

func (w *writer) dollars(a money.Amount) string { return w.lang.Money(a) }

// date formats a date: Jan 5, 2026, or 5 de enero de 2026.
func (w *writer) date(d calendar.Date) string {
	if w.lang == design.English {
		return w.lang.Day(d)
	}
	return w.lang.LongDay(d)
}

func (w *writer) day(at time.Time) string { return w.date(w.d.Zone.Date(at)) }

// noted prefixes a letter in English, for a reader of another language, with a line that
// there is no other: no translation has been approved.
func (w *writer) noted(r letter.Rendered) (letter.Rendered, error) {
	words, err := letter.Speak(w.m.Language)
	if err != nil {
		return r, err
	}
	ask, _ := w.data["contact"].(string)
	if ask == "" {
		ask = fmt.Sprint(w.data["lender"])
	}
	return r.Note(words, ask), nil
}

// why is the reason why a payment was returned. A bank's return codes have a text in each
// language; a typed reason does not.
func (w *writer) why(f *credit.Failure) string {
	if f == nil {
		return w.words.Say("unpaid")
	}
	if text, ok := w.words.Find("return." + f.Code); ok {
		return text
	}
	if text := payments.Reason(f); text != "" && w.lang == design.English {
		return text
	}
	return w.words.Say("unpaid")
}

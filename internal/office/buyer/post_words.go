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

// Letters say amounts, dates and words in the language in which they are written.

func (w *writer) dollars(a money.Amount) string { return w.lang.Money(a) }

// date writes a date: Jan 5, 2026, or 5 de enero de 2026.
func (w *writer) date(d calendar.Date) string {
	if w.lang == design.English {
		return w.lang.Day(d)
	}
	return w.lang.LongDay(d)
}

func (w *writer) day(at time.Time) string { return w.date(w.d.Zone.Date(at)) }

// noted puts before a letter in English, for somebody who reads another language, that there is
// no other: nobody has approved a translation.
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

// why is why a payment came back. What a bank says by a return code has words in each language;
// what somebody has typed has not.
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

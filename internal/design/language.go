package design

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/calendar"
	"tenor/internal/money"
)

// Language is one that pages are written in: what stands in the lang attribute.
type Language string

// English is the language of the United States.
const English Language = "en-US"

// spoken are the words that parts say themselves. Pages bring their own.
var spoken = map[Language]map[string]string{
	English: {
		"skip":          "Skip to content",
		"error":         "Error:",
		"errors.one":    "One answer needs another look",
		"errors.many":   "{0} answers need another look",
		"number.2":      "Two",
		"number.3":      "Three",
		"number.4":      "Four",
		"number.5":      "Five",
		"number.6":      "Six",
		"number.7":      "Seven",
		"number.8":      "Eight",
		"number.9":      "Nine",
		"optional":      "(optional)",
		"steps":         "Steps",
		"step":          "Step {0} of {1}",
		"part":          "{0} of {1}",
		"order":         "Your order",
		"total":         "Total",
		"help":          "Help",
		"notes":         "Good to know",
		"questions":     "For business purchases. Questions?",
		"financing":     "Financing by {0}",
		"back":          "Back to the shop",
		"back.short":    "Back to shop",
		"change":        "Change",
		"change.what":   "Change: {0}",
		"copy":          "Copy",
		"copied":        "Copied",
		"copy.code":     "Copy the code",
		"json":          "JSON",
		"json.lines":    "{0} lines",
		"hits":          "Found pages",
		"menu":          "Menu",
		"menu.of":       "{0}, menu",
		"stepper":       "How many: {0}",
		"stepper.less":  "One less",
		"stepper.more":  "One more",
		"command":       "On the command line",
		"meter.used":    "{0} of {1} in use",
		"meter.held":    "{0} in use and {1} reserved of {2}",
		"months":        "January February March April May June July August September October November December",
		"months.short":  "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
		"date":          "{0} {1}, {2}",
		"sandbox":       "Sandbox",
		"sandbox.time":  "business time",
		"sandbox.money": "no real money",
	},
}

// say is a text, with values in the places of {0}, {1} and so on. A text that is not
// there says its key, which a test looks for.
func (l Language) say(key string, args ...any) string {
	text, found := spoken[l][key]
	if !found {
		return key
	}
	var pairs []string
	for i, a := range args {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(a))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// count is a text for one or for many; small numbers are words.
func (l Language) count(key string, n int) string {
	if n == 1 {
		return l.say(key + ".one")
	}
	if word, found := spoken[l]["number."+strconv.Itoa(n)]; found {
		return l.say(key+".many", word)
	}
	return l.say(key+".many", n)
}

// Money writes an amount: $1,200.00, with a minus sign before it.
func (l Language) Money(a money.Amount) string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	whole, cents, _ := strings.Cut(a.String(), ".")
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return sign + "$" + b.String() + "." + cents
}

// Day writes a date for tables and lists: Jan 5, 2026. No date is no text.
func (l Language) Day(d calendar.Date) string { return l.date("months.short", d) }

// LongDay writes a date for sentences: January 5, 2026. No date is no text.
func (l Language) LongDay(d calendar.Date) string { return l.date("months", d) }

func (l Language) date(months string, d calendar.Date) string {
	if d == calendar.None {
		return ""
	}
	year, month, day := d.Civil()
	return l.say("date", strings.Fields(l.say(months))[month-1], day, year)
}

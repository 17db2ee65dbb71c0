package design

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Language is a language of pages: the value of the lang attribute.
type Language string

// The languages of the United States that pages support.
const (
	English Language = "en-US"
	Spanish Language = "es-US"
)

// Languages returns the languages of the parts, the default first.
func Languages() []Language { return []Language{English, Spanish} }

// spoken are the words built into parts. Pages bring their own.
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
		"code.all":      "Show all",
		"json":          "JSON",
		"json.lines":    "{0} lines",
		"hits":          "Found pages",
		"menu":          "Menu",
		"menu.of":       "{0}, menu",
		"stepper":       "How many: {0}",
		"bars.table":    "As a table",
		"stepper.less":  "One less",
		"stepper.more":  "One more",
		"command":       "On the command line",
		"meter.used":    "{0} of {1} in use",
		"meter.held":    "{0} in use and {1} reserved of {2}",
		"months":        "January February March April May June July August September October November December",
		"months.short":  "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
		"date":          "{0} {1}, {2}",
		"date.short":    "{0} {1}, {2}",
		"sandbox":       "Sandbox",
		"sandbox.time":  "business time",
		"sandbox.money": "no real money",
	},
	Spanish: {
		"skip":          "Saltar al contenido",
		"error":         "Error:",
		"errors.one":    "Una respuesta necesita otra revisión",
		"errors.many":   "{0} respuestas necesitan otra revisión",
		"number.2":      "Dos",
		"number.3":      "Tres",
		"number.4":      "Cuatro",
		"number.5":      "Cinco",
		"number.6":      "Seis",
		"number.7":      "Siete",
		"number.8":      "Ocho",
		"number.9":      "Nueve",
		"optional":      "(opcional)",
		"steps":         "Pasos",
		"step":          "Paso {0} de {1}",
		"part":          "{0} de {1}",
		"order":         "Su pedido",
		"total":         "Total",
		"help":          "Ayuda",
		"notes":         "Conviene saber",
		"questions":     "Para compras de empresas. ¿Preguntas?",
		"financing":     "Financiamiento de {0}",
		"back":          "Volver a la tienda",
		"back.short":    "A la tienda",
		"change":        "Cambiar",
		"change.what":   "Cambiar: {0}",
		"copy":          "Copiar",
		"copied":        "Copiado",
		"copy.code":     "Copiar el código",
		"code.all":      "Mostrar todo",
		"json":          "JSON",
		"json.lines":    "{0} líneas",
		"hits":          "Páginas encontradas",
		"menu":          "Menú",
		"menu.of":       "{0}, menú",
		"stepper":       "Cantidad: {0}",
		"bars.table":    "En una tabla",
		"stepper.less":  "Uno menos",
		"stepper.more":  "Uno más",
		"command":       "En la línea de comandos",
		"meter.used":    "{0} de {1} en uso",
		"meter.held":    "{0} en uso y {1} reservados de {2}",
		"months":        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"months.short":  "ene feb mar abr may jun jul ago sep oct nov dic",
		"date":          "{1} de {0} de {2}",
		"date.short":    "{1} {0} {2}",
		"sandbox":       "Entorno de prueba",
		"sandbox.time":  "hora comercial",
		"sandbox.money": "sin dinero real",
	},
}

// say returns a text, with values in place of {0}, {1} and so on. A missing text returns its key,
// which a test looks for.
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

// count returns a text for one or for many; small numbers are spelled out.
func (l Language) count(key string, n int) string {
	if n == 1 {
		return l.say(key + ".one")
	}
	if word, found := spoken[l]["number."+strconv.Itoa(n)]; found {
		return l.say(key+".many", word)
	}
	return l.say(key+".many", n)
}

// Money formats an amount: $1,200.00, with a leading minus sign. It is the same in both languages
// of the United States.
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

// Day formats a date for tables and lists: Jan 5, 2026 or 5 ene 2026. No date is an empty text.
func (l Language) Day(d calendar.Date) string { return l.date("date.short", "months.short", d) }

// LongDay formats a date for sentences: January 5, 2026 or 5 de enero de 2026. No date is an
// empty text.
func (l Language) LongDay(d calendar.Date) string { return l.date("date", "months", d) }

func (l Language) date(form, months string, d calendar.Date) string {
	if d == calendar.None {
		return ""
	}
	year, month, day := d.Civil()
	return l.say(form, strings.Fields(l.say(months))[month-1], day, year)
}

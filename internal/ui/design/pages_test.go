package design

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// The pages below consist of parts only, with fictional texts and figures.

// view is the data of a test page. Each template knows its own members.
type view map[string]any

func usd(text string) money.Amount { return money.MustParse(text) }

func shell(a Assets, step int, title string) Checkout {
	return Checkout{
		Page: Page{Title: title, Site: "Harbor Supply", Assets: a}, Merchant: "Harbor Supply", Lender: "Example Lender",
		Back: "/c/T/leave", Help: "/c/T/help", Steps: []string{"E-mail", "Your business", "Terms", "Repayment", "Accept"}, Step: step,
		Order: &Order{At: "Harbor Supply", Total: usd("1200.00"), Lines: []Line{
			{"Convection oven", "1 × $1,050.00", usd("1050.00")}, {"Shipping", "", usd("60.00")}, {"Tax", "", usd("90.00")},
		}},
	}
}

func acts(text, back string) []Button {
	return []Button{{Text: text, Emphasis: Primary}, {Text: back, Emphasis: Ghost, Href: "/c/T/back"}}
}

// dates is a schedule with six payments.
func dates() Table {
	t := Table{Caption: "All payment dates", Columns: []Column{{Text: "Due"}, {Text: "Principal", Number: true}, {Text: "Charge", Number: true}, {Text: "Payment", Number: true}}}
	for i, r := range [][3]string{{"195.06", "12.00", "207.06"}, {"197.01", "10.05", "207.06"}, {"198.98", "8.08", "207.06"}, {"200.97", "6.09", "207.06"}, {"202.98", "4.08", "207.06"}, {"205.00", "2.05", "207.05"}} {
		cells := []Cell{{Text: English.Day(calendar.MustParse("2026-02-15").AddMonths(i))}}
		for _, a := range r {
			cells = append(cells, Cell{Text: English.Money(usd(a))})
		}
		t.Rows = append(t.Rows, Row{cells})
	}
	return t
}

func terms(a Assets) view {
	return view{
		"Shell": shell(a, 3, "Choose your terms"),
		"Title": Title{Text: "Choose how to repay $1,200.00", Lead: "Alder Kitchens is approved for up to $25,000.00. Nothing is due today."},
		"Plans": Choices{Name: "plan", Legend: "Terms", LegendHidden: true, Choices: []Choice{
			{Value: "net30", Text: "Net 30", Detail: "One payment on February 14, 2026", Figure: "$1,200.00", Cost: "Finance charge $0.00 · APR 0.00%"},
			{Value: "3", Text: "3 monthly payments", Detail: "First on February 15, 2026", Figure: "$408.03", Per: "a month", Cost: "Finance charge $24.08 · total $1,224.08 · APR 12.00%"},
			{Value: "6", Text: "6 monthly payments", Detail: "First on February 15, 2026", Figure: "$207.06", Per: "a month", Cost: "Finance charge $42.35 · total $1,242.35 · APR 12.00%"},
		}},
		"Dates": dates(), "Acts": acts("Continue", "Back"),
	}
}

func accept(a Assets) view {
	s := shell(a, 5, "Check and accept")
	s.Notices = []Notice{{Icon: "calendar-days", Title: "Nothing is due today", Text: "First payment of $207.06 on February 15, 2026"}}
	return view{
		"Shell":       s,
		"Title":       Title{Text: "Check and accept", Lead: "Your order is placed when you press the button at the end, not before."},
		"AnswersHead": Heading{ID: "answers", Text: "Your answers"}, "CostHead": Heading{ID: "cost", Text: "What this financing costs"}, "AgreementHead": Heading{ID: "agreement", Text: "Agreement"},
		"Answers": []Answer{
			{"Business", "Alder Kitchens LLC", "27 Cannery Street, Portland, OR 97209", "/c/T/business"},
			{"You", "Avery Alder, owner", "avery@alderkitchens.example", "/c/T/you"},
			{"Terms", "6 monthly payments of $207.06", "February 15 to July 15, 2026", "/c/T/terms"},
			{"Repayment", "Autopay from checking ••6789", "First Example Bank", "/c/T/repay"},
		},
		"Figures": []Figure{{"Finance charge", "$42.35", "the cost in dollars"}, {"APR", "12.00%", "the cost as a yearly rate"}, {"Total of payments", "$1,242.35", "after all 6 payments"}},
		"Facts": []Fact{
			{"Funding provided", "Paid in full to Harbor Supply", "$1,200.00"}, {"Payments", "5 monthly payments, from February 15, 2026", "$207.06"}, {"Last payment", "July 15, 2026", "$207.05"},
			{"Paying early", "Allowed at any time and free. Charges of months not yet begun are not owed.", ""},
			{"Fees you can avoid", "Late: 5% of the payment, at most $25.00, after 10 days. Returned by your bank: $25.00.", ""},
			{"Collateral", "None. No personal guarantee.", ""},
		},
		"Dates":     dates(),
		"Agreement": Document{"Business financing agreement", "/c/T/agreement", "Version 3 · 4 pages", &Link{Text: "PDF", Href: "/c/T/agreement.pdf"}},
		"Name":      Field{Name: "name", Label: "Type your full name", Hint: "This is your signature for Alder Kitchens LLC.", Autocomplete: "name", Required: true, Width: TwoThirds},
		"Agree":     Check{Name: "agree", Text: "I have read and agree to the financing agreement and the costs above.", Required: true},
		"Acts":      acts("Accept and place order – $1,200.00", "Back"),
		"Mailed":    "We mail a copy of everything on this page to avery@alderkitchens.example.",
	}
}

func business(a Assets) view {
	s := shell(a, 2, "Your business")
	s.Failed = true
	s.Notices = []Notice{{Icon: "lock", Title: "Why we ask", Text: "Lenders must know who they lend to. Harbor Supply sees the decision, not these answers."}}
	entity := []Option{{"SOLE", "Sole proprietor"}, {"PARTNERSHIP", "Partnership"}, {"LLC", "LLC"}, {"CORPORATION", "Corporation"}, {"NONPROFIT", "Nonprofit"}}
	fields := []Field{
		{Name: "legal_name", Label: "Legal name", Hint: "As on your tax papers", Value: "Alder Kitchens LLC", Autocomplete: "organization"},
		{Name: "trading_name", Label: "Trading name", Value: "Alder Kitchens", Optional: true, Width: Half},
		{Name: "entity", Label: "Entity type", Value: "LLC", Options: entity, Width: Half},
		{Name: "ein", Label: "EIN", Hint: "9 digits; dashes and spaces are fine", Value: "84-31907", Error: "Enter a 9-digit EIN, like 12-3456789", InputMode: "numeric", Autocomplete: "off", Digits: true, Width: Half},
		{Name: "revenue", Label: "Annual revenue", Hint: "Before costs, last full year", Error: "Enter last year’s revenue, like 250,000", Prefix: "$", InputMode: "decimal", Digits: true, Width: Half},
	}
	formed := Set{ID: "formed", Legend: "Formed", Width: Half, Fields: []Field{
		{Name: "formed_month", Label: "Month", Value: "3", Options: []Option{{"2", "February"}, {"3", "March"}}, Width: TwoThirds},
		{Name: "formed_year", Label: "Year", Value: "2019", InputMode: "numeric", Max: 4, Digits: true, Width: Third},
	}}
	parts := []Faulty{formed}
	for _, f := range fields {
		parts = append(parts, f)
	}
	return view{
		"Shell": s, "Title": Title{Text: "Your business", Lead: "About 3 minutes. You need your EIN. Your answers are kept if you leave.", Part: 1, Parts: 4},
		"Summary": Summarize(parts...), "Business": fields, "Formed": formed,
		"Formation": []Field{
			{Name: "state_of_formation", Label: "State of formation", Value: "OR", Options: []Option{{"OR", "Oregon"}, {"WA", "Washington"}}, Width: Half},
			{Name: "industry", Label: "Industry", Hint: "Search, or your own words", Value: "Restaurants and catering"},
		},
		"Place": []Field{
			{Name: "street", Label: "Street address", Value: "27 Cannery Street", Autocomplete: "address-line1"},
			{Name: "city", Label: "City", Value: "Portland", Autocomplete: "address-level2", Width: Half},
			{Name: "state", Label: "State", Value: "OR", Autocomplete: "address-level1", Options: []Option{{"OR", "OR"}, {"WA", "WA"}}, Width: Sixth},
			{Name: "zip", Label: "ZIP code", Value: "97209", Autocomplete: "postal-code", InputMode: "numeric", Digits: true, Width: Third},
			{Name: "phone", Label: "Phone", Value: "(503) 555-0142", Type: "tel", Autocomplete: "tel", InputMode: "tel", Digits: true, Width: Half},
		},
		"Acts": acts("Continue", "Back"),
	}
}

func approved(a Assets) view {
	return view{
		"Shell": shell(a, 2, "Approved"),
		"Outcome": Outcome{
			Badge: Badge{Good, "Approved"}, Title: "Alder Kitchens has a line of", Figure: "$25,000.00",
			Text:  "Use it for this order and for later ones at Harbor Supply. The line itself costs nothing; you pay only for orders that you finance.",
			Meter: &Meter{Used: usd("1200.00"), Limit: usd("25000.00"), Figures: []Figure{{"This order", "$1,200.00", ""}, {"Left after this order", "$23,800.00", ""}}},
		},
		"NextHead": Heading{ID: "next", Text: "What happens now"},
		"Next": []Next{
			{"Choose how to repay", "Net 30, or 3 or 6 monthly payments, each with its full cost."},
			{"Choose the account you repay from", "Autopay, or pay each time yourself."},
			{"Check everything and accept", "Only then is your order placed."},
		},
		"Acts": []Button{{Text: "Choose how to repay", Emphasis: Primary, Href: "/c/T/terms"}, {Text: "Back to the shop", Emphasis: Ghost, Href: "/c/T/leave"}},
		"Open": "This offer is open until February 14, 2026. We mailed this decision to avery@alderkitchens.example.",
	}
}

func inReview(a Assets) view {
	return view{"Shell": shell(a, 2, "In review"), "Next": nil, "Outcome": Outcome{
		Badge: Badge{Warn, "In review"}, Title: "You hear from us by 5 pm Eastern tomorrow",
		Text:   "A person is looking at your application. Your cart is kept for 7 days, and nothing is charged.",
		Points: []Point{{"mail", "We write to avery@alderkitchens.example"}, {"upload", "A bank statement makes it faster"}},
		Acts:   []Button{{Text: "Add a bank statement", Emphasis: Primary, Href: "/c/T/papers"}, {Text: "Back to the shop", Emphasis: Ghost, Href: "/c/T/leave"}},
	}}
}

func declined(a Assets) view {
	s := shell(a, 0, "Not approved")
	s.Banner = &Banner{Time: "Jan 5, 2026 09:00", Link: Link{Text: "move the clock", Href: "/sandbox"}}
	return view{"Shell": s, "Next": nil, "Outcome": Outcome{
		Badge: Badge{Calm, "Not approved"}, Title: "We cannot offer a line at this time",
		Text:   "We write to you within 30 days with the reasons. You can pay for this order in another way; your cart is kept.",
		Points: []Point{{"mail", "The letter goes to avery@alderkitchens.example"}, {"lock", "Harbor Supply never sees your personal data"}},
		Acts:   []Button{{Text: "Back to the shop", Emphasis: Primary, Href: "/c/T/leave"}, {Text: "Help", Emphasis: Ghost, Href: "/c/T/help"}},
	}}
}

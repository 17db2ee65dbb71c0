package design

// sink shows every part that the pages of a checkout do not use, each in all its states.
func sink(a Assets) view {
	tabs := []Link{{Text: "Home", Href: "/a", Here: true}, {Text: "Orders", Href: "/a/orders"}, {Text: "Payments", Href: "/a/payments"}, {Text: "Statements", Href: "/a/statements"}, {Text: "People", Href: "/a/people"}}
	offer := &Inset{"6 × $207.06", "a month", "12.00% APR · finance charge $42.35 · total $1,242.35", "For business purchases, subject to approval.", &Link{Text: "Terms", Href: "/terms"}}
	columns := []Column{{Text: "Order"}, {Text: "Terms", From: "lg"}, {Text: "Amount", Number: true, From: "md"}, {Text: "Remaining", Number: true}, {Text: "State", From: "sm"}}
	row := func(key, what, terms, amount, remaining string, b Badge) Row {
		return Row{[]Cell{{Text: key, Detail: what, Href: "/a/orders/" + key}, {Text: terms}, {Text: amount}, {Text: remaining, Strong: true}, {Badge: &b}}}
	}
	return view{
		"Shell": App{
			Page: Page{Title: "Every part", Site: "Tenor", Script: true, Assets: a}, Brand: Brand{Name: "Example Lender", Sub: "Your account", Href: "/a"},
			Nav: "Account", Tabs: tabs, Links: []Link{{Text: "Start", Href: "/", Here: true}, {Text: "Shop", Href: "/shop"}, {Text: "Docs", Href: "/docs"}},
			Acts: []Button{{Text: "Cart", Href: "/cart", Icon: "shopping-cart", Tag: "1", Small: true}}, Banner: &Banner{Time: "Jan 5, 2026 09:00", Link: Link{Text: "move the clock", Href: "/sandbox"}},
			Help: Sentence{"Questions about an order or a debit?", []Link{{Text: "Help", Href: "/help"}, {Text: "Notices", Href: "/notices"}, {Text: "Dispute a charge", Href: "/dispute"}}},
		},
		"Title": Title{Text: "Alder Kitchens", Lead: "Wednesday, March 4, 2026", Link: &Link{Text: "Keep shopping", Href: "/shop"}},
		"Notices": []Notice{
			{Tone: Bad, Heading: "due", Figure: "$505.00", Badge: &Badge{Bad, "5 days past due"}, Text: "PO-7702: $480.00 and a returned-payment fee of $25.00. Your bank returned the debit of February 27 (not enough funds). We try again on March 6; after March 9 a late fee of $24.00 is added.", Act: &Button{Text: "Pay $505.00", Emphasis: Primary, Href: "/pay"}},
			{Tone: Good, Icon: "circle-check", Title: "Your payment is recorded", Text: "$207.06 for PO-7781.", Spoken: Status},
			{Tone: Warn, Icon: "triangle-alert", Title: "Two minutes left", Text: "Your answers are kept.", Spoken: Alert, Links: []Link{{Text: "Stay here", Href: "/stay"}}, Act: &Button{Text: "Give me more time"}},
			{Icon: "clock", Text: "A notice without a title."},
		},
		"Figure": Figure{"Available to spend", "$19,538.18", "of $25,000.00"}, "Next": Figure{"Next payment", "$207.06", "PO-7781, due Sunday, March 15. Debited Monday, March 16."},
		"Meter": Meter{Used: usd("3311.82"), Held: usd("2150.00"), Limit: usd("25000.00"), Figures: []Figure{{"In use", "$3,311.82", ""}, {"Reserved", "$2,150.00", ""}}, Legend: true},
		"Many":  []Figure{{"Outstanding principal", "$32,679.38", "19 orders"}, {"Due in 7 days", "$1,021.58", "2 installments"}, {"Past due", "$15,438.11", "47.2 % of principal"}, {"Credit in use", "2.2 %", "$1,100.00 of $50,250.00"}, {"Owed to merchants", "$0.00", ""}},
		"Bars": Bars{ID: "cash", Title: "Cash by week", Lead: "Expected collections after what came in", Axis: []string{"3k", "2k", "1k", "0"}, Open: true, Bars: []Bar{
			{"Dec 22", "Week from Dec 22: $715.76 received", 240, "/ledger", true, true}, {"Dec 29", "Week from Dec 29: $2,671.29 received", 890, "/ledger", true, false}, {"Jan 5", "Week from Jan 5: $992.53 expected", 330, "/due", false, false},
		}, Table: Table{Caption: "Cash in numbers", Columns: []Column{{Text: "Week from"}, {Text: "Due", Number: true}}, Rows: []Row{{[]Cell{{Text: "Jan 5, 2026", Href: "/due"}, {Text: "$1,021.58"}}}}}},
		"Bands": Bands{"delinquency", "Delinquency", "Principal by days past due", []Band{
			{"Current", "12 orders", "$17,241.27", "/a", 528, 0}, {"1–29 days", "1 order", "$2,333.34", "/b", 71, 1}, {"30–59 days", "no orders", "$0.00", "/c", 0, 2}, {"60–89 days", "no orders", "$0.00", "/d", 0, 3}, {"120+ days", "6 orders", "$13,104.77", "/e", 401, 5},
		}},
		"OrdersHead": Heading{ID: "orders", Text: "Orders", Link: &Link{Text: "All 11 orders", Href: "/a/orders"}, Badge: &Badge{Good, "On"}}, "NoneHead": Heading{ID: "none", Text: "Nothing yet"}, "FormsHead": Heading{ID: "forms", Text: "Forms"},
		"Orders": Table{Caption: "Orders", Columns: columns, Rows: []Row{
			row("PO-7819", "Griddle and stand", "3 payments", "$2,150.00", "–", Badge{Calm, "Not shipped"}),
			row("PO-7781", "Convection oven", "6 payments, 1 paid", "$1,200.00", "$1,035.29", Badge{Good, "On time"}),
			row("PO-7702", "Sheet pans", "Net 30", "$480.00", "$505.00", Badge{Bad, "5 days past due"}),
		}, Foot: []Cell{{Text: "Still to pay"}, {}, {}, {Text: "$1,540.29"}, {}}},
		"NoOrders": Table{Caption: "Orders", Columns: columns, Empty: &Empty{"No order has been placed yet.", &Button{Text: "Open the shop", Emphasis: Primary, Href: "/shop"}, "tenor orders create --file order.json"}},
		"Timeline": Timeline{[]Entry{
			{Icon: "circle-check", Tone: Good, Text: "Installment 1 paid", Detail: "PO-7781 · $207.06 settled", Time: "Feb 17 · 08:31", Instant: "2026-02-17"},
			{Icon: "send", Text: "ACH file sent", Detail: "1 debit, $207.06", Time: "Feb 13 · 16:00", Instant: "2026-02-13"},
			{Gap: "clock moved 43 days"},
			{Icon: "circle-alert", Tone: Bad, Text: "Debit returned", Time: "Jan 6 · 09:00", Instant: "2026-01-06"},
			{Icon: "triangle-alert", Tone: Warn, Text: "Payment due in 5 days", Time: "Jan 5 · 09:02", Instant: "2026-01-05"},
		}},
		"Key": Key{ID: "api-key", Label: "API key", Value: "tnr_test_0000000000000000"}, "Command": "tenor clock advance 30d\ntenor mail --follow",
		"Badges":  []Badge{{Good, "passed"}, {Warn, "waiting"}, {Bad, "failed"}, {"", "not run"}},
		"Address": Address{"truck", "Alder Kitchens LLC", []string{"27 Cannery Street", "Portland, OR 97209"}, "/address", "address"},
		"Pay": Choices{Name: "pay", Legend: "Payment", Error: "Choose how to pay", Choices: []Choice{
			{Value: "card", Text: "Card", Detail: "Visa, Mastercard, American Express", Icon: "credit-card"},
			{Value: "ach", Text: "Bank transfer", Detail: "Not for this cart", Icon: "landmark", Disabled: true},
			{Value: "later", Text: "Pay over time", Detail: "Net 30, or 3 or 6 monthly payments. Nothing due today.", Icon: "calendar-days", Chosen: true, Inset: offer},
		}},
		"Fields": []Field{
			{Name: "mail", Label: "Work e-mail", Type: "email", Autocomplete: "email", InputMode: "email", Value: "avery@alderkitchens.example", Required: true, Width: TwoThirds},
			{Name: "code", Label: "Code", Hint: "Six digits from our mail", Autocomplete: "one-time-code", InputMode: "numeric", Max: 6, Digits: true, Unspelled: true, Width: Third},
			{Name: "paper", Label: "Bank statement", Type: "file", Width: Half},
			{Name: "until", Label: "Until", Type: "date", Value: "2026-03-04", Width: Half},
			{Name: "why", Label: "Why", Rows: 3, Max: 500, Optional: true, Error: "Say it in a few words"},
			{Name: "kind", Label: "Kind", Options: []Option{{"", "Choose one"}, {"a", "First"}}, Error: "Choose one", Width: Half},
		},
		"Set":       Set{ID: "born", Legend: "Date of birth", Hint: "Only who applies", Error: "Enter a day of the past", Width: Half, Fields: []Field{{Name: "born_month", Label: "Month", Width: Third, Error: "Month"}, {Name: "born_day", Label: "Day", Width: Third}, {Name: "born_year", Label: "Year", Width: Third}}},
		"Checks":    []Check{{Name: "apply", Text: "I may apply for Alder Kitchens LLC.", Ticked: true}, {Name: "consent", Text: "I agree to a soft credit check.", Detail: "It does not change a score.", Error: "Agree to go on", Link: &Link{Text: "What is read", Href: "/checks"}}},
		"Stepper":   Stepper{Of: "Convection oven", Count: 12, Name: "act", Less: "less", More: "more"},
		"Outside":   Button{Text: "Send the form above", Form: "sink-form", Name: "act", Value: "outside"},
		"Mode":      Field{Name: "mode", Label: "How it opens", LabelHidden: true, Form: "sink-form", Options: []Option{{"redirect", "Open by redirect"}, {"link", "Send a link"}}},
		"Acts":      []Button{{Text: "Pay $207.06", Emphasis: Primary}, {Text: "Save"}, {Text: "Take back", Emphasis: Danger, Name: "act", Value: "back"}, {Text: "Not now", Emphasis: Ghost}, {Text: "Wait", Emphasis: Primary, Disabled: true}},
		"SmallActs": []Button{{Text: "Run", Icon: "play", Small: true}, {Text: "Reset…", Icon: "rotate-ccw", Small: true}, {Text: "As wide as it can be", Full: true}},
	}
}

package sandboxui

import "time"

// moveClock does what the bar requests, and redirects back.
func (s *Screens) moveClock(v *visit) {
	back := inner(v.r.PostForm.Get("back"))
	verb, body := "advance", map[string]any{}
	switch act := v.r.PostForm.Get("act"); act {
	case "freeze", "resume":
		verb = act
	case "next":
		body["until"] = "next_event"
	case "to":
		day, err := time.ParseInLocation(time.DateOnly, v.r.PostForm.Get("to"), s.config.Zone)
		if err != nil {
			v.goTo(back, &notice{Bad: true, Text: s.say("clock.date")})
			return
		}
		now := v.now.In(s.config.Zone)
		body["to"] = day.Add(time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute).UTC().Format(time.RFC3339)
	case "day", "week", "month":
		days := map[string]int{"day": 1, "week": 7, "month": 30}[act]
		body["duration"] = (time.Duration(days) * 24 * time.Hour).String()
	default:
		v.goTo(back, &notice{Bad: true, Text: s.say("clock.unknown")})
		return
	}
	if err := v.post(pathOf("sandbox", "clock", verb), body, nil); err != nil {
		v.failedForm(back, err)
		return
	}
	v.goTo(back, &notice{Text: s.say("clock." + verb)})
}

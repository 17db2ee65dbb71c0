package screens

import "time"

// moveClock does what the bar asks for, and leads back.
func (s *Screens) moveClock(v *visit) {
	back := inner(v.r.PostForm.Get("back"))
	verb, body := "advance", map[string]any{}
	switch act := v.r.PostForm.Get("act"); act {
	case "freeze", "resume":
		verb = act
	case "next":
		body["until"] = "next_event"
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

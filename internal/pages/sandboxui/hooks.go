package sandboxui

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/ui/design"
)

// receiver is a receiver as returned by the API.
type receiver struct {
	Name       string   `json:"name"`
	URL        string   `json:"url"`
	Behavior   string   `json:"behavior"`
	RetryAfter *int     `json:"retry_after"`
	Times      *int     `json:"times"`
	WebhookIDs []string `json:"webhook_ids"`
	Kept       int      `json:"kept"`
}

// received is a delivery as returned by the API.
type received struct {
	ID         string    `json:"id"`
	ReceivedAt time.Time `json:"received_at"`
	Behavior   string    `json:"behavior"`
	EventID    string    `json:"event_id"`
	EventType  string    `json:"event_type"`
	Headers    []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"headers"`
	Body  string `json:"body"`
	Size  int64  `json:"size"`
	Check struct {
		Verdict string      `json:"verdict"`
		Steps   []checkStep `json:"steps"`
	} `json:"check"`
}

// checkStep is one step of a check.
type checkStep struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"`
	Value string `json:"value"`
}

// list is a list of the API.
type list[T any] struct {
	Data []T `json:"data"`
}

// behaviors are the possible behaviors of a receiver, with texts for people.
func (s *Screens) behaviors() []choice {
	var all []choice
	for _, b := range []string{"accept", "fail", "gone", "redirect", "busy", "slow", "time_out", "lose_response"} {
		all = append(all, choice{b, s.say("behavior." + b)})
	}
	return all
}

// choice is a value in a list with its text.
type choice struct{ Value, Text string }

// words returns a behavior's text.
func (s *Screens) words(behavior string) string {
	for _, b := range s.behaviors() {
		if b.Value == behavior {
			return b.Text
		}
	}
	return behavior
}

// hooksView is the page of all receivers.
type hooksView struct {
	Receivers []receiverRow
	Name      string // as entered
	Address   string // of a receiver, before its name
}

type receiverRow struct {
	receiver
	Path, Words string
	Ends, Held  string // how many endpoints send to it, and how many deliveries it has stored
}

func (s *Screens) receiverRow(r receiver) receiverRow {
	return receiverRow{r, hookPath(r.Name), s.words(r.Behavior), s.many("hooks.ends", len(r.WebhookIDs)), s.many("hooks.held", r.Kept)}
}

func (s *Screens) hooksPage(v *visit) {
	var all list[receiver]
	if err := v.get(pathOf("sandbox", "receivers"), &all); err != nil {
		v.refused(err)
		return
	}
	m := hooksView{Name: v.kept("name", ""), Address: s.config.BaseURL + "/sandbox/receive/"}
	for _, r := range all.Data {
		m.Receivers = append(m.Receivers, s.receiverRow(r))
	}
	v.page("hooks", frame{Title: s.say("hooks.title"), Path: "/sandbox/webhooks", Main: m})
}

func hookPath(name string, more ...string) string {
	path := "/sandbox/webhooks/" + url.PathEscape(name)
	for _, m := range more {
		path += "/" + url.PathEscape(m)
	}
	return path
}

// makeReceiver creates an endpoint that sends to a receiver.
func (s *Screens) makeReceiver(v *visit) {
	name := strings.TrimSpace(v.r.PostForm.Get("name"))
	// The receiver itself knows which names are allowed.
	if err := v.post(pathOf("sandbox", "receivers", name), map[string]any{"behavior": "accept"}, nil); err != nil {
		v.failedForm("/sandbox/webhooks", err)
		return
	}
	body := map[string]any{"url": s.config.BaseURL + "/sandbox/receive/" + url.PathEscape(name), "description": "receiver of the sandbox"}
	if err := v.post(pathOf("webhooks"), body, nil); err != nil {
		v.failedForm("/sandbox/webhooks", err)
		return
	}
	v.goTo(hookPath(name), &notice{Text: s.say("hooks.made")})
}

// hookView is the page of one receiver.
type hookView struct {
	Receiver   receiverRow
	Behaviors  []choice
	Behavior   string // chosen
	RetryAfter string
	Times      string
	Waiting    []waitingRow
	Deliveries []deliveryRow
}

// waitingRow is a delivery waiting for its next attempt.
type waitingRow struct {
	ID, Type, Event string
	Attempts        int
	Next            moment
	Error           string
}

// deliveryRow is a received delivery.
type deliveryRow struct {
	Path, Type, Event string
	At                moment
	Answered          string
	Verdict           string
}

// hook reads the receiver from a page's address; false: a response was sent.
func (v *visit) hook() (receiver, bool) {
	name := v.r.PathValue("name")
	var all list[receiver]
	if err := v.get(pathOf("sandbox", "receivers"), &all); err != nil {
		v.refused(err)
		return receiver{}, false
	}
	for _, r := range all.Data {
		if r.Name == name {
			return r, true
		}
	}
	v.screens.failure(v.w, v.r, http.StatusNotFound)
	return receiver{}, false
}

func (s *Screens) hookPage(v *visit) {
	r, found := v.hook()
	if !found {
		return
	}
	var got list[received]
	if err := v.get(pathOf("sandbox", "receivers", r.Name, "deliveries"), &got); err != nil {
		v.refused(err)
		return
	}
	m := hookView{Receiver: s.receiverRow(r), Behaviors: s.behaviors(), Behavior: v.kept("behavior", r.Behavior), RetryAfter: "30", Times: "0"}
	if r.RetryAfter != nil {
		m.RetryAfter = strconv.Itoa(*r.RetryAfter)
	}
	if r.Times != nil {
		m.Times = strconv.Itoa(*r.Times)
	}
	m.RetryAfter, m.Times = v.kept("retry_after", m.RetryAfter), v.kept("times", m.Times)
	for _, d := range got.Data {
		m.Deliveries = append(m.Deliveries, deliveryRow{hookPath(r.Name, d.ID), d.EventType, d.EventID, s.wall(d.ReceivedAt), s.words(d.Behavior), d.Check.Verdict})
	}
	var err error
	if m.Waiting, err = s.waiting(v, r); err != nil {
		v.refused(err)
		return
	}
	v.page("hook", frame{Title: s.say("hook.title", r.Name), Path: "/sandbox/webhooks", Main: m})
}

// waiting lists deliveries waiting for their next attempt at a receiver's endpoints.
func (s *Screens) waiting(v *visit, r receiver) ([]waitingRow, error) {
	var rows []waitingRow
	for _, id := range r.WebhookIDs {
		var all list[struct {
			ID            string     `json:"id"`
			EventID       string     `json:"event_id"`
			EventType     string     `json:"event_type"`
			AttemptsMade  int        `json:"attempts_made"`
			NextAttemptAt *time.Time `json:"next_attempt_at"`
			LastError     string     `json:"last_error"`
		}]
		if err := v.get(pathOf("webhooks", id, "deliveries")+"?state=PENDING&limit=50", &all); err != nil {
			return nil, err
		}
		for _, d := range all.Data {
			row := waitingRow{ID: d.ID, Type: d.EventType, Event: d.EventID, Attempts: d.AttemptsMade, Error: d.LastError}
			if d.NextAttemptAt != nil {
				row.Next = s.wall(*d.NextAttemptAt)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// tellReceiver sets how a receiver responds.
func (s *Screens) tellReceiver(v *visit) {
	name, form := v.r.PathValue("name"), v.r.PostForm
	body := map[string]any{"behavior": form.Get("behavior")}
	for _, number := range []string{"retry_after", "times"} {
		if n, err := strconv.Atoi(strings.TrimSpace(form.Get(number))); err == nil {
			body[number] = n
		}
	}
	if err := v.post(pathOf("sandbox", "receivers", name), body, nil); err != nil {
		v.failedForm(hookPath(name), err)
		return
	}
	v.goTo(hookPath(name), &notice{Text: s.say("hook.told", s.words(form.Get("behavior")))})
}

// testReceiver sends the endpoints of a receiver a test event.
func (s *Screens) testReceiver(v *visit) {
	r, found := v.hook()
	if !found {
		return
	}
	for _, id := range r.WebhookIDs {
		if err := v.post(pathOf("webhooks", id, "test"), nil, nil); err != nil {
			v.failedForm(hookPath(r.Name), err)
			return
		}
	}
	v.goTo(hookPath(r.Name), &notice{Text: s.say("hook.tested")})
}

// sendNow sends a waiting delivery.
func (s *Screens) sendNow(v *visit) {
	name := v.r.PathValue("name")
	if err := v.post(pathOf("sandbox", "deliveries", v.r.PostForm.Get("delivery"), "send-now"), nil, nil); err != nil {
		v.failedForm(hookPath(name), err)
		return
	}
	v.goTo(hookPath(name), &notice{Text: s.say("hook.sent")})
}

// deliveryView is the page of one delivery.
type deliveryView struct {
	Receiver   string
	Back       string // path of the receiver's page
	Path       string
	Delivery   received
	Own        bool // checked with an entered secret
	At         moment
	Answered   string
	JSON       *design.JSON // the body as a tree, if it is JSON
	Raw        design.Code  // the unmodified body
	Verify     design.Tabs
	Redelivers bool // redelivery is possible
	Send       messageForm
}

// messageForm is an edited message.
type messageForm struct{ ID, Timestamp, Signature, Body string }

func (s *Screens) deliveryPage(v *visit) {
	name, id := v.r.PathValue("name"), v.r.PathValue("id")
	var d received
	if err := v.get(pathOf("sandbox", "receivers", name, "deliveries", id), &d); err != nil {
		v.refused(err)
		return
	}
	m := deliveryView{
		Receiver: name, Back: hookPath(name), Path: hookPath(name, id), Delivery: d, At: s.wall(d.ReceivedAt), Answered: s.words(d.Behavior), Verify: design.Tabs{Label: s.say("delivery.languages"), Code: s.site.verify},
		Raw:        design.Code{Title: s.say("object.raw"), Text: d.Body},
		Redelivers: strings.HasPrefix(d.EventID, "evt_"),
		Send:       messageForm{v.kept("id", d.EventID), v.kept("timestamp", ""), v.kept("signature", ""), v.kept("body", d.Body)},
	}
	if tree, ok := design.ReadJSON([]byte(d.Body)); ok && len(d.Body) <= maxTree {
		m.JSON = &tree
	}
	v.session.mu.Lock()
	if c := v.session.check; c != nil && c.ID == d.ID {
		m.Delivery, m.Own = *c, true
	}
	v.session.check = nil
	v.session.mu.Unlock()
	title := s.say("delivery.title")
	if d.EventType != "" {
		title = s.say("delivery.title.of", d.EventType)
	}
	v.page("delivery", frame{Title: title, Path: "/sandbox/webhooks", Main: m})
}

// checkDelivery checks a delivery with an entered secret. The secret is not stored: the next page
// shows the result.
func (s *Screens) checkDelivery(v *visit) {
	name, id := v.r.PathValue("name"), v.r.PathValue("id")
	var d received
	body := map[string]any{"secret": strings.TrimSpace(v.r.PostForm.Get("secret"))}
	if err := v.post(pathOf("sandbox", "receivers", name, "deliveries", id, "check"), body, &d); err != nil {
		v.failedForm(hookPath(name, id), err)
		return
	}
	v.session.check = &d
	v.goTo(hookPath(name, id)+"#check", nil)
}

// redeliver sends a delivery's event again to every endpoint of the receiver that it was sent to.
func (s *Screens) redeliver(v *visit) {
	r, found := v.hook()
	if !found {
		return
	}
	back := hookPath(r.Name, v.r.PathValue("id"))
	var d received
	if err := v.get(pathOf("sandbox", "receivers", r.Name, "deliveries", v.r.PathValue("id")), &d); err != nil {
		v.refused(err)
		return
	}
	sent := 0
	for _, id := range r.WebhookIDs {
		var all list[struct {
			ID string `json:"id"`
		}]
		err := v.get(pathOf("webhooks", id, "deliveries")+"?limit=1&event_id="+url.QueryEscape(d.EventID), &all)
		if err == nil && len(all.Data) > 0 {
			sent++
			err = v.post(pathOf("deliveries", all.Data[0].ID, "redeliver"), nil, nil)
		}
		if err != nil {
			v.failedForm(back, err)
			return
		}
	}
	if sent == 0 {
		v.goTo(back, &notice{Bad: true, Text: s.say("delivery.unsent")})
		return
	}
	v.goTo(hookPath(r.Name), &notice{Text: s.say("delivery.redelivered")})
}

// sendMessage sends an edited message to the receiver.
func (s *Screens) sendMessage(v *visit) {
	name, form := v.r.PathValue("name"), v.r.PostForm
	body := map[string]any{"id": form.Get("id"), "body": strings.ReplaceAll(form.Get("body"), "\r\n", "\n")} // browsers end lines like HTTP
	for _, n := range []string{"timestamp", "signature"} {
		if value := strings.TrimSpace(form.Get(n)); value != "" {
			body[n] = value
		}
	}
	var d received
	if err := v.post(pathOf("sandbox", "receivers", name, "send"), body, &d); err != nil {
		v.failedForm(hookPath(name, v.r.PathValue("id")), err)
		return
	}
	v.goTo(hookPath(name, d.ID), &notice{Text: s.say("delivery.taken")})
}

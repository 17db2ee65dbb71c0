package sandboxui

import (
	"net/http"
	"net/url"
	"time"

	"tenor/internal/ui/web"
)

// message is a message as returned by the API.
type message struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	To       string    `json:"to"`
	Name     string    `json:"name"`
	Subject  string    `json:"subject"`
	Language string    `json:"language"`
	Date     time.Time `json:"date"`
	Object   struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"object"`
	Text string `json:"text"`
	HTML string `json:"html"`
}

// mailView is the mailbox.
type mailView struct {
	Messages []messageRow
	Older    string // address of the next page, "" on the last one
}

type messageRow struct {
	message
	Path  string
	At    moment
	About string // path of the page of the related object, "" if there is none
}

func (s *Screens) mailPage(v *visit) {
	var all struct {
		list[message]
		NextCursor string `json:"next_cursor"`
	}
	path := pathOf("sandbox", "mail") + "?limit=50"
	if c := v.r.URL.Query().Get("cursor"); c != "" {
		path += "&cursor=" + url.QueryEscape(c)
	}
	if err := v.get(path, &all); err != nil {
		v.refused(err)
		return
	}
	var m mailView
	for _, x := range all.Data {
		m.Messages = append(m.Messages, messageRow{x, mailPath(x.ID), s.business(x.Date), ""})
	}
	if all.NextCursor != "" {
		m.Older = "/sandbox/mail?cursor=" + url.QueryEscape(all.NextCursor)
	}
	v.page("mail", frame{Title: s.say("mail.title"), Path: "/sandbox/mail", Main: m})
}

func mailPath(id string) string { return "/sandbox/mail/" + url.PathEscape(id) }

func (s *Screens) messagePage(v *visit) {
	var x message
	if err := v.get(pathOf("sandbox", "mail", v.r.PathValue("id")), &x); err != nil {
		v.refused(err)
		return
	}
	v.page("message", frame{Title: x.Subject, Path: "/sandbox/mail", Main: messageRow{x, mailPath(x.ID), s.business(x.Date), objectPath(x.Object.Type, x.Object.ID)}})
}

// messageHTML shows a message like a mail program. It has its own style, and may do nothing.
func (s *Screens) messageHTML(v *visit) {
	var x message
	if err := v.get(pathOf("sandbox", "mail", v.r.PathValue("id")), &x); err != nil {
		v.refused(err)
		return
	}
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox")
	web.Send(v.w, v.r, http.StatusOK, []byte(x.HTML))
}

package sandboxui

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// snapshot is a copy of the sandbox as returned by the API.
type snapshot struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Clock     time.Time `json:"clock"`
	Size      int64     `json:"size"`
}

// snapshotsView is the page of all copies.
type snapshotsView struct {
	Snapshots []snapshotRow
	Name      string // as entered
	Word      string // entered to start over
}

type snapshotRow struct {
	snapshot
	Called string
	Path   string // of the form that restores it
	Taken  moment
	Stood  moment // by the business clock
	Sized  string
}

// resetWord must be entered to start over: the sandbox cannot be recovered.
const resetWord = "reset"

func (s *Screens) snapshotsPage(v *visit) {
	var all list[snapshot]
	if err := v.get(pathOf("sandbox", "snapshots"), &all); err != nil {
		v.refused(err)
		return
	}
	m := snapshotsView{Name: v.kept("name", ""), Word: resetWord}
	for _, x := range all.Data {
		row := snapshotRow{snapshot: x, Called: x.Name, Path: snapshotPath(x.ID), Taken: s.wall(x.CreatedAt), Stood: s.business(x.Clock), Sized: s.say("snapshots.size", strconv.FormatFloat(float64(x.Size)/1e6, 'f', 1, 64))}
		if row.Called == "" {
			row.Called = s.say("snapshots.unnamed")
		}
		m.Snapshots = append(m.Snapshots, row)
	}
	v.page("snapshots", frame{Title: s.say("snapshots.title"), Path: "/sandbox", Main: m})
}

func snapshotPath(id string) string {
	return "/sandbox/snapshots/" + url.PathEscape(id) + "/restore"
}

// takeSnapshot copies the sandbox.
func (s *Screens) takeSnapshot(v *visit) {
	body := map[string]any{}
	if name := strings.TrimSpace(v.r.PostForm.Get("name")); name != "" {
		body["name"] = name
	}
	if err := v.post(pathOf("sandbox", "snapshots"), body, nil); err != nil {
		v.failedForm("/sandbox/snapshots", err)
		return
	}
	v.goTo("/sandbox/snapshots", &notice{Text: s.say("snapshots.taken")})
}

// restoreSnapshot replaces the sandbox with a copy.
func (s *Screens) restoreSnapshot(v *visit) {
	if err := v.post(pathOf("sandbox", "snapshots", v.r.PathValue("id"), "restore"), nil, nil); err != nil {
		v.failedForm("/sandbox/snapshots", err)
		return
	}
	v.goTo("/sandbox", &notice{Text: s.say("snapshots.restored")})
}

// reset starts over with the demo data.
func (s *Screens) reset(v *visit) {
	if v.r.PostForm.Get("word") != resetWord {
		v.goTo("/sandbox/snapshots", &notice{Bad: true, Text: s.say("reset.word.wrong", resetWord)})
		return
	}
	if err := v.post(pathOf("sandbox", "reset"), map[string]any{"seed": true}, nil); err != nil {
		v.failedForm("/sandbox/snapshots", err)
		return
	}
	v.goTo("/sandbox", &notice{Text: s.say("reset.done")})
}

package alarm

import (
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// SendWithin is how long after its creation a file should have reached the bank. The
// clockwork retries with each poll, so a longer delay is not a brief connection failure.
const SendWithin = 30 * time.Minute

// answering is the minimum time a bank has to acknowledge a file.
const answering = 6 * time.Hour

// AnswerBy is when a bank should have acknowledged a file sent at an instant: by the
// beginning of the next banking day, on which most of it settles. That leaves time to have
// it resent, or withdrawn, before the bank's last window of that day.
func AnswerBy(zone calendar.Zone, sent time.Time) time.Time {
	at, soonest := zone.Start(zone.Date(sent).AddBankingDays(1)), sent.Add(answering)
	if at.Before(soonest) {
		return soonest
	}
	return at
}

// unsent lists the files that may not have reached the bank: it is unreachable, or does not
// accept them, or its answer was lost. Their contents settle in the books only once they
// are sent, while the dates of their entries pass.
func (l *lister) unsent() error {
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListFiles(l.v, store.FileBuilt, p)
		for _, f := range list {
			if !l.now.Before(f.CreatedAt.Add(SendWithin)) {
				l.add(Alarm{
					Kind: FileUnsent, Subject: f.ID, Since: l.zone.Date(f.CreatedAt), Due: calendar.None,
					Detail: fmt.Sprintf("The file %s, created on %s with debits of %s and credits of %s, may not have reached the bank.", f.ID, f.CreatedAt.In(l.zone.Location()).Format("2006-01-02 15:04"), f.Debits, f.Credits),
					Next:   "The log of the server that sends files says why. Handle the oldest first, because the others wait behind it. It is retried at each poll. Do not deliver it manually or move its money another way before the bank confirms that it does not have it.",
				})
			}
			p.AfterAt, p.AfterID = f.CreatedAt, f.ID
		}
		return len(list), p, err
	})
}

// files lists files that were handed over without a response from the bank. Their contents
// settle in the books on their date without a response (F22): otherwise nobody would notice
// one that was lost in transit.
func (l *lister) files() error {
	if l.silent {
		return nil
	}
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListFiles(l.v, store.FileSent, p)
		for _, f := range list {
			if !l.now.Before(AnswerBy(l.zone, f.MovedAt)) {
				l.add(Alarm{
					Kind: FileUnanswered, Subject: f.ID, Since: l.zone.Date(f.MovedAt), Due: calendar.None,
					Detail: fmt.Sprintf("The bank has not acknowledged the file %s, which was sent on %s with debits of %s and credits of %s. They still settle in the books on their dates.",
						f.ID, l.zone.Date(f.MovedAt), f.Debits, f.Credits),
					Next: "Ask the bank whether it has the file. If so, have it send the acknowledgment, or put one where the bank delivers its files; if not, put a rejection there, and the entries of the file fail.",
				})
			}
			p.AfterAt, p.AfterID = f.CreatedAt, f.ID
		}
		if l.count[FileUnanswered] > most { // a bank that never responds has years of them
			return 0, p, err
		}
		return len(list), p, err
	})
}

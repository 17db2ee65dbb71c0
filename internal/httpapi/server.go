package httpapi

import (
	"log/slog"
	"net/http"
	"time"
)

// largeBodyTimeout is how long a body above 1 MiB may take; 64 MiB in it is
// about 4 Mbit/s.
const largeBodyTimeout = 2 * time.Minute

// answerTimeout is how long writing an answer may take.
const answerTimeout = 30 * time.Second

// NewServer returns a server with the limits that keep slow and hostile
// connections from holding memory: header 5 s, read 15 s, write 30 s, idle 60 s,
// header 16 KiB, 100 streams.
func NewServer(address string, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Addr:              address,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16<<10 - 4<<10, // the library adds 4 KiB
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
		// OPTIONS * is answered as any other path that there is not.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

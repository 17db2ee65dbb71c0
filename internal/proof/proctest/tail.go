package proctest

import "sync"

// tail keeps the end of a log.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (l *tail) write(b []byte) {
	const keep = 4 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, b...)
	if len(l.b) > 2*keep {
		l.b = append([]byte(nil), l.b[len(l.b)-keep:]...)
	}
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}

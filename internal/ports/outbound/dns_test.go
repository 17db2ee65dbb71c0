package outbound

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// DNS record types and classes.
const (
	typeA     = 1
	typeCNAME = 5
	typeAAAA  = 28
)

// nameServer is a DNS server on loopback with the answers of a test. It gives every record a time
// to live of 0.
type nameServer struct {
	conn net.PacketConn

	mu    sync.Mutex
	open  []net.Conn           // made for lookups
	names map[string][]answers // answers to successive lookups; the last one stays
	asked map[string]int
}

// answers are the answers for a name at one time.
type answers struct {
	alias string // CNAME
	v4    []string
	v6    []string
	dead  bool // no answer at all
}

func newNameServer(t *testing.T, names map[string][]answers) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, names: names, asked: map[string]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve()
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.open {
			_ = c.Close() // a lookup without an answer would wait for seconds
		}
	})
	return s
}

// resolver uses only this server.
func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.open = append(s.open, c)
		}
		return c, err
	}}
}

func (s *nameServer) serve() {
	buffer := make([]byte, 2048)
	for {
		n, from, err := s.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		if reply := s.reply(buffer[:n]); reply != nil {
			_, _ = s.conn.WriteTo(reply, from)
		}
	}
}

// reply answers a query with one question.
func (s *nameServer) reply(query []byte) []byte {
	name, end := readName(query, 12)
	kind := binary.BigEndian.Uint16(query[end:])
	a, found := s.next(name, kind)
	if a.dead {
		return nil
	}
	reply := append([]byte{}, query[:2]...)
	flags := []byte{0x84, 0x00} // an authoritative answer
	if !found {
		flags[1] = 3 // no such name
	}
	records, count := s.records(name, a, kind)
	reply = append(reply, flags...)
	reply = append(reply, 0, 1, 0, byte(count), 0, 0, 0, 0)
	reply = append(reply, query[12:end+4]...)
	return append(reply, records...)
}

// next returns the current answers for a name. A lookup asks for A and AAAA: both get the same
// answers, and the next lookup gets the next ones.
func (s *nameServer) next(name string, kind uint16) (answers, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.names[name]
	if len(list) == 0 {
		return answers{}, false
	}
	key := name + map[uint16]string{typeA: " A", typeAAAA: " AAAA"}[kind]
	n := s.asked[key]
	s.asked[key]++
	return list[min(n, len(list)-1)], true
}

func (s *nameServer) records(name string, a answers, kind uint16) ([]byte, int) {
	var out []byte
	count := 0
	for ; a.alias != ""; count++ {
		target := writeName(a.alias)
		out = append(record(out, name, typeCNAME), byte(len(target)>>8), byte(len(target)))
		out = append(out, target...)
		name = a.alias
		a, _ = s.next(name, kind)
	}
	list := a.v4
	if kind == typeAAAA {
		list = a.v6
	}
	for _, text := range list {
		raw := netip.MustParseAddr(text).AsSlice()
		out = append(record(out, name, kind), 0, byte(len(raw)))
		out = append(out, raw...)
		count++
	}
	return out, count
}

func record(out []byte, name string, kind uint16) []byte {
	out = append(out, writeName(name)...)
	return append(out, 0, byte(kind), 0, 1, 0, 0, 0, 0) // class IN, time to live 0
}

func readName(message []byte, at int) (string, int) {
	var labels []string
	for message[at] != 0 {
		n := int(message[at])
		labels = append(labels, string(message[at+1:at+1+n]))
		at += n + 1
	}
	return strings.ToLower(strings.Join(labels, ".")), at + 1
}

func writeName(name string) []byte {
	var out []byte
	for _, l := range strings.Split(name, ".") {
		out = append(append(out, byte(len(l))), l...)
	}
	return append(out, 0)
}

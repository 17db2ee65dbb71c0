package proctest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports from lowPort up to highPort are below those that the kernel assigns itself: to a listener
// on port 0, or to an outgoing connection.
const lowPort, highPort = 10000, 20000

// FreeAddress finds an unused address on this machine, for a program that must know its address
// before it listens. Until the test ends no other test gets it: the UDP port with the same number
// is held as a marker.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range highPort - lowPort {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowPort+rand.IntN(highPort-lowPort)))
		sign, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			sign.Close()
			continue
		}
		l.Close()
		t.Cleanup(func() { sign.Close() })
		return address
	}
	t.Fatal("proctest.FreeAddress: no port is free")
	return ""
}

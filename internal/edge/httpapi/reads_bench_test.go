//go:build unix

package httpapi_test

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkRead runs the reads of W4 without a network. In addition to the elapsed time it
// reports processor time, which other load on the machine does not affect.
func BenchmarkRead(b *testing.B) {
	l := newLibrary(b, 100)
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			i, before := 0, processorTime(b)
			for ; b.Loop(); i++ {
				if status := l.get(k.path(l, i*7)); status != 200 {
					b.Fatalf("status %d", status)
				}
			}
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(i), "cpu-µs/op")
		})
	}
}

// processorTime is the user and system time this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

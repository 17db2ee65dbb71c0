//go:build unix

package httpapi_test

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkRead reads what W4 reads, without a network. Beside the time it reports
// the processor time, which neighbours on the machine do not add to.
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

// processorTime is what this process has used, in its own code and in the kernel's.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

//archtest:room internal/domain/schedule

package schedule

import (
	"fmt"
	clock "time"
)

func a(then clock.Time) {
	_ = clock.Now()                  // want: time.Now
	_ = clock.Since(then)            // want: time.Since
	clock.Sleep(clock.Second)        // want: time.Sleep
	_ = clock.After(1)               // want: time.After
	_, _ = clock.LoadLocation("UTC") // want: time.LoadLocation
	_ = then.In(clock.Local)         // want: time.Local
	fmt.Println("done")              // want: fmt.Println
	_ = clock.Date(2026, 1, 2, 0, 0, 0, 0, clock.UTC)
	go a(then)     // want: goroutine
	var c chan int // want: channels
	select {       // want: waits
	case <-c:
	}
}

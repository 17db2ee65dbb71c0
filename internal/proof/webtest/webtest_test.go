package webtest

import (
	"fmt"
	"testing"
)

// The reader itself must detect errors.
func TestReadPage(t *testing.T) {
	all := Read(t, `<!doctype html><html lang="en"><p class="a">x &amp; <b>y</b></p><hr><details open>z</details></html>`)
	if got := fmt.Sprint(Skeleton(all)); got != "html lang\np class\nb\nhr\ndetails open\n" {
		t.Errorf("skeleton %q", got)
	}
	if all[1].Text != "x & " || !all[4].Has("open") {
		t.Errorf("read %+v", all)
	}
}

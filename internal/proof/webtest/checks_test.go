package webtest

import (
	"fmt"
	"slices"
	"testing"
)

// said is a test that records failures instead of failing.
type said struct {
	testing.TB
	errors []string
}

func (s *said) Helper() {}

func (s *said) Errorf(format string, args ...any) {
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

// Inline drawings are safe as long as they only draw.
func TestDrawings(t *testing.T) {
	for page, want := range map[string]int{
		`<svg class="a" viewBox="0 0 1 1"><path d="M0 0"/></svg>`:        0,
		`<svg viewBox="0 0 1 1" onload="x"></svg>`:                       1,
		`<p><img class="a" src="/c/x/logo.png" alt=""></p>`:              0,
		`<p><img src="https://elsewhere.example/x.png" alt=""></p>`:      1,
		`<p><img src="/x.png"></p>`:                                      1,
		`<p><img src="/x.png" alt="" onerror="x"></p>`:                   1,
		`<svg><use href="/a.svg"></use></svg>`:                           1,
		`<svg><foreignObject></foreignObject></svg>`:                     1,
		`<svg><animate></animate><set></set><image></image></svg>`:       3,
		`<p viewBox="0 0 1 1">x</p>`:                                     1,
		`<input class="a" aria-invalid="true" checked=""><p hidden=""/>`: 0,
	} {
		s := &said{TB: t}
		CheckSafe(s, "page", Read(t, page))
		if len(s.errors) != want {
			t.Errorf("%s: %q", page, s.errors)
		}
	}
}

func TestClasses(t *testing.T) {
	sheet := `.p-2{a:b}.sm\:w-1\/2:hover{a:b}.grid-cols-\[1fr_2rem\]{a:b}.px-23{a:b}`
	s := &said{TB: t}
	CheckClasses(s, "page", Read(t, `<p class="p-2 group sm:w-1/2 grid-cols-[1fr_2rem] px-2 p"></p>`), sheet)
	if want := []string{"page: <p> has the class p, which the stylesheet does not know", "page: <p> has the class px-2, which the stylesheet does not know"}; !slices.Equal(s.errors, want) {
		t.Errorf("got %q", s.errors)
	}
}

func TestKeys(t *testing.T) {
	texts := map[string]string{"pay.now": "Pay now", "pay": "Pay"}
	for body, want := range map[string]int{
		`<p>pay.now</p>`: 1, `<a title="pay.now">x</a>`: 1, `<p>Pay now</p><a href="/pay.nowhere">pay</a>`: 0, `<p>pay.now`: 0, `<p class="a"><b>pay.now</b></p>`: 1,
	} {
		s := &said{TB: t}
		if CheckKeys(s, "page", body, texts); len(s.errors) != want {
			t.Errorf("%s: %q", body, s.errors)
		}
	}
}

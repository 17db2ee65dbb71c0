//archtest:room internal/shed

// Package shed is long.
package shed // want: file has

func short() {}

func long() { // want: long has 62 lines
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
}

func fits() {
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
	_ = 0
}

// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more
// more

package terminal

import (
	"fmt"
	"strconv"
)

// CompanyOf returns a company ID as text, with "" for zero.
func CompanyOf(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// CountOf returns a count as text, with "" for zero.
func CountOf(n int) string { return CompanyOf(int64(n)) }

// Counted returns a number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

package terminal

import (
	"fmt"
	"strconv"
)

// CompanyOf and CountOf are numbers as facts tell them: nothing of zero.
func CompanyOf(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// CountOf is a count as text, with "" for none.
func CountOf(n int) string { return CompanyOf(int64(n)) }

// Counted is a number with the word for it.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

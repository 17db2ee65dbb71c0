package node

import (
	"os"

	"tenor/internal/app/exit"
)

// OwnersOnly reports whether only the owner of a file reads it, and whoever may be anybody
// anyway: the superuser. A file of the superuser may be open to a group, of which the
// server's user is then the one member: so secrets come from a container's volume. What
// is no regular file, such as a pipe, is its maker's.
func OwnersOnly(info os.FileInfo) bool {
	mode := info.Mode()
	if os.PathSeparator != '/' || !mode.IsRegular() {
		return true
	}
	open := mode.Perm() & 0o077
	return open == 0 || open == 0o040 && ofSuperuser(info)
}

// OwnOnly refuses a file with a secret that others than its owner may read. One that is
// not there is for the reader to refuse.
func OwnOnly(file string) error {
	info, err := os.Stat(file)
	if err != nil || OwnersOnly(info) {
		return nil
	}
	return &exit.Failure{
		Code: exit.Forbidden, Text: "others can read " + file + ", which holds a secret",
		Hint: "Treat the secret as exposed if others had access. Fix the permissions:\n  chmod 600 " + file,
	}
}

package node

import (
	"os"

	"tenor/internal/app/exit"
)

// OwnersOnly reports whether only a file's owner, besides the superuser, can read it. A
// superuser's file may be readable by a group whose one member is then the server's user: that is
// how secrets come from a container's volume. Anything but a regular file, such as a pipe,
// belongs to its creator.
func OwnersOnly(info os.FileInfo) bool {
	mode := info.Mode()
	if os.PathSeparator != '/' || !mode.IsRegular() {
		return true
	}
	open := mode.Perm() & 0o077
	return open == 0 || open == 0o040 && ofSuperuser(info)
}

// OwnOnly refuses a secret file that users other than its owner can read. The reader reports a
// missing file.
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

package main

import "os"

// ownersOnly reports whether only the owner of a file reads it, and whoever may be anybody
// anyway: the superuser. A file of the superuser may be open to a group, of which the
// server's user is then the one member: so secrets come from a container's volume. What
// is no regular file, such as a pipe, is its maker's.
func ownersOnly(info os.FileInfo) bool {
	mode := info.Mode()
	if os.PathSeparator != '/' || !mode.IsRegular() {
		return true
	}
	open := mode.Perm() & 0o077
	return open == 0 || open == 0o040 && ofSuperuser(info)
}

// ownOnly refuses a file with a secret that others than its owner may read. One that is
// not there is for the reader to refuse.
func ownOnly(file string) error {
	info, err := os.Stat(file)
	if err != nil || ownersOnly(info) {
		return nil
	}
	return &failure{
		code: exitForbidden, text: "others than its owner may read " + file + ", which holds a secret",
		hint: "Whoever has read it knows it: see who could, and close it with:\n  chmod 600 " + file,
	}
}

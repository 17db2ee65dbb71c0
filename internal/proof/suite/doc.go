// Package suite is what tests of all packages have in common in the way they are run:
// what they do where a program is missing, how long they go on, and what they see of
// the shell that started them. Only tests import it, and those who run them.
package suite

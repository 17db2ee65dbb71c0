// Package suite has what the tests of all packages share in how they are run: what they do when a
// program is missing, how long they run, and what they see of the shell that started them. Only
// tests, and the programs that run them, import it.
package suite

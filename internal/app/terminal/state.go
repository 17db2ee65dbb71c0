package terminal

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
)

// stateDir is where this program stores what it may lose, "" if the machine has no such place.
func (a *App) stateDir() string {
	switch {
	case a.Getenv("XDG_STATE_HOME") != "":
		return filepath.Join(a.Getenv("XDG_STATE_HOME"), "tenor")
	case runtime.GOOS == "windows":
		return under(a.Getenv("LocalAppData"), "tenor")
	case runtime.GOOS == "darwin":
		return under(a.Getenv("HOME"), "Library", "Application Support", "tenor")
	}
	return under(a.Getenv("HOME"), ".local", "state", "tenor")
}

// ConfigDir is where this program stores what the user would miss.
func (a *App) ConfigDir() string {
	switch {
	case a.Getenv("XDG_CONFIG_HOME") != "":
		return filepath.Join(a.Getenv("XDG_CONFIG_HOME"), "tenor")
	case runtime.GOOS == "windows":
		return under(a.Getenv("AppData"), "tenor")
	case runtime.GOOS == "darwin":
		return under(a.Getenv("HOME"), "Library", "Application Support", "tenor")
	}
	return under(a.Getenv("HOME"), ".config", "tenor")
}

func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// keepFile writes a file for this user alone, completely or not at all.
func keepFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tenor-*") // created with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// lastChange is the last change sent to a server, so that --retry-last can send it again under
// its key.
type lastChange struct {
	Server  string    `json:"server"`
	Command string    `json:"command"`
	Key     string    `json:"key"`
	At      time.Time `json:"at"`
}

// lastFile is where the last change to a server is saved, "" if nothing can be saved.
func (a *App) lastFile(server string) string {
	sum := sha256.Sum256([]byte(server))
	return under(a.stateDir(), fmt.Sprintf("last-%x.json", sum[:8]))
}

// keepLast saves a change before it is sent. A machine that cannot save it must not prevent the
// change.
func (a *App) keepLast(server, key string) {
	text, err := json.Marshal(lastChange{server, a.Command, key, a.Wall().UTC()})
	if path := a.lastFile(server); err == nil && path != "" {
		_ = keepFile(path, text)
	}
}

// lastKey returns the key of the last change, which must be of this command.
func (a *App) lastKey(server string) (string, error) {
	var last lastChange
	text, err := os.ReadFile(a.lastFile(server))
	if err != nil || json.Unmarshal(text, &last) != nil || last.Server != server || last.Key == "" {
		return "", &exit.Failure{Code: exit.Usage, Text: "no earlier change for " + server + " is recorded here", Hint: "Send it without --retry-last."}
	}
	if last.Command != a.Command {
		return "", &exit.Failure{
			Code: exit.Usage, Text: fmt.Sprintf("the last change was %q, not %q", last.Command, a.Command),
			Hint: "--retry-last repeats the same command. The other command's key is\n  " + last.Key,
		}
	}
	return last.Key, nil
}

// ListenSecret returns the secret with which webhooks listen signs. It is generated once and
// stays the same, so that a receiver needs no reconfiguration.
func (a *App) ListenSecret() (string, error) {
	dir := a.ConfigDir()
	if dir == "" {
		return "", &exit.Failure{Code: exit.Usage, Text: "no place to store the signing secret", Hint: "Set HOME or XDG_CONFIG_HOME."}
	}
	path := filepath.Join(dir, "webhook-secret")
	text, err := os.ReadFile(path)
	if err == nil {
		secret := strings.TrimSpace(string(text))
		if _, err := client.SignWebhook(secret, "check", a.Wall(), nil); err != nil {
			return "", &exit.Failure{Code: exit.Refused, Text: path + " contains no signing secret", Hint: "Remove it; a new one will be created."}
		}
		return secret, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", &exit.Failure{Code: exit.Refused, Text: "read signing secret", Err: err}
	}
	secret := client.NewWebhookSecret()
	if err := keepFile(path, []byte(secret+"\n")); err != nil {
		return "", &exit.Failure{Code: exit.Refused, Text: "save signing secret", Err: err}
	}
	return secret, nil
}

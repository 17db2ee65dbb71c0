package postgres

import (
	"fmt"
	"strconv"
)

// guarded reads the settings that a promise depends on, as the session has them. They are
// read back on every connection, because each can differ (EN15).
const guarded = `SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
	current_setting('synchronous_standby_names'), current_setting('server_version_num'), current_setting('server_encoding'),
	pg_is_in_recovery()::text`

// guard refuses a server on which a promise would not hold.
func (db *DB) guard(k *conn) error {
	var g [7]string
	err := k.query(guarded, nil, func(r *row) error {
		for i := range g {
			g[i] = r.text(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	k.standby = g[3] != ""
	return db.options.judge(g)
}

// judge returns what is wrong with a server's settings.
func (o Options) judge(g [7]string) error {
	version, _ := strconv.Atoi(g[4]) // 0 counts as too old
	switch {
	case version < 150000:
		return fmt.Errorf("the server is PostgreSQL %s; 15 or newer is required", g[4])
	case g[5] != "UTF8":
		return fmt.Errorf("the database's encoding is %s; UTF8 is required", g[5])
	case g[6] == "true" && !o.ReadOnly:
		return fmt.Errorf("the server is a standby and accepts no writes")
	case !o.Live:
		return nil
	case g[0] != "on":
		return fmt.Errorf("fsync is off: commits would not survive a loss of power")
	case g[1] != "on":
		return fmt.Errorf("full_page_writes is off: a loss of power could tear pages")
	case g[2] != "on" && g[2] != "remote_apply":
		return fmt.Errorf("synchronous_commit is %s: commits could be lost; on or remote_apply is required", g[2])
	case o.Standby && g[3] == "":
		return fmt.Errorf("no synchronous standby is configured (synchronous_standby_names), but one is required")
	}
	return nil
}

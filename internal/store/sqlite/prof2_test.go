package sqlite
import ("testing";"os";"fmt";"strings")
func wchar() (n int64) { b,_:=os.ReadFile("/proc/self/io"); for _,l:=range strings.Split(string(b),"\n"){ if strings.HasPrefix(l,"wchar"){fmt.Sscanf(l,"wchar: %d",&n)}}; return}
func TestProfIO(t *testing.T) {
	db := open(t)
	defer db.Close()
	a := newAuthorizations(t, db, 10_000)
	var frames int64
	w:=wchar()
	for range 200 {
		b, k := a.batch(100)
		a.commit(t, db, b, k)
	}
	_ = frames
	fmt.Println("bytes written per command", (wchar()-w)/20000)
	st,_:=os.Stat(db.path); fmt.Println("db bytes/command", st.Size()/20000)
}

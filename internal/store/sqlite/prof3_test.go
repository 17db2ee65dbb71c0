package sqlite
import ("testing";"os";"fmt";"encoding/binary";"sort";"zombiezen.com/go/sqlite";"path/filepath")
func TestFrames(t *testing.T) {
	db,err := Open(filepath.Join(t.TempDir(),"x.db"),Options{AutoCheckpoint:1000000}); if err!=nil{t.Fatal(err)}
	defer db.Close()
	a := newAuthorizations(t, db, 10_000)
	for range 100 { b, k := a.batch(100); a.commit(t, db, b, k) }
	st,_:=os.Stat(db.path+"-wal"); off:=st.Size()
	for range 100 { b, k := a.batch(100); a.commit(t, db, b, k) }
	names:=map[uint32]string{}
	err=db.w.query("SELECT name, pageno FROM dbstat",nil,func(s *sqlite.Stmt) error { names[uint32(s.ColumnInt64(1))]=s.ColumnText(0); return nil}); if err!=nil{t.Fatal(err)}
	w,_:=os.ReadFile(db.path+"-wal"); n:=map[string]int{}; tot:=0
	for o:=off;o+4120<=int64(len(w));o+=4120 { n[names[binary.BigEndian.Uint32(w[o:])]]++; tot++ }
	var ks []string; for k:=range n{ks=append(ks,k)}; sort.Slice(ks,func(i,j int)bool{return n[ks[i]]>n[ks[j]]})
	fmt.Println("frames/command",float64(tot)/10000)
	for _,k:=range ks{ fmt.Printf("%.3f %s\n",float64(n[k])/10000,k)}
}

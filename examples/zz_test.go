package examples_test
import ("testing";"fmt";"strings";"github.com/spmdc/spmdc/examples/internal/randprog")
func TestZZ(t *testing.T) {
 for s := uint64(1); s < 40; s++ { p := randprog.Sample(s).Source; if strings.Contains(p, "anint") && strings.Contains(strings.ToLower(p), "cyclic") && strings.Contains(p,"wavefront") { fmt.Println(s); shrunk(t, s, "/tmp/fakespmdc"); break } } }

// Package browser opens pages in Chromium, for tests.
package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/effort"
)

// find is the path of Chromium. The test is skipped where there is none, and fails instead
// where SPMDC_REQUIRE=all asks for it.
func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if effort.All() {
		t.Fatal("chromium is not installed (Debian package chromium) and SPMDC_REQUIRE=all wants it")
	}
	t.Skip("chromium is not installed (Debian package chromium)")
	return ""
}

// Load opens a page in the browser and returns the document as it is once its scripts have
// run. after is a script that runs behind those of the page, "" for none.
func Load(t *testing.T, page, fragment, after string) string {
	t.Helper()
	chromium := find(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if after != "" {
		page = strings.Replace(page, "</body>", "<script>"+after+"</script></body>", 1)
	}
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1600,1000", "--virtual-time-budget=3000",
		"--dump-dom", "file://"+file+fragment)
	// Processes of the browser may hold the pipe for longer than the browser runs.
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%s: %v", chromium, err)
	}
	return string(out)
}

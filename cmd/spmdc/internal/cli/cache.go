package cli

import (
	"fmt"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

type cacheCmd struct {
	Show  cacheShowCmd  `cmd:"" default:"1" help:"Say where the cache is, and how much of its bound it takes (the default)."`
	Clean cacheCleanCmd `cmd:"" help:"Remove all programs from the cache."`
}

// Help says what there is to set.
func (*cacheCmd) Help() string {
	return `Programs that run and build have made are kept in the folder SPMDC_CACHE, by default "spmdc" where the system keeps
caches. Where they take more than SPMDC_CACHE_MB megabytes, by default 1024, those that were not used for longest go.
Go's own cache of compiled packages is another one: go clean -cache.`
}

type cacheShowCmd struct{}

func (*cacheShowCmd) Run(env *Env) error {
	c, err := driver.OpenCache()
	if err != nil {
		return err
	}
	n, bytes := c.Size()
	_, err = fmt.Fprintf(env.Stdout, "%s: %d programs, %.1f MB of %d MB\n", c.Dir, n, float64(bytes)/(1<<20), c.Limit>>20)
	return written(err)
}

type cacheCleanCmd struct{}

func (*cacheCleanCmd) Run(env *Env) error {
	c, err := driver.OpenCache()
	if err != nil {
		return err
	}
	n, bytes := c.Size()
	if err := c.Clean(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s: removed %d programs, %.1f MB\n", c.Dir, n, float64(bytes)/(1<<20))
	return written(err)
}

package main

import (
	"io"
	"path"
	"time"

	"github.com/docker/go-units"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// download shows how a download goes: a bar on a terminal, elsewhere a line now and then.
// One goroutine uses it.
type download struct {
	// out is where notes go meanwhile: above the bar.
	out *printer
	// stderr is the terminal or whatever there is instead; bars draws on it, once there
	// is a bar.
	stderr io.Writer
	bars   *mpb.Progress
	bar    *mpb.Bar

	file        string
	have, total int64
	said        time.Time
}

// lineEvery is how often a line tells how far it is.
const lineEvery = 5 * time.Second

func (p *printer) download() *download {
	above := *p
	d := &download{out: &above, stderr: p.stderr}
	above.stderr = d
	return d
}

// Write puts a note above the bar.
func (d *download) Write(note []byte) (int, error) {
	if d.bars != nil {
		return d.bars.Write(note)
	}
	return d.stderr.Write(note)
}

// Begin draws the bar, or says what is downloaded.
func (d *download) Begin(url string, have, total int64) {
	d.file, d.have, d.total, d.said = path.Base(url), have, total, time.Now()
	switch {
	case d.bar != nil:
		d.bar.SetCurrent(have)
	case d.out.live:
		d.bars = mpb.New(mpb.WithOutput(d.stderr), mpb.WithWidth(40))
		d.bar = d.newBar(have, total)
	case have > 0:
		d.out.note("downloading %s: %s are here", d.file, d.progress())
	default:
		d.out.note("downloading %s, %s, from %s", d.file, size(total), url)
	}
}

func (d *download) newBar(have, total int64) *mpb.Bar {
	bar := d.bars.AddBar(max(total, 0),
		mpb.PrependDecorators(decor.Name(d.file)),
		mpb.AppendDecorators(decor.CountersKibiByte("% .1f of % .1f"), decor.Name(" "), decor.AverageSpeed(decor.SizeB1024(0), "% .1f")),
	)
	if have > 0 {
		bar.SetCurrent(have)
		bar.SetRefill(have)
	}
	return bar
}

// Received moves the bar.
func (d *download) Received(n int) {
	d.have += int64(n)
	if d.bar != nil {
		d.bar.IncrBy(n)
		return
	}
	if time.Since(d.said) >= lineEvery {
		d.said = time.Now()
		d.out.note("downloading %s: %s are here", d.file, d.progress())
	}
}

// End leaves a full bar behind. One that is not full may go on.
func (d *download) End(whole bool) {
	if whole && d.bar != nil {
		d.bar.SetTotal(d.have, true)
	}
}

// progress is how much of the file is there.
func (d *download) progress() string {
	return size(d.have) + " of " + size(d.total)
}

func size(n int64) string {
	if n < 0 {
		return "an unknown size"
	}
	return units.BytesSize(float64(n))
}

// close takes a bar that is not full away. What was installed is said by others.
func (d *download) close() {
	if d.bars == nil {
		return
	}
	if !d.bar.Completed() {
		d.bar.Abort(true)
	}
	d.bars.Wait()
}

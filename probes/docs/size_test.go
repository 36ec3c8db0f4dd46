package docs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSizeOfAResultIsTheOneThatANoticeNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about, text string
		want        int
	}{
		{"a text counts its characters", "häh", 3},
		{"kilobytes", "<persisted-output>\nOutput too large (50.8KB). Full output saved to: /x.txt", 52019},
		{"megabytes", "Output too large (1.5MB). Full output saved to: /x.txt", 1572864},
		{"exact characters", "Error: result (65,754 characters) exceeds maximum allowed tokens.", 65754},
		{"characters of a saved file", "Output has been saved to /x.txt (1,024 characters)", 1024},
		{"a text that speaks of characters", "at most 63 characters", 21},
		{"a long text that quotes a notice", "Output too large (9MB)" + strings.Repeat(".", maxStub), 22 + maxStub},
		{"a size that cannot be", "Output too large (99999999999999999999999999MB)", 47},
	} {
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			chars := resultChars(result{present: true, isText: true, stub: true, text: test.text})
			require.NotNil(t, chars)
			assert.Equal(t, test.want, *chars)
		})
	}
}

func TestOnlyClaudeCodeWritesNotices(t *testing.T) {
	t.Parallel()
	chars := resultChars(result{present: true, isText: true, text: "Output too large (1MB)"})
	require.NotNil(t, chars)
	assert.Equal(t, 22, *chars)
}

func TestWithoutAResultThereIsNoSize(t *testing.T) {
	t.Parallel()
	assert.Nil(t, resultChars(result{}))
}

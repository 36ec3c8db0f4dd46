package pgtap_test

import "github.com/supascore/supascore/stack/standin/pgtap"

// Some files, and how their report ends.
type suite struct {
	files  map[string]string
	report string // without the line of times; DIR stands for the workspace's folder of tests
	stderr string
	want   pgtap.Summary
	// ours says that pg_prove does otherwise, and why that is not followed.
	ours string
}

const good = "begin;\nselect plan(2);\nselect ok(true, 'fine');\nselect is(1, 1, 'same');\nselect * from finish();\nrollback;\n"

func suites() map[string]suite {
	return map[string]suite{
		"all good": {
			files: map[string]string{"b.sql": good, "database/a.test.sql": good, "z.pg": good, "notes.md": "select 1;"},
			report: "DIR/b.sql ................ ok\nDIR/database/a.test.sql .. ok\nDIR/z.pg ................. ok\n" +
				"All tests successful.\nFiles=3, Tests=6\nResult: PASS\n",
			want: pgtap.Summary{Files: 3, Tests: 6, OK: true},
		},
		"one fails": {
			files: map[string]string{"a.sql": good, "long_name.sql": "begin; select plan(3); select ok(true); select is(1, 2, 'numbers'); select pass('p'); select * from finish(); rollback;"},
			report: "DIR/a.sql .......... ok\nDIR/long_name.sql .. \n# Failed test 2: \"numbers\"\n#         have: 1\n#         want: 2\n" +
				"# Looks like you failed 1 test of 3\nFailed 1/3 subtests \n" +
				"\nTest Summary Report\n-------------------\nDIR/long_name.sql (Wstat: 0 Tests: 3 Failed: 1)\n  Failed test:  2\nFiles=2, Tests=5\nResult: FAIL\n",
			want: pgtap.Summary{Files: 2, Tests: 5},
		},
		"many fail": {
			files: map[string]string{"a.sql": "\\echo 1..60\nselect case when i % 3 = 0 then '' else 'not ' end || 'ok ' || i from generate_series(1, 60) i;"},
			report: "DIR/a.sql .. \nFailed 40/60 subtests \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 60 Failed: 40)\n" +
				"  Failed tests:  1-2, 4-5, 7-8, 10-11, 13-14, 16-17, 19-20\n                22-23, 25-26, 28-29, 31-32, 34-35, 37-38\n" +
				"                40-41, 43-44, 46-47, 49-50, 52-53, 55-56\n                58-59\nFiles=1, Tests=60\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 60},
		},
		"an error in SQL": {
			files: map[string]string{"a.sql": "begin;\nselect plan(2);\nselect pass('p');\nselect nope();\nselect pass('q');\nselect * from finish();\nrollback;", "b.sql": good},
			report: "DIR/a.sql .. \nDubious, test returned 3 (wstat 768, 0x300)\nFailed 1/2 subtests \nDIR/b.sql .. ok\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 768 (exited 3) Tests: 1 Failed: 0)\n  Non-zero exit status: 3\n" +
				"  Parse errors: Bad plan.  You planned 2 tests but ran 1.\nFiles=2, Tests=3\nResult: FAIL\n",
			stderr: "psql:DIR/a.sql:4: ERROR:  function nope() does not exist\nLINE 1: select nope();\n               ^\n" +
				"HINT:  No function matches the given name and argument types. You might need to add explicit type casts.\n",
			want: pgtap.Summary{Files: 2, Tests: 3},
		},
		"an error after all tests passed": {
			files: map[string]string{"a.sql": "begin;\nselect plan(1);\nselect pass('p');\nselect 1/0;"},
			report: "DIR/a.sql .. \nDubious, test returned 3 (wstat 768, 0x300)\nAll 1 subtests passed \n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 768 (exited 3) Tests: 1 Failed: 0)\n  Non-zero exit status: 3\nFiles=1, Tests=1\nResult: FAIL\n",
			stderr: "psql:DIR/a.sql:4: ERROR:  division by zero\n",
			want:   pgtap.Summary{Files: 1, Tests: 1},
		},
		"nothing of the protocol": {
			files: map[string]string{"a.sql": "select 'hello';"},
			report: "DIR/a.sql .. \nNo subtests run \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 0 Failed: 0)\n" +
				"  Parse errors: No plan found in TAP output\nFiles=1, Tests=0\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1},
		},
		"tests to do and to skip": {
			files: map[string]string{"a.sql": "begin;\nselect plan(4);\nselect * from todo('later', 2);\nselect ok(true, 'early');\nselect ok(false, 'late');\nselect * from skip('not here', 1);\nselect pass('p');\nselect * from finish();\nrollback;"},
			report: "DIR/a.sql .. \n# Failed (TODO) test 2: \"late\"\nok\nAll tests successful.\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 4 Failed: 0)\n  TODO passed:   1\nFiles=1, Tests=4\nResult: PASS\n",
			want: pgtap.Summary{Files: 1, Tests: 4, OK: true},
		},
		"failures beside tests to do and to skip": {
			files: map[string]string{"a.sql": "\\echo 1..5\n\\echo ok 1 # TODO x\n\\echo ok 2 # SKIP y\n\\echo ok 3 # SKIP y\n\\echo not ok 4\n\\echo ok 5 # TODO x"},
			report: "DIR/a.sql .. \nFailed 1/5 subtests \n\t(less 2 skipped subtests: 2 okay)\n\t(2 TODO tests unexpectedly succeeded)\n" +
				"\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 5 Failed: 1)\n  Failed test:  4\n  TODO passed:   1, 5\nFiles=1, Tests=5\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 5},
		},
		"all skipped": {
			files:  map[string]string{"a.sql": "\\echo '1..0 # SKIP not today'"},
			report: "DIR/a.sql .. skipped: not today\nFiles=1, Tests=0\nResult: NOTESTS\n",
			want:   pgtap.Summary{Files: 1, OK: true},
		},
		"no plan, and no end": {
			files:  map[string]string{"a.sql": "begin;\nselect * from no_plan();\nselect pass('p');\nselect * from finish();\nrollback;"},
			report: "DIR/a.sql .. ok\nAll tests successful.\nFiles=1, Tests=1\nResult: PASS\n",
			want:   pgtap.Summary{Files: 1, Tests: 1, OK: true},
		},
		"contradictions": {
			files: map[string]string{"a.sql": "\\echo 1..9\nselect 'ok ' || i * 2 from generate_series(1, 8) i;"},
			report: "DIR/a.sql .. \nFailed 1/9 subtests \n\nTest Summary Report\n-------------------\nDIR/a.sql (Wstat: 0 Tests: 8 Failed: 0)\n" +
				"  Parse errors: Tests out of sequence.  Found (2) but expected (1)\n                Tests out of sequence.  Found (4) but expected (2)\n" +
				"                Tests out of sequence.  Found (6) but expected (3)\n                Tests out of sequence.  Found (8) but expected (4)\n" +
				"                Tests out of sequence.  Found (10) but expected (5)\nDisplayed the first 5 of 9 TAP syntax errors.\n" +
				"Re-run prove with the -p option to see them all.\nFiles=1, Tests=8\nResult: FAIL\n",
			want: pgtap.Summary{Files: 1, Tests: 8},
		},
		"giving up": {
			files:  map[string]string{"a.sql": "\\echo 1..2\n\\echo ok 1\n\\echo Bail out! No more.\n\\echo ok 2", "b.sql": good},
			report: "DIR/a.sql .. Bailout called.  Further testing stopped:  No more.\n",
			stderr: "FAILED--Further testing stopped: No more.\n",
			want:   pgtap.Summary{Files: 1, Tests: 1},
			ours:   `it goes on to read, and ends with "Result: PASS" before it exits with 255`,
		},
	}
}

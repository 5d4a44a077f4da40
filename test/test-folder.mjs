/** Moves the folders of `t.testdir()` below the folder that the runner names. */
import { basename, join } from 'node:path';
import t from 'tap';

t.testdirName = join(process.env.VP_TEST_FOLDER, basename(t.testdirName));

/**
 * Runs several test files in this process, one after another: starting Node, tap and the sources takes more than what a usual file tests.
 * Each file's `t` is a subtest here (`tsx-hook.mjs` gives it that in place of the root of tap), so that its own tests, hooks and folders are
 * apart from those of the others. `VP_TEST_FILES` names the files, one a line.
 *
 * After each file a line of JSON goes to the file that `VP_TEST_RECORDS` names. A file that leaves the process changed is a failure with what
 * it changed, and no other runs behind it: `run.mjs` runs those in processes of their own.
 */
import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { describeChange, readProcessState } from './process-state.ts';
import { readTreeMs } from './processor-time.ts';

const { VP_TEST_FILES: fileList = '', VP_TEST_RECORDS: recordsFile = '', VP_TEST_FOLDER: testFolder } = process.env;
for (const name of ['VP_TEST_FILES', 'VP_TEST_RECORDS']) delete process.env[name];
const [mark] = process.argv.slice(2);
/** How long what a file has started may take to end. */
const maxEndMs = 30_000;

const fileTests = new Map<string, unknown>();
Object.defineProperty(globalThis, Symbol.for('vp.fileTests'), { value: fileTests });

/** Called when nothing keeps the process alive, which is when a process of the file's own would end. */
let onIdle: (() => void) | undefined;

/** Resolves when nothing that a file has started is left; with what is left, if that takes too long. */
function waitForEnd(): Promise<string | undefined> {
  return new Promise((settle) => {
    const timer = setTimeout(() => {
      settle(`left something running: ${[...new Set(process.getActiveResourcesInfo())].join(', ')}`);
    }, maxEndMs).unref();
    onIdle = () => {
      onIdle = undefined;
      clearTimeout(timer);
      setImmediate(settle, undefined);
    };
  });
}

function record(file: string, problem: string | undefined): void {
  const [wallMs, processorMs] = [performance.now() - startMs, readTreeMs() - startTreeMs];
  appendFileSync(recordsFile, `${JSON.stringify({ file, wallMs, processorMs, problem })}\n`);
  startMs += wallMs;
  startTreeMs += processorMs;
}

async function runFile(file: string): Promise<string | undefined> {
  const url = pathToFileURL(resolve(file)).href;
  const before = readProcessState();
  await t.test(file, async (test) => {
    test.testdirName = join(testFolder ?? '.tap/fixtures', `${file.replaceAll('/', '-')}-${mark}`);
    fileTests.set(url, test);
    await import(url);
  });
  const remainder = await waitForEnd();
  if (t.results) return 'ended the tests of those behind it';
  return remainder ?? describeChange(before, readProcessState());
}

let startMs = 0;
let startTreeMs = 0;
let currentFile = '';
t.setTimeout(0);
t.pipe(process.stdout);
// tap would end here, with the first file; or whenever it is idle, once it has something to do at the end of all files.
process.removeAllListeners('beforeExit');
t.removeAllListeners('idle');
process.on('beforeExit', () => {
  if (onIdle) return onIdle();
  record(currentFile, 'waits for what never happens: nothing is left that could end its tests');
  process.exit();
});

for (currentFile of fileList.split('\n')) {
  const problem = await runFile(currentFile);
  record(currentFile, problem);
  if (problem !== undefined) process.exit();
}
process.removeAllListeners('beforeExit');
t.end();

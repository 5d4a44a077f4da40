/**
 * Runs tests and closes with exactly one line `N passed, N failed`.
 *
 *     node test/run.mjs                     every test but those of the suites below, and those that need a PostgreSQL server
 *     node test/run.mjs FILE…               only these
 *     node test/run.mjs --suite browser     test/browser, where a skipped test counts as failed
 *     node test/run.mjs --suite containers  test/containers, likewise
 *     --store postgres          the tests that need a PostgreSQL server, and those of services and stores that can run on
 *                                           either engine, on PostgreSQL
 *     --jobs=N                              files at a time: one for each core, and without a suite one more, because the
 *                                           longest files mostly wait (for leases to end, for the disk)
 *     --grep=PATTERN                        only tests whose name matches
 *
 * Each file is a process of its own that prints TAP (tap's own test class). They are started here and not by tap's command line, whose
 * hooks for coverage and reporters cost half a second of processor time a file, as much as a usual file's tests (measured:
 * 14 files of test/check 13.8 s against 6.6 s). What is counted are the tests that a file declares at its top. A file that
 * crashes, bails out, takes too long or tests nothing is a failure of its own.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { bundlePackages } from './packages.mjs';
import { createTapReader } from './tap-reader.ts';
import { createImportSearch } from './test-imports.mjs';

const suites = ['browser', 'containers'];
const storeEngine = 'postgres';
const storeFolders = [
  'control',
  'hub/access',
  'hub/approvals',
  'hub/audit',
  'hub/budgets',
  'hub/connections',
  'hub/gateway',
  'hub/hubs',
  'hub/policy',
  'hub/sign-in',
  'hub/tasks',
  'hub/tokens',
  'hub/tool-search',
  'hub/upstream',
  'hub/usage',
  'identity',
  'memory',
  'oauth',
  'notifications',
  'registry',
  'server',
  'store',
];
/**
 * About SQLite's files: lost, copied, restored, of an older version. Or tests that expect an answer of the store within one turn or
 * a few milliseconds, or whose own operations draw random numbers and cannot be repeated.
 */
const sqliteTests = [
  'test/control/accept-loss.test.ts',
  'test/control/backup.test.ts',
  'test/control/killed-restore.test.ts',
  'test/control/leases/stale-stores.test.ts',
  'test/control/restore.test.ts',
  'test/hub/approvals/changed-call.test.ts',
  'test/hub/approvals/held-call.test.ts',
  'test/hub/audit/audit-damage.test.ts',
  'test/hub/audit/audit-file.test.ts',
  'test/hub/audit/verify-chains.test.ts',
  'test/hub/audit/verify-statements.test.ts',
  'test/hub/tasks/held-task-interrupted.test.ts',
  'test/server/description/health.test.ts',
  'test/server/events/events.test.ts',
  'test/server/insight/year.test.ts',
  'test/store/control/scenario-migration.test.ts',
];
const fileTimeoutMs = 360_000;
const cacheFolder = '.cache/test';
const durationsFile = `${cacheFolder}/durations.json`;

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: {
      suite: { type: 'string' },
      store: { type: 'string' },
      jobs: { type: 'string' },
      grep: { type: 'string', multiple: true },
    },
    allowPositionals: true,
  });
  const jobs = Number(values.jobs ?? availableParallelism() + (values.suite === undefined ? 1 : 0));
  return { suite: values.suite, store: values.store, jobs, grep: values.grep, files: positionals };
}

/** What opens a PostgreSQL server only where `VP_TEST_STORE` says so, and the bench, which is no test. */
const exceptions = ['test/store/engine-under-test.ts', 'test/bench/parts.ts'];
const needsPostgres = createImportSearch('test/postgres/programs.ts', exceptions);
const usesEngine = createImportSearch('test/store/engine-under-test.ts');

/** Tests of what works on the stores, with fixtures that choose the engine by `VP_TEST_STORE`. */
const isStoreTest = (file) =>
  storeFolders.some((folder) => file.startsWith(`test/${folder}/`)) && !sqliteTests.includes(file) && usesEngine(file);

function listFiles(suite, store) {
  const all = globSync('test/**/*.test.{ts,tsx}').map((file) => file.replaceAll('\\', '/'));
  if (suite !== undefined) return all.filter((file) => file.startsWith(`test/${suite}/`));
  const own = all.filter((file) => !suites.some((name) => file.startsWith(`test/${name}/`)));
  return own.filter((file) => (store === undefined ? !needsPostgres(file) : needsPostgres(file) || isStoreTest(file)));
}

function readDurations() {
  try {
    return JSON.parse(readFileSync(durationsFile, 'utf8'));
  } catch {
    return {};
  }
}

/** The slowest files first, so that none of them is left alone at the end; at the first time those of test/e2e. */
function orderFiles(files, durations) {
  const expectedMs = (file) => durations[file] ?? (file.startsWith('test/e2e/') ? 10_000 : 1_000);
  return [...files].sort((a, b) => expectedMs(b) - expectedMs(a) || (a < b ? -1 : 1));
}

/**
 * A word in the names of this run's test folders: two runs in one checkout would empty each other's. Folders of tests that
 * were killed are left, and are removed with the run.
 */
const runMark = `r${process.pid.toString(36)}`;
const fixtures = '.tap/fixtures';

/** Linux has a file system in memory here; in containers it may be small. */
const memoryFolder = '/dev/shm';
const minMemoryBytes = 2 ** 31;

/**
 * A folder in memory for the tests' folders: stores sync their files thousands of times, which takes half of the time on a busy
 * disk. `link` leads there from this folder, because tap changes the working directory before it removes a folder elsewhere.
 * Undefined where there is no room, and for suites, because containers cannot mount it.
 */
function openMemoryFolder(suite) {
  if (suite !== undefined || !existsSync(memoryFolder)) return undefined;
  const { bavail, bsize } = statfsSync(memoryFolder);
  if (bavail * bsize < minMemoryBytes) return undefined;
  const folder = mkdtempSync(`${memoryFolder}/vp-tests-`);
  const link = resolve('.tap', runMark);
  mkdirSync('.tap', { recursive: true });
  symlinkSync(folder, link);
  return { folder, link };
}

function removeFolders() {
  const names = existsSync(fixtures) ? readdirSync(fixtures).filter((name) => name.includes(`-${runMark}`)) : [];
  const folders = names.map((name) => `${fixtures}/${name}`);
  if (testFolder !== undefined) folders.push(testFolder.link, testFolder.folder);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

const running = new Set();
let testFolder;

/** Runs one file; resolves with its output in lines, its exit and its duration. */
function runFile(file, { grep, store, packagesFolder }) {
  return new Promise((settle) => {
    const startMs = performance.now();
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? `${process.cwd()}/${cacheFolder}/compiled`,
      VP_TEST_PACKAGES: packagesFolder,
      ...(store === undefined ? {} : { VP_TEST_POSTGRES: 'required' }),
      ...(store === undefined || !isStoreTest(file) ? {} : { VP_TEST_STORE: store }),
      ...(testFolder === undefined ? {} : { VP_TEST_FOLDER: testFolder.link }),
      TAP_TIMEOUT: String(fileTimeoutMs / 1000),
      ...(grep === undefined ? {} : { TAP_GREP: grep.join('\n') }),
    };
    const imports = [
      '--import=./test/tsx-hook.mjs',
      ...(testFolder === undefined ? [] : ['--import=./test/test-folder.mjs']),
    ];
    const child = spawn(process.execPath, [...imports, file, runMark], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    });
    running.add(child);
    const lines = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 2000).unref();
    }, fileTimeoutMs);
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      running.delete(child);
      settle({ file, lines, exitCode, signal, timedOut, durationMs: performance.now() - startMs });
    });
  });
}

/** Runs all files, some at a time, and gives each one's result to the reader when it is complete. */
async function runFiles(files, { jobs, grep, store }, reader) {
  const packagesFolder = await bundlePackages(`${process.cwd()}/${cacheFolder}`);
  const durations = readDurations();
  const queue = orderFiles(files, durations);
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await runFile(file, { grep, store, packagesFolder });
      reader.readFile(result);
      durations[file] = Math.round(result.durationMs);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(durationsFile, JSON.stringify(durations));
}

/** How many failures are named again, so that the tail of a log has them all on a bad day too. */
const maxNamedFailures = 100;

/** Names what failed again, writes the last line and sets the exit code. */
function close({ passed, failed, failures }) {
  if (failures.length > 0) process.stdout.write('\nfailed:\n');
  for (const failure of failures.slice(0, maxNamedFailures)) process.stdout.write(`  ${failure}\n`);
  if (failures.length > maxNamedFailures) process.stdout.write(`  … and ${failures.length - maxNamedFailures} more\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function fail(problem) {
  process.stdout.write(`✗ ${problem}\n`);
  close({ passed: 0, failed: 1, failures: [] });
}

const { suite, store, jobs, grep, files: namedFiles } = parseCommandLine();
const files = namedFiles.length > 0 ? namedFiles : listFiles(suite, store);
const missing = files.filter((file) => !existsSync(file));
if (suite !== undefined && !suites.includes(suite))
  fail(`there is no suite ${suite}; use one of: ${suites.join(', ')}`);
else if (store !== undefined && store !== storeEngine) fail(`there is no other store than ${storeEngine}`);
else if (!Number.isSafeInteger(jobs) || jobs < 1) fail('--jobs must be a number from 1 up');
else if (missing.length > 0) fail(`no such file: ${missing.join(', ')}`);
else if (files.length === 0) fail('no test files');
else {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      for (const child of running) child.kill(signal);
      removeFolders();
      process.exit(130);
    });
  testFolder = openMemoryFolder(suite);
  const reader = createTapReader({ failOnSkip: suite !== undefined, write: (text) => process.stdout.write(text) });
  await runFiles(files, { jobs, grep, store }, reader);
  removeFolders();
  close(reader.totals());
}

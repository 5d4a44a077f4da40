/**
 * Runs tests and closes with exactly one line `N passed, N failed`.
 *
 *     node test/run.mjs                     every test but those of the suites below, and those that need a PostgreSQL server
 *     node test/run.mjs FILE…               only these; of a folder all in it
 *     node test/run.mjs --suite browser     test/browser, where a skipped test counts as failed
 *     node test/run.mjs --suite containers  test/containers, likewise
 *     --store postgres          the tests that need a PostgreSQL server, and those of services and stores that can run on
 *                                           either engine, on PostgreSQL
 *     --jobs=N                              files at a time: as many as keep the cores busy (`file-schedule.ts`), in a suite
 *                                           one for each core
 *     --grep=PATTERN                        only tests whose name matches
 *     --slowest=N                           then a table of the N files that took longest, with their processor time
 *     --attempts=N                          a file that failed runs again, alone, after all others, until it has run N times; where
 *                                           more than three failed, none does. What then passes is named as unstable
 *     --record                              writes what they took to test/recorded-costs.json; on a machine without other work
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
  statSync,
  symlinkSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { formatSlowest, readFileCosts, recordCosts, saveMeasuredCosts } from './file-costs.ts';
import { FileSchedule } from './file-schedule.ts';
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
/** Only a file that hangs uses it up; a slow machine takes several times as long as what was recorded. */
const fileTimeoutMs = 480_000 * Number(process.env.VP_TEST_CPU_THROTTLE ?? '1');
const cacheFolder = '.cache/test';

function parseCommandLine() {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: {
      suite: { type: 'string' },
      store: { type: 'string' },
      jobs: { type: 'string' },
      grep: { type: 'string', multiple: true },
      slowest: { type: 'string', default: '0' },
      attempts: { type: 'string', default: process.env.VP_TEST_ATTEMPTS ?? '1' },
      record: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  return { ...values, slowest: Number(values.slowest), attempts: Number(values.attempts), files: positionals };
}

/** How many files run at once. In a suite, and where `--jobs` says so, a fixed number. */
function getScheduleLimits({ suite, jobs }) {
  const cores = availableParallelism();
  const fixed = Number(jobs ?? cores);
  if (jobs !== undefined || suite !== undefined) return { cores, minRunning: fixed, maxRunning: fixed };
  return { cores, minRunning: cores + 1, maxRunning: 4 * cores };
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

/** The file itself, or those below a folder. */
function expandName(name) {
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) return [name];
  return globSync(`${name.replace(/\/+$/, '')}/**/*.test.{ts,tsx}`).sort();
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

const usageFolder = `${cacheFolder}/usage`;
let usageCount = 0;

/** Undefined where the process could not write it, because it was killed. */
function takeUsage(file) {
  if (!existsSync(file)) return undefined;
  const processorMs = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  return processorMs;
}

/** Runs one file; resolves with its output in lines, its exit, its duration and its processor time. */
function runFile(file, { grep, store, packagesFolder }) {
  return new Promise((settle) => {
    const startMs = performance.now();
    usageCount += 1;
    const usageFile = resolve(usageFolder, `${runMark}-${usageCount}`);
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? `${process.cwd()}/${cacheFolder}/compiled`,
      VP_TEST_PACKAGES: packagesFolder,
      ...(store === undefined ? {} : { VP_TEST_POSTGRES: 'required' }),
      ...(store === undefined || !isStoreTest(file) ? {} : { VP_TEST_STORE: store }),
      ...(testFolder === undefined ? {} : { VP_TEST_FOLDER: testFolder.link }),
      VP_TEST_USAGE: usageFile,
      TAP_TIMEOUT: String(fileTimeoutMs / 1000),
      ...(grep === undefined ? {} : { TAP_GREP: grep.join('\n') }),
    };
    const nodeArgs = [
      // Loading fills the usual 1 MB many times.
      '--min-semi-space-size=16',
      '--import=./test/usage-hook.mjs',
      '--import=./test/tsx-hook.mjs',
      ...(testFolder === undefined ? [] : ['--import=./test/test-folder.mjs']),
    ];
    const child = spawn(process.execPath, [...nodeArgs, file, runMark], {
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
      const durationMs = performance.now() - startMs;
      const processorMs = takeUsage(usageFile);
      settle({ file, lines, exitCode, signal, timedOut, durationMs, processorMs });
    });
  });
}

/** Runs all files, some at a time, and gives each one's result to the reader when it is complete. Resolves with their costs. */
async function runFiles(files, { limits, grep, store }, reader) {
  const packagesFolder = await bundlePackages(`${process.cwd()}/${cacheFolder}`);
  mkdirSync(usageFolder, { recursive: true });
  const schedule = new FileSchedule(files, readFileCosts(), limits);
  const costs = new Map();
  const runNext = async (file) => {
    const result = await runFile(file, { grep, store, packagesFolder });
    reader.readFile(result);
    const wallMs = Math.round(result.durationMs);
    costs.set(file, { wallMs, processorMs: result.processorMs ?? wallMs });
    schedule.finish(file);
    await startFitting();
  };
  const startFitting = async () => {
    const started = [];
    for (let file = schedule.take(); file !== undefined; file = schedule.take()) started.push(runNext(file));
    await Promise.all(started);
  };
  await startFitting();
  return costs;
}

/** With more failures than that it is not chance. */
const maxRepeatedFiles = 3;

/** Runs failed files again, one at a time: a race that a loaded machine lost once. What is wrong fails each time. */
async function repeatFailedFiles(attempts, { grep, store }, reader) {
  for (let attempt = 2; attempt <= attempts; attempt += 1) {
    const files = reader.listFailedFiles();
    if (files.length > maxRepeatedFiles) return;
    for (const file of files) {
      process.stdout.write(`↻ ${file}: attempt ${attempt} of ${attempts}\n`);
      const packagesFolder = await bundlePackages(`${process.cwd()}/${cacheFolder}`);
      reader.readFile(await runFile(file, { grep, store, packagesFolder }));
    }
  }
}

/** How many failures are named again, so that the tail of a log has them all on a bad day too. */
const maxNamedFailures = 100;

/** Names what failed again, writes the last line and sets the exit code. */
function close({ passed, failed, failures, unstable }) {
  if (unstable.length > 0) process.stdout.write('\nunstable: failed at first, and not when their file ran again\n');
  for (const failure of unstable) process.stdout.write(`  ${failure}\n`);
  if (failures.length > 0) process.stdout.write('\nfailed:\n');
  for (const failure of failures.slice(0, maxNamedFailures)) process.stdout.write(`  ${failure}\n`);
  if (failures.length > maxNamedFailures) process.stdout.write(`  … and ${failures.length - maxNamedFailures} more\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function fail(problem) {
  process.stdout.write(`✗ ${problem}\n`);
  close({ passed: 0, failed: 1, failures: [], unstable: [] });
}

const { suite, store, jobs, grep, slowest, attempts, record, files: namedFiles } = parseCommandLine();
const limits = getScheduleLimits({ suite, jobs });
const files = namedFiles.length > 0 ? namedFiles.flatMap(expandName) : listFiles(suite, store);
const missing = files.filter((file) => !existsSync(file));
if (suite !== undefined && !suites.includes(suite))
  fail(`there is no suite ${suite}; use one of: ${suites.join(', ')}`);
else if (store !== undefined && store !== storeEngine) fail(`there is no other store than ${storeEngine}`);
else if (!Number.isSafeInteger(limits.maxRunning) || limits.maxRunning < 1) fail('--jobs must be a number from 1 up');
else if (!Number.isSafeInteger(attempts) || attempts < 1) fail('--attempts must be a number from 1 up');
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
  // What `--grep` leaves out is skipped too.
  const failOnSkip = suite !== undefined && grep === undefined;
  const reader = createTapReader({ failOnSkip, write: (text) => process.stdout.write(text) });
  const startMs = performance.now();
  const costs = await runFiles(files, { limits, grep, store }, reader);
  await repeatFailedFiles(attempts, { grep, store }, reader);
  removeFolders();
  saveMeasuredCosts(costs);
  if (record) recordCosts(costs);
  if (slowest > 0) process.stdout.write(formatSlowest(costs, slowest, limits.cores, performance.now() - startMs));
  close(reader.totals());
}

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
 *                                           one more than there are cores
 *     --alone                               each file in a process of its own
 *     --grep=PATTERN                        only tests whose name matches
 *     --slowest=N                           then a table of the N files that took longest, with their processor time
 *     --attempts=N                          a file that failed runs again, alone, after all others, until it has run N times; where
 *                                           more than three failed, none does. What then passes is named as unstable
 *     --record                              writes what they took to test/recorded-costs.json; on a machine without other work
 *
 * Each file prints TAP (tap's own test class). Long files, and those that change or measure their process (`own-process.ts`), have a process
 * of their own; the others share one with up to 31 others (`file-batches.ts`). A file that hangs or ends the process is named, and those
 * behind it run again, each alone. Processes are started here and not by tap's command line, whose
 * hooks for coverage and reporters cost half a second of processor time a file, as much as a usual file's tests (measured:
 * 14 files of test/check 13.8 s against 6.6 s). What is counted are the tests that a file declares at its top. A file that
 * crashes, bails out, takes too long or tests nothing is a failure of its own.
 */
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { groupFiles } from './file-batches.ts';
import { formatSlowest, readFileCosts, recordCosts, saveMeasuredCosts } from './file-costs.ts';
import { estimateCost, FileSchedule } from './file-schedule.ts';
import { createIdleCoresReader } from './idle-cores.ts';
import { createOwnProcessSearch } from './own-process.ts';
import { bundlePackages } from './packages.mjs';
import { createTapReader } from './tap-reader.ts';
import { createImportSearch } from './test-imports.mjs';
import { createTestProcesses } from './test-processes.mjs';

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
  'test/hub/audit/recent-calls.test.ts',
  'test/hub/audit/recent-end.test.ts',
  'test/hub/audit/recent-full-disk.test.ts',
  'test/hub/audit/recent-restore.test.ts',
  'test/hub/audit/recent-rows.test.ts',
  'test/hub/audit/recent-slow-disk.test.ts',
  'test/hub/audit/recent-start.test.ts',
  'test/hub/audit/verify-chains.test.ts',
  'test/hub/audit/verify-statements.test.ts',
  'test/hub/tasks/held-task-interrupted.test.ts',
  'test/server/description/health.test.ts',
  'test/server/events/events.test.ts',
  'test/server/insight/year.test.ts',
  'test/store/control/scenario-migration.test.ts',
];
const cacheFolder = `${process.cwd()}/.cache/test`;

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
      alone: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  return { ...values, slowest: Number(values.slowest), attempts: Number(values.attempts), files: positionals };
}

/**
 * How many files run at once. In a suite, and where `--jobs` says so, a fixed number: in a suite one more than there are cores, because a file
 * often waits for a page, and what Chromium computes is not known.
 */
function getScheduleLimits({ suite, jobs }) {
  const cores = availableParallelism();
  const fixed = Number(jobs ?? cores + 1);
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

function removeFolders(testFolder) {
  const names = existsSync(fixtures) ? readdirSync(fixtures).filter((name) => name.includes(`-${runMark}`)) : [];
  const folders = names.map((name) => `${fixtures}/${name}`);
  if (testFolder !== undefined) folders.push(testFolder.link, testFolder.folder);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** What the processes of these files get beside the usual environment. */
const toEnvironment = (store) => (file) => ({
  ...(store === undefined ? {} : { VP_TEST_POSTGRES: 'required' }),
  ...(store === undefined || !isStoreTest(file) ? {} : { VP_TEST_STORE: store }),
});

/**
 * The files of each process. On PostgreSQL those of services share its server, which has a database for each test; a suite's tests change
 * the machine; and a pattern of names is about the tests at the top of a process.
 */
function groupProcesses(files, costs, { alone, suite, store, grep }) {
  if (alone || suite !== undefined || grep !== undefined) return files.map((file) => [file]);
  const needsOwnProcess = createOwnProcessSearch(exceptions);
  return groupFiles(files, costs, (file) => needsOwnProcess(file) || (store !== undefined && !isStoreTest(file)));
}

const sumCosts = (files, costs) =>
  files
    .map((file) => estimateCost(file, costs))
    .reduce((sum, cost) => ({
      wallMs: sum.wallMs + cost.wallMs,
      processorMs: sum.processorMs + cost.processorMs,
    }));

/** Long enough that a file has started and computes before the next is started for the same idle cores. */
const idleCheckMs = 1000;

/** Runs all files, some processes at a time, and gives each one's result to the reader when it is complete. Resolves with their costs. */
async function runFiles(files, processes, { limits, ...options }, reader) {
  const knownCosts = readFileCosts();
  const batches = new Map(groupProcesses(files, knownCosts, options).map((batch) => [batch.join('\n'), batch]));
  const batchCosts = Object.fromEntries([...batches].map(([key, batch]) => [key, sumCosts(batch, knownCosts)]));
  const schedule = new FileSchedule([...batches.keys()], batchCosts, limits);
  const costs = new Map();
  const pending = new Set();
  const runBatch = async (key) => {
    const batch = batches.get(key);
    for (const result of batch.length === 1 ? [await processes.runFile(key)] : await processes.runBatch(batch)) {
      reader.readFile(result);
      const wallMs = Math.round(result.durationMs);
      costs.set(result.file, { wallMs, processorMs: result.processorMs ?? wallMs });
    }
    schedule.finish(key);
    startFitting();
  };
  const start = (key) => {
    const end = runBatch(key).finally(() => pending.delete(end));
    pending.add(end);
  };
  const startFitting = () => {
    for (let key = schedule.take(); key !== undefined; key = schedule.take()) start(key);
  };
  const readIdleCores = createIdleCoresReader();
  const timer = setInterval(() => {
    const key = schedule.takeForIdle(readIdleCores());
    if (key !== undefined) start(key);
  }, idleCheckMs);
  startFitting();
  while (pending.size > 0) await Promise.all(pending);
  clearInterval(timer);
  return costs;
}

/** With more failures than that it is not chance. */
const maxRepeatedFiles = 3;

/** Runs failed files again, one at a time: a race that a loaded machine lost once. What is wrong fails each time. */
async function repeatFailedFiles(attempts, processes, reader) {
  for (let attempt = 2; attempt <= attempts; attempt += 1) {
    const files = reader.listFailedFiles();
    if (files.length > maxRepeatedFiles) return;
    for (const file of files) {
      process.stdout.write(`↻ ${file}: attempt ${attempt} of ${attempts}\n`);
      reader.readFile(await processes.runFile(file));
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

const { suite, store, jobs, grep, alone, slowest, attempts, record, files: namedFiles } = parseCommandLine();
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
  const testFolder = openMemoryFolder(suite);
  const packagesFolder = await bundlePackages(cacheFolder);
  const environmentOf = toEnvironment(store);
  const processes = createTestProcesses({ runMark, grep, packagesFolder, cacheFolder, testFolder, environmentOf });
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      processes.killAll(signal);
      removeFolders(testFolder);
      process.exit(130);
    });
  // What `--grep` leaves out is skipped too.
  const failOnSkip = suite !== undefined && grep === undefined;
  const reader = createTapReader({ failOnSkip, write: (text) => process.stdout.write(text) });
  const startMs = performance.now();
  const costs = await runFiles(files, processes, { limits, alone, suite, store, grep }, reader);
  await repeatFailedFiles(attempts, processes, reader);
  removeFolders(testFolder);
  // What a file takes is known of one engine; the other's files take about the same in proportion.
  const ownCosts = store === undefined ? costs : new Map([...costs].filter(([file]) => !isStoreTest(file)));
  saveMeasuredCosts(ownCosts);
  if (record) recordCosts(ownCosts);
  if (slowest > 0) process.stdout.write(formatSlowest(costs, slowest, limits.cores, performance.now() - startMs));
  close(reader.totals());
}

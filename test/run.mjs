/**
 * Runs tests and closes with exactly one line `N passed, N failed`.
 *
 *     node test/run.mjs                     every test but those of the suites below
 *     node test/run.mjs FILE…               only these
 *     node test/run.mjs --suite browser     test/browser, where a skipped test counts as failed
 *     node test/run.mjs --suite containers  test/containers, likewise
 *
 * Further options (`--grep=…`, `--jobs=1`) go to tap. What is counted are the tests a file declares at its top. A file
 * that crashes, bails out or tests nothing is a failure of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readTap } from './tap-lines.ts';

const suites = ['browser', 'containers'];
const tap = 'node_modules/tap/dist/esm/run.mjs';
const builtClass = 'node_modules/@tapjs/test/test-built/dist/esm/index.js';

/** The suite, the files and what goes on to tap. */
function asked() {
  const { values, tokens } = parseArgs({
    args: process.argv.slice(2),
    options: { suite: { type: 'string' } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const files = tokens.filter((token) => token.kind === 'positional').map((token) => token.value);
  const passedOn = tokens
    .filter((token) => token.kind === 'option' && token.name !== 'suite')
    .map((token) => (token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`));
  return { suite: values.suite, files: files.length > 0 ? files : filesOf(values.suite), passedOn };
}

function filesOf(suite) {
  const all = globSync('test/**/*.test.{ts,tsx}').sort();
  if (suite !== undefined) return all.filter((file) => file.startsWith(`test/${suite}/`));
  return all.filter((file) => !suites.some((name) => file.startsWith(`test/${name}/`)));
}

/** tap generates its test class for the plugins of .taprc; a fresh install has the one with its TypeScript plugin. */
function prepareTap() {
  if (existsSync(builtClass) && !readFileSync(builtClass, 'utf8').includes('@tapjs/typescript')) return;
  const { status, stdout, stderr } = spawnSync(process.execPath, [tap, 'build'], { encoding: 'utf8' });
  if (status !== 0) process.stdout.write(`tap build failed\n${stdout}${stderr}`);
}

/** The most that are named once more, so that the tail of a log has them all on a bad day too. */
const mostNamed = 100;

/** Names what failed once more, writes the last line and sets the exit code. */
function close(passed, failed, failures = []) {
  if (failures.length > 0) process.stdout.write('\nfailed:\n');
  for (const failure of failures.slice(0, mostNamed)) process.stdout.write(`  ${failure}\n`);
  if (failures.length > mostNamed) process.stdout.write(`  … and ${failures.length - mostNamed} more\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/**
 * A word that stands in the names of this run's test folders: two runs in one checkout would empty each other's. Folders of
 * tests that were ended by force are left, and go with the run.
 */
const mark = `r${process.pid.toString(36)}`;
const fixtures = '.tap/fixtures';

function removeFolders() {
  const left = existsSync(fixtures) ? readdirSync(fixtures).filter((name) => name.includes(`-${mark}`)) : [];
  for (const name of left) rmSync(`${fixtures}/${name}`, { recursive: true, force: true, maxRetries: 5 });
}

/** Ends with its own reason where tap itself stopped without telling of a failure. */
function closeAfter(totals, code, signal) {
  let failed = totals.failed;
  const unexplained = code !== 0 || signal !== null || totals.passed === 0;
  if (unexplained && failed === 0) {
    const how = signal ? `was ended by ${signal}` : code === 0 ? 'ran no test' : `ended with code ${code}`;
    process.stdout.write(`✗ the test runner ${how}\n`);
    failed = 1;
  }
  close(totals.passed, failed, totals.failures);
}

const { suite, files, passedOn } = asked();
if (suite !== undefined && !suites.includes(suite)) {
  process.stdout.write(`✗ there is no suite ${suite}; there are: ${suites.join(', ')}\n`);
  close(0, 1);
} else if (files.length === 0) {
  process.stdout.write('✗ no test files\n');
  close(0, 1);
} else {
  prepareTap();
  const own = ['--reporter=tap', '--disable-coverage', `--test-arg=${mark}`];
  const child = spawn(process.execPath, [tap, ...own, ...passedOn, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reader = readTap({ skippedFails: suite !== undefined, write: (text) => process.stdout.write(text) });
  createInterface({ input: child.stdout }).on('line', reader.line);
  child.on('close', (code, signal) => {
    removeFolders();
    closeAfter(reader.end(), code, signal);
  });
}

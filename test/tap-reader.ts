/**
 * Reads what a test file prints as TAP: one line per file when all is well, everything about a test that failed.
 * Tests at the top of a file stand unindented; what is inside of them is indented by four.
 */

type Outcome = 'passed' | 'failed' | 'skipped';

/** A test at the top of a file with all lines about it; the last one has no outcome where the file ended within it. */
type TopTest = { readonly lines: string[]; name: string; outcome?: Outcome };

/** The output and the end of a file's process. */
export type FileResult = {
  readonly file: string;
  readonly lines: readonly string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** What else is wrong with it; undefined where nothing is. */
  readonly problem?: string | undefined;
  readonly durationMs: number;
  /** Of the process and of those that it waited for; undefined where it was killed. */
  readonly processorMs?: number | undefined;
};

/**
 * Counts of tests at the top of their files; a file that fails apart from its tests counts as one. `failures` names them, and
 * `unstable` what failed at a file's first attempt and not at its last.
 */
export type Totals = {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
  readonly unstable: readonly string[];
};

/** What the last attempt of a file counted; `earlierFailures` are those of the attempts before. */
type FileCount = {
  readonly passed: number;
  readonly failures: readonly string[];
  readonly earlierFailures: readonly string[];
};

const resultLine = /^( *)(not ok|ok) \d+ - (.*?)(?: # (SKIP|TODO|time=)(.*))?$/;

function toOutcome(verdict: string | undefined, directive: string | undefined): Outcome {
  if (directive === 'SKIP' || directive === 'TODO') return 'skipped';
  return verdict === 'ok' ? 'passed' : 'failed';
}

/** Splits the lines of a file into its tests. Lines behind a result are its diagnostics, until the next test begins. */
function splitTests(lines: readonly string[], failOnSkip: boolean): TopTest[] {
  const tests: TopTest[] = [];
  const openTest = (): TopTest => {
    const last = tests.at(-1);
    if (last && last.outcome === undefined) return last;
    const test: TopTest = { lines: [], name: '' };
    tests.push(test);
    return test;
  };
  for (const line of lines) {
    const [, indent, verdict, name = '', directive] = resultLine.exec(line) ?? [];
    if (indent === '') {
      const test = openTest();
      test.lines.push(line);
      test.name = name;
      const skips = directive === 'SKIP' || test.lines.some((inner) => resultLine.exec(inner)?.[4] === 'SKIP');
      test.outcome = failOnSkip && skips ? 'failed' : toOutcome(verdict, directive);
    } else if (line.startsWith('# Subtest: ')) openTest().lines.push(line);
    else if (!/^(TAP version|\d+\.\.\d+|# |Bail out!|$)/.test(line)) (tests.at(-1) ?? openTest()).lines.push(line);
  }
  return tests;
}

/** Why a file failed apart from its tests; undefined where it did not. */
function findFileProblem(result: FileResult, tests: readonly TopTest[]): string | undefined {
  const { lines, exitCode, signal, timedOut } = result;
  if (timedOut) return 'timed out';
  const bail = lines.find((line) => line.startsWith('Bail out!'));
  if (bail !== undefined) return bail;
  if (result.problem !== undefined) return result.problem;
  if (signal !== null) return `ended by signal ${signal}`;
  if (tests.some((test) => test.outcome === 'failed')) return undefined;
  if (exitCode !== 0) return `ended with exit code ${exitCode}`;
  if (!tests.some((test) => test.outcome !== undefined)) return 'no test ran';
  if (!lines.some((line) => /^\d+\.\.\d+/.test(line))) return 'ended before its plan';
  return undefined;
}

/** Creates a reader. `failOnSkip` counts a skipped test as failed, also one inside another. */
export function createTapReader({ failOnSkip, write }: { failOnSkip: boolean; write(text: string): unknown }) {
  const counts = new Map<string, FileCount>();

  /** Of a file that is read again the last result counts. */
  function readFile(result: FileResult): void {
    const { file, durationMs, processorMs } = result;
    const tests = splitTests(result.lines, failOnSkip);
    const withOutcome = (outcome: Outcome): TopTest[] => tests.filter((test) => test.outcome === outcome);
    const problem = findFileProblem(result, tests);
    const passedCount = withOutcome('passed').length;
    const failures = withOutcome('failed').map((test) => `${file}: ${test.name}`);
    if (problem !== undefined) failures.push(`${file}: ${problem}`);
    const failedCount = failures.length;
    const skippedNames = withOutcome('skipped').map((test) => test.name);
    const before = counts.get(file);
    const earlierFailures = before ? [...before.earlierFailures, ...before.failures] : [];
    counts.set(file, { passed: passedCount, failures, earlierFailures });

    const facts = [`${passedCount} passed`];
    if (failedCount > 0) facts.push(`${failedCount} failed`);
    if (skippedNames.length > 0) facts.push(`skipped: ${skippedNames.join('; ')}`);
    const processor = processorMs === undefined ? '' : ` (processor ${processorMs} ms)`;
    write(`${failedCount > 0 ? '✗' : '✓'} ${file}: ${facts.join(', ')}, ${Math.round(durationMs)} ms${processor}\n`);
    if (failedCount === 0) return;
    if (problem !== undefined) write(`    ${problem}\n`);
    for (const test of tests) if (test.outcome !== 'passed') for (const line of test.lines) write(`    ${line}\n`);
  }

  function totals(): Totals {
    const all = [...counts.values()];
    const failures = all.flatMap((count) => count.failures);
    return {
      passed: all.reduce((sum, count) => sum + count.passed, 0),
      failed: failures.length,
      failures,
      unstable: all.flatMap((count) => count.earlierFailures.filter((failure) => !count.failures.includes(failure))),
    };
  }

  const listFailedFiles = (): string[] =>
    [...counts].filter(([, { failures }]) => failures.length > 0).map(([file]) => file);

  return { readFile, totals, listFailedFiles };
}

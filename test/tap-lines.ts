/**
 * Reads the lines of tap's `tap` reporter: a line per file when all is well, everything told about a test that failed.
 *
 * A file's tests stand indented by four; its own result follows unindented, and then, if it failed, its diagnostics. So a
 * file is told when the next one begins, or at the end.
 */

type Outcome = 'passed' | 'failed' | 'skipped';
/** A test at the top of a file, with all lines about it. Lines before the first test belong to one without outcome. */
type TestLines = { readonly lines: string[]; name?: string; outcome?: Outcome };
type File = {
  readonly name: string;
  readonly tests: TestLines[];
  readonly diagnostics: string[];
  result?: { readonly ok: boolean; readonly milliseconds: string | undefined };
  bail?: string;
};

/**
 * Counts of tests at the top of their files; a file that ends badly by itself counts as one failed. `failures` names them
 * once more, a line each.
 */
export type Totals = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] };

const resultLine = /^( *)(not ok|ok) \d+ - (.*?)(?: # (SKIP|TODO|time=)(.*))?$/;

const newFile = (name = ''): File => ({ name, tests: [], diagnostics: [] });

function outcomeOf(verdict: string | undefined, directive: string | undefined): Outcome {
  if (directive === 'SKIP' || directive === 'TODO') return 'skipped';
  return verdict === 'ok' ? 'passed' : 'failed';
}

/** The test that lines are about now; a new one when the last has its outcome and `begins`. */
function currentTest(file: File, begins: boolean): TestLines {
  const last = file.tests.at(-1);
  if (last && !(begins && last.outcome !== undefined)) return last;
  const test: TestLines = { lines: [] };
  file.tests.push(test);
  return test;
}

/**
 * Makes a reader. `skippedFails` counts a skipped test as failed, also one inside another; `write` takes the text for
 * people. Give each line to `line`; call `end` once for the counts.
 */
export function readTap({ skippedFails, write }: { skippedFails: boolean; write(text: string): unknown }) {
  const totals = { passed: 0, failed: 0, failures: [] as string[] };
  let file = newFile();

  function line(text: string): void {
    const [, indent, verdict, name, directive, rest] = resultLine.exec(text) ?? [];
    if (indent === '') file.result = { ok: verdict === 'ok', milliseconds: directive === 'time=' ? rest : undefined };
    else if (indent?.length === 4) addResult(outcomeOf(verdict, directive), name, text);
    else if (text.startsWith('# Subtest: ')) beginFile(text.slice('# Subtest: '.length));
    else if (text.startsWith('    # Subtest: ')) currentTest(file, true).lines.push(text);
    else if (text.startsWith('Bail out!')) file.bail = text;
    else if (text.startsWith('  ')) (file.result ? file.diagnostics : currentTest(file, false).lines).push(text);
  }

  function beginFile(name: string): void {
    endFile();
    file = newFile(name);
  }

  function addResult(outcome: Outcome, name = '', text = ''): void {
    const test = currentTest(file, true);
    test.lines.push(text);
    const skips = outcome === 'skipped' || test.lines.some((inner) => resultLine.exec(inner)?.[4] === 'SKIP');
    test.outcome = skippedFails && skips ? 'failed' : outcome;
    test.name = name;
  }

  function endFile(): void {
    if (file.result !== undefined || file.bail !== undefined) tell(file);
    file = newFile();
  }

  function tell({ name, result, bail, tests, diagnostics }: File): void {
    const having = (outcome: Outcome): TestLines[] => tests.filter((test) => test.outcome === outcome);
    const passed = having('passed').length;
    const skipped = having('skipped').map((test) => test.name);
    const badTests = having('failed').length;
    const nothing = passed + badTests + skipped.length === 0;
    const ownFailure = badTests === 0 && (nothing || bail !== undefined || result?.ok !== true);
    const failed = badTests + (ownFailure ? 1 : 0);
    totals.passed += passed;
    totals.failed += failed;
    for (const test of having('failed')) totals.failures.push(`${name}: ${test.name}`);
    if (ownFailure) totals.failures.push(`${name}: ${bail ?? (nothing ? 'no test ran' : 'the file itself failed')}`);

    const facts = [`${passed} passed`];
    if (failed > 0) facts.push(`${failed} failed`);
    if (skipped.length > 0) facts.push(`skipped: ${skipped.join('; ')}`);
    if (result?.milliseconds) facts.push(`${Math.round(Number.parseFloat(result.milliseconds))} ms`);
    write(`${failed > 0 ? '✗' : '✓'} ${name}: ${facts.join(', ')}\n`);
    if (failed === 0) return;
    if (bail !== undefined) write(`    ${bail}\n`);
    else if (nothing) write('    no test ran in this file\n');
    for (const test of tests) if (test.outcome !== 'passed') write(`${test.lines.join('\n')}\n`);
    if (ownFailure) for (const fact of diagnostics) if (/exitCode|signal|reason|error/.test(fact)) write(`${fact}\n`);
  }

  function end(): Totals {
    endFile();
    return totals;
  }

  return { line, end };
}

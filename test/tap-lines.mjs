/**
 * Reads the lines of tap's `tap` reporter: a line per file when all is well, everything told about a test that failed.
 *
 * A file's tests stand indented by four; its own result follows unindented, and then, if it failed, its diagnostics. So a
 * file is told when the next one begins, or at the end.
 */

const resultLine = /^( *)(not ok|ok) \d+ - (.*?)(?: # (SKIP|TODO|time=)(.*))?$/;

/**
 * Makes a reader. `skippedFails` counts a skipped test as failed; `write` takes the text for people. Give each line to
 * `line`; call `end` once for the counts.
 */
export function readTap({ skippedFails, write }) {
  const totals = { passed: 0, failed: 0 };
  let file = newFile();

  function line(text) {
    const [, indent, verdict, name, directive, rest] = resultLine.exec(text) ?? [];
    if (indent === '') file.result = { verdict, milliseconds: directive === 'time=' ? rest : undefined };
    else if (indent?.length === 4) addResult(outcomeOf(verdict, directive), name, text);
    else if (text.startsWith('# Subtest: ')) beginFile(text.slice('# Subtest: '.length));
    else if (text.startsWith('    # Subtest: ')) file.tests.push({ lines: [text] });
    else if (text.startsWith('Bail out!')) file.bail = text;
    else if (/^ {2}/.test(text)) (file.result ? file.diagnostics : file.tests.at(-1).lines).push(text);
  }

  function beginFile(name) {
    endFile();
    file = newFile(name);
  }

  function outcomeOf(verdict, directive) {
    if (directive === 'SKIP' || directive === 'TODO') return 'skipped';
    return verdict === 'ok' ? 'passed' : 'failed';
  }

  function addResult(outcome, name, text) {
    if (file.tests.at(-1).outcome !== undefined) file.tests.push({ lines: [] });
    const test = file.tests.at(-1);
    test.lines.push(text);
    const skipsInside = skippedFails && test.lines.some((inner) => resultLine.exec(inner)?.[4] === 'SKIP');
    Object.assign(test, { outcome: skipsInside ? 'failed' : outcome, name });
  }

  function endFile() {
    if (file.result !== undefined || file.bail !== undefined) tell(file);
    file = newFile();
  }

  function tell({ name, result, bail, tests, diagnostics }) {
    const count = (outcome) => tests.filter((test) => test.outcome === outcome).length;
    const skipped = tests.filter((test) => test.outcome === 'skipped').map((test) => test.name);
    const passed = count('passed');
    let failed = count('failed');
    const nothing = passed + failed + skipped.length === 0;
    const ownFailure = failed === 0 && (nothing || bail !== undefined || result.verdict !== 'ok');
    if (ownFailure) failed = 1;
    totals.passed += passed;
    totals.failed += failed;

    const facts = [`${passed} passed`];
    if (failed > 0) facts.push(`${failed} failed`);
    if (skipped.length > 0) facts.push(`skipped: ${skipped.join('; ')}`);
    if (result?.milliseconds) facts.push(`${Math.round(Number.parseFloat(result.milliseconds))} ms`);
    write(`${failed > 0 ? '✗' : '✓'} ${name}: ${facts.join(', ')}\n`);
    if (failed === 0) return;
    if (bail !== undefined) write(`    ${bail}\n`);
    else if (nothing) write('    no test ran in this file\n');
    for (const test of tests) if (test.outcome !== 'passed') write(`${test.lines.join('\n')}\n`);
    if (ownFailure) write(`${diagnostics.filter((text) => /exitCode|signal|reason|error/.test(text)).join('\n')}\n`);
  }

  function end() {
    endFile();
    return totals;
  }

  return { line, end };
}

/** What is known of the file being read; text before its first test has a place of its own. */
function newFile(name = '') {
  return { name, result: undefined, bail: undefined, tests: [{ lines: [] }], diagnostics: [] };
}

/** Where `vp run` and `vp prove` end with an error, no format for CI systems is green. */
import t from 'tap';
import { renderCodeQuality } from '../../src/report/code-quality.ts';
import { renderCtrf } from '../../src/report/ctrf.ts';
import { renderJunit } from '../../src/report/junit.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import type { Report } from '../../src/report/report.ts';
import type { RunResults } from '../../src/report/results.ts';
import { renderSarif } from '../../src/report/sarif.ts';
import { createResults, passed } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/a.md', text: '# a' }]]);

/** What each format says: the number of failures and errors, or whether it is green. */
function readFormats(results: RunResults) {
  const [, failures, errors] = /<testsuites .*?failures="(\d+)" errors="(\d+)"/.exec(renderJunit(results)) ?? [];
  const [run] = JSON.parse(renderSarif(results)).runs;
  return {
    markdown: renderMarkdown(results).split('\n')[0],
    junit: [Number(failures), Number(errors)],
    ctrf: JSON.parse(renderCtrf(results)).results.summary.failed,
    sarif: run.results.length + run.invocations[0].toolExecutionNotifications.length,
    codeQuality: JSON.parse(renderCodeQuality(results)).length,
  };
}

const check = { line: 18, changes: 1, noticed: 0, covered_by: [], example: null, advice: 'state a value' };

function proven(verdict: 'proven' | 'never_fails' | 'not_tried', problem: string | null = null): Report {
  const checks = [{ ...check, text: 'body has count matching .*', verdict }];
  return { ...passed(), proof: { changes: 1, checks, unchecked: [], problem } };
}

t.test('a run whose checks are proven is green everywhere', async (t) => {
  t.same(readFormats(createResults([proven('proven')], { sources, isProof: true })), {
    ...{ markdown: '### ✅ The run passed', junit: [0, 0], ctrf: 0, sarif: 0, codeQuality: 0 },
  });
});

t.test('a check that never fails is a failure at its line', async (t) => {
  const results = createResults([passed(), proven('never_fails')], { sources });
  t.same(readFormats(results), {
    markdown: '### ❌ 1 of 2 runs did not pass or are not proven',
    ...{ junit: [1, 0], ctrf: 1, sarif: 1, codeQuality: 1 },
  });
  t.match(renderJunit(results), /testcase name="RT-GET-document \[proof\]".*file="scenarios\/a.md" line="18"/);
  t.match(renderJunit(results), '<failure type="check_never_fails" message="never fails: body has count');
});

t.test('what could not be proven is an error', async (t) => {
  const expected = {
    markdown: '### ❌ 1 of 1 run did not pass or are not proven',
    ...{ junit: [0, 1], ctrf: 1, sarif: 1, codeQuality: 1 },
  };
  for (const report of [proven('not_tried'), proven('proven', 'the response was cut'), passed()])
    t.same(readFormats(createResults([report], { sources, isProof: true })), expected);
});

t.test('a run without a report is an error', async (t) => {
  for (const state of ['cancelled', 'no_report'] as const) {
    const run = { scenarioId: 'B', instance: 'shop', runId: '20261120T1', state, hint: 'see vp runs show' };
    t.same(readFormats(createResults([passed()], { sources, unfinished: [run] })), {
      markdown: '### ❌ 1 of 2 runs did not pass',
      ...{ junit: [0, 1], ctrf: 1, sarif: 1, codeQuality: 0 },
    });
  }
});

t.test('an error before the first result is displayed', async (t) => {
  const text = renderMarkdown(createResults([], { problem: 'no scenario has the tag <smoke>' }));
  t.match(text, /^### ❌ Nothing was run\n/);
  t.match(text, 'no scenario has the tag');
  t.match(JSON.parse(renderSarif(createResults([], { problem: 'no scenario' }))).runs[0].invocations, [
    { executionSuccessful: false },
  ]);
});

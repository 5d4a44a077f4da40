import t from 'tap';
import { renderJunit } from '../../src/report/junit.ts';
import { findMarkupProblem } from './markup-problem.ts';
import { broken, cancelled, createResults, failed, failingText, passed } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

t.test('a failing check is a failure with its text, file and line', async (t) => {
  const xml = renderJunit(createResults([failed()], { sources }));
  t.equal(findMarkupProblem(xml), undefined);
  t.ok(
    xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="vp" tests="1" failures="1" errors="0"'),
  );
  t.match(xml, '<testcase name="RT-GET-document" classname="sign-prod.HTTP Ingestion" time="0.032" assertions="2"');
  t.match(xml, 'file="scenarios/RT-GET-document.md" line="20"');
  t.match(xml, '<failure type="body_mismatch" message="status matched but the response body');
  t.match(xml, 'actual    0');
});

t.test('a run that could not be judged is an error, not a failure', async (t) => {
  const xml = renderJunit(createResults([broken()]));
  t.match(xml, 'failures="0" errors="1" skipped="0"');
  t.match(xml, '<error type="timeout" message="no answer within 30 s">');
  t.notMatch(xml, '<failure');
});

t.test('cancelled and unfinished runs are never green', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'sign-prod', runId: '20261120T143012999' };
  const unfinished = [{ ...run, state: 'queued', hint: 'see `vp runs`' }] as const;
  const xml = renderJunit(createResults([cancelled()], { unfinished }));
  t.match(xml, 'tests="2" failures="0" errors="2" skipped="0"');
  t.match(xml, '<error type="cancelled" message="cancelled by ana; run it again">');
  t.match(xml, '<error type="unfinished" message="not finished: queued, run 20261120T143012999">see `vp runs`</error>');
  t.equal(findMarkupProblem(xml), undefined);
});

t.test('a passed run has neither failure nor error', async (t) => {
  const xml = renderJunit(createResults([passed()]));
  t.match(xml, 'tests="1" failures="0" errors="0"');
  t.notMatch(xml, /<(failure|error)/);
});

t.test('properties carry what JUnit has no attribute for', async (t) => {
  const xml = renderJunit(createResults([passed()]));
  for (const [name, value] of [
    ['vp.run_id', '20261120T143012345'],
    ['vp.correlation_id', 'tr-20261120T143012345-x7Yz'],
    ['vp.assertions_enforced_count', '1'],
    ['vp.observed_status', '200'],
    ['vp.revision', '3'],
    ['vp.tags', 'http,smoke'],
    ['vp.version', '0.4.0'],
    ['vp.instance', 'sign-prod'],
  ]) {
    t.match(xml, `<property name="${name}" value="${value}"/>`);
  }
  t.notMatch(renderJunit(createResults([passed({ revision: null })])), 'vp.revision');
});

t.test('each repetition of the scenarios is a suite, whatever the order in which runs end', async (t) => {
  const [a, b] = [{ scenarioId: 'A' }, { scenarioId: 'B' }];
  const xml = renderJunit(createResults([passed(a), failed(a), passed(b), passed(b)]));
  t.same(
    [...xml.matchAll(/<testsuite name="([^"]*)" tests="(\d)" failures="(\d)"/g)].map((match) => match.slice(1)),
    [
      ['sign-prod', '2', '0'],
      ['sign-prod #2', '2', '1'],
    ],
  );
  t.match(xml, '<testsuites name="vp" tests="4" failures="1"');
});

t.test('each instance has its suites', async (t) => {
  const xml = renderJunit(createResults([passed(), passed({ instanceId: 'sign-test' })]));
  t.match(xml, '<testsuite name="sign-prod" tests="1"');
  t.match(xml, '<testsuite name="sign-test" tests="1"');
});

t.test('no external text can break the document', async (t) => {
  const evil = `"/></testcase><x y='1'>&]]>\u0000\u001b[2J\ufffe\ud800`;
  const report = failed();
  const failure = { kind: evil, message: evil, cure: evil };
  const scenario = { ...report.scenario, id: evil, title: evil, tags: [evil], layer: evil };
  const checks = report.failed_checks.map((check) => ({ ...check, text: evil, actual: evil, expected: evil }));
  const bad = { ...report, result: 'failed', instance: evil, failure, scenario, failed_checks: checks } as const;
  const xml = renderJunit(createResults([bad], { sources: new Map([[evil, { file: evil, text: evil }]]) }));
  t.equal(findMarkupProblem(xml), undefined);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows none of them
  t.notMatch(xml, /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
});

t.test('without runs the document is empty and valid', async (t) => {
  const xml = renderJunit(createResults([]));
  t.match(xml, '<testsuites name="vp" tests="0"');
  t.equal(findMarkupProblem(xml), undefined);
});

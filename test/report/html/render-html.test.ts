import { createHash } from 'node:crypto';
import t from 'tap';
import { renderHtml } from '../../../src/report/html/render-html.ts';
import { renderReport } from '../../../src/report/text/render-text.ts';
import { plainStyles } from '../../../src/report/text/text-styles.ts';
import { findMarkupProblem } from '../markup-problem.ts';
import { broken, cancelled, createResults, failed, failingText, passed, sampleReport } from '../report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

t.test('the page is one file that loads nothing and executes its one script', async (t) => {
  const page = renderHtml(createResults([passed(), failed(), broken(), cancelled()]));
  t.ok(page.startsWith('<!doctype html>'));
  t.notMatch(page, /<link|<img|<iframe|\bsrc=|url\(|@import|https?:\/\/(?!app:)/i);
  const [, script = '', ...others] = page.split(/<script>|<\/script>/);
  t.equal(others.length, 1, 'one script');
  const hash = `sha256-${createHash('sha256').update(script).digest('base64')}`;
  t.match(page, `content="default-src 'none'; style-src 'unsafe-inline'; script-src '${hash}'"`);
  t.equal(findMarkupProblem(page), undefined);
});

t.test('what did not pass comes first with its reason, and passed runs are folded', async (t) => {
  const page = renderHtml(createResults([passed({ runId: '20261120T000000001' }), failed(), broken()]));
  const [first = '', second = '', third = ''] = page.split('<details class="run ').slice(1);
  t.match(first, /^is-failed" id="20261120T143012345" open>/);
  t.match(first, '✕ failed');
  t.match(first, '<span class="reason mono">body has count matching ^[1-9][0-9]*$: expected');
  t.match(second, /^is-broken" id="\w+">/);
  t.match(second, '! could not be judged');
  t.match(third, /^is-passed" id="20261120T000000001">/);
  t.match(page, '<details class="group"><summary>1 passed</summary>');
  t.match(renderHtml(createResults([passed()])), '<details class="group" open>', 'a page of one run shows it');
});

t.test('an index, filters with counts and a search help in many runs', async (t) => {
  const run = { instance: 'i', runId: undefined, state: 'not_requested', hint: 'x' } as const;
  const reports = [passed(), failed({ scenarioId: 'A' }), failed({ scenarioId: 'B' }), broken({ scenarioId: 'C' })];
  const page = renderHtml(createResults(reports, { unfinished: [{ ...run, scenarioId: 'D' }] }));
  t.match(page, 'Index of 3 runs that did not pass');
  t.match(page, '<a href="#20261120T143012345">A</a> <span class="quiet mono">body has count');
  for (const label of ['all (5)', 'failed (2)', 'not judged (1)', 'not run (1)', 'passed (1)'])
    t.match(page, `/> ${label}<`);
  t.match(page, '<div id="tools" hidden="">', 'without scripts there is no search');
  t.notMatch(renderHtml(createResults([failed()])), 'name="filter"', 'one run needs none of it');
});

t.test('the failing value of a body that is stored in part is visible', async (t) => {
  const report = failed();
  const { request, response } = report.exchange;
  const body = { text: `{"data":[${'"x",'.repeat(20_000)}`, size_bytes: 304_000, truncated: true };
  const cut = { ...report, exchange: { request, response: response && { ...response, body } } };
  const page = renderHtml(createResults([cut]));
  t.match(page, '<mark>/count  0</mark>');
  t.match(page, 'the body has 304 kB; this value is beyond what is stored');
  t.match(page, 'Response: status 200, 304 kB, truncated here');
  t.ok(page.length < 100_000, `${page.length} characters`);
  t.match(renderReport(cut, plainStyles), /> \/count {2}0\n/);
});

t.test('a thousand runs with large bodies stay below 10 MB, and every run and reason is there', async (t) => {
  const text = JSON.stringify({ data: Array.from({ length: 2000 }, (_, index) => ({ index, name: 'x'.repeat(20) })) });
  const reports = Array.from({ length: 1000 }, (_, index) => {
    const report = (index % 3 === 0 ? passed : failed)({
      runId: `20261120T14301${2000 + index}`,
      scenarioId: `RT-${index}`,
    });
    const { request, response } = report.exchange;
    const body = { text, size_bytes: text.length, truncated: false };
    return { ...report, exchange: { request, response: response && { ...response, body } } };
  });
  const page = renderHtml(createResults(reports, { sources }));
  t.ok(Buffer.byteLength(page) < 10_000_000, `${Buffer.byteLength(page)} bytes`);
  t.equal(page.match(/ id="20261120T14301\d{4}"/g)?.length, 1000);
  t.equal(page.match(/<span class="reason mono">body has count/g)?.length, 666);
  t.match(page, 'Request and response are left out of this large report');
  t.equal(findMarkupProblem(page), undefined);
});

t.test('the title is the summary', async (t) => {
  t.match(renderHtml(createResults([passed(), failed()])), '<title>1 failed, 1 passed</title>');
  t.match(renderHtml(createResults([])), '<title>nothing was run</title>');
});

t.test('a failing check is displayed with its position, expected, actual and the marked value', async (t) => {
  const page = renderHtml(createResults([failed()], { sources }));
  t.match(page, 'scenarios/RT-GET-document.md:20:3');
  t.match(page, '<td class="mono">a value matching ^[1-9][0-9]*$</td>');
  t.match(page, '<mark>  &quot;count&quot;: 0,</mark>');
});

t.test('the page contains request, response and timings', async (t) => {
  const page = renderHtml(createResults([passed()]));
  t.match(page, 'GET http://app:3100/api/v2/document');
  t.match(page, 'content-type: application/json');
  t.match(page, '{&quot;data&quot;:[]');
  t.match(page, 'connect 1.3 ms · first byte 31 ms · body 31 ms · total 32 ms');
  t.match(page, 'tr-20261120T143012345-x7Yz');
});

t.test('phases, log lines and queries are on one time axis, the steps before them', async (t) => {
  const report = passed();
  const line = { text: '<created>', level: null, error: true, saga_event: false, at_ms: 12.34 };
  const log = {
    line_count: 1,
    error_count: 1,
    saga_event_count: 0,
    problem: null,
    cure: null,
    waited_ms: 1,
    lines: [line],
  };
  const timings = { ...report.timings, queued_ms: 0, before_ms: 20, total_ms: 80, evidence_ms: null };
  const page = renderHtml(createResults([{ ...report, attempts: 2, log, timings }]));
  t.match(page, '<i class="bad" style="left:12.34%;width:0.00%" title="+12.3 ms &lt;created&gt;"></i>');
  t.match(page, /<th>earlier attempts<\/th><td><div class="axis"><i class="" style="left:0.00%;width:20.00%"/);
  t.match(page, '20 ms until the request · connect');
});

t.test('light and dark colour schemes are supported', async (t) => {
  const page = renderHtml(createResults([]));
  t.match(page, 'color-scheme: light dark');
  t.match(page, '@media (prefers-color-scheme: dark)');
});

t.test('a missing response is stated', async (t) => {
  const page = renderHtml(createResults([broken()]));
  t.match(page, 'No response was received.');
  t.match(page, '– not judged');
  const unsent = { ...broken(), exchange: { request: null, response: null } };
  t.match(renderHtml(createResults([unsent])), 'Nothing was sent.');
});

t.test('a body that is not text is not displayed', async (t) => {
  const report = passed();
  const { request, response } = report.exchange;
  const body = { text: null, size_bytes: 2048, truncated: true };
  const page = renderHtml(
    createResults([{ ...report, exchange: { request, response: response && { ...response, body } } }]),
  );
  t.match(page, '2 kB, truncated here');
  t.match(page, 'Not displayed: not text, or expired.');
});

t.test('unfinished runs are listed with a hint', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'i', runId: '20261120T143012999', state: 'queued' } as const;
  const page = renderHtml(createResults([passed()], { unfinished: [{ ...run, hint: 'see `vp runs`' }] }));
  t.match(page, '<title>1 passed, 1 not finished</title>');
  t.match(page, 'queued · 20261120T143012999');
  t.match(page, 'see `vp runs`');
});

t.test('nothing from a target becomes markup', async (t) => {
  const evil = `</pre></td><script>alert(1)</script><img src=x onerror="x"> & ' \u001b[2J`;
  const report = sampleReport(['status=200', 'body has a equals 1'], {
    status: 200,
    body: { a: evil, [evil]: evil },
    headers: [[evil, evil]],
  });
  const page = renderHtml(createResults([{ ...report, notes: [evil] }]));
  t.equal(page.split('<script').length, 2, 'only the script of the page');
  t.notMatch(page, /<img/);
  t.notMatch(page, '\u001b');
  t.equal(findMarkupProblem(page), undefined);
});

t.test('thousands of runs are all listed', async (t) => {
  const reports = Array.from({ length: 4000 }, (_, index) => passed({ runId: `20261120T14301${2000 + index}` }));
  const page = renderHtml(createResults([...reports, failed()]));
  t.ok(page.length < 10_000_000, `${page.length} characters`);
  t.equal(page.match(/ id="20261120T\d{9}"/g)?.length, 4001);
  t.match(page, '<title>1 failed, 4000 passed</title>');
});

t.test('timings of zero do not divide by zero', async (t) => {
  const report = passed();
  const timings = {
    queued_ms: 0,
    connect_ms: null,
    first_byte_ms: null,
    body_ms: null,
    total_ms: 0,
    evidence_ms: null,
  };
  t.notMatch(renderHtml(createResults([{ ...report, timings }])), 'NaN');
});

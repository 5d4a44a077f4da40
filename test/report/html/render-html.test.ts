import t from 'tap';
import { renderHtml } from '../../../src/report/html/render-html.ts';
import { findMarkupProblem } from '../markup-problem.ts';
import { broken, cancelled, createResults, failed, failingText, passed, sampleReport } from '../report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

t.test('the page is one file that loads and executes nothing', async (t) => {
  const page = renderHtml(createResults([passed(), failed(), broken(), cancelled()]));
  t.ok(page.startsWith('<!doctype html>'));
  t.notMatch(page, /<script|<link|<img|<iframe|\bsrc=|url\(|@import/i);
  t.match(page, `content="default-src 'none'; style-src 'unsafe-inline'"`);
  t.equal(findMarkupProblem(page), undefined);
});

t.test('failed runs come first and are expanded, passed ones are collapsed', async (t) => {
  const page = renderHtml(createResults([passed({ runId: '20261120T000000001' }), failed(), broken()]));
  const [first = '', second = '', third = ''] = page.split('<details class="run"').slice(1);
  t.match(first, /^ id="20261120T143012345" open>/);
  t.match(first, '✕ failed');
  t.match(second, '! could not be judged');
  t.match(third, /^ id="20261120T000000001">/);
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
  t.notMatch(page, /<script|<img/);
  t.notMatch(page, '\u001b');
  t.equal(findMarkupProblem(page), undefined);
});

t.test('thousands of passed runs are one line each, so that the page opens quickly', async (t) => {
  const reports = Array.from({ length: 4000 }, (_, index) => passed({ runId: `20261120T14301${2000 + index}` }));
  const page = renderHtml(createResults([...reports, failed()]));
  t.ok(page.length < 3_000_000, `${page.length} characters`);
  t.equal(page.split('<details class="run"').length - 1, 4001);
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

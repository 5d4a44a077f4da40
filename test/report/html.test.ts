import t from 'tap';
import { htmlResults } from '../../src/report/html.ts';
import { broken, cancelled, failed, failingText, passed, resultsOf, sampleReport } from './samples.ts';
import { problemInMarkup } from './well-formed.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

t.test('the page is one file that loads and executes nothing', async (t) => {
  const page = htmlResults(resultsOf([passed(), failed(), broken(), cancelled()]));
  t.ok(page.startsWith('<!doctype html>'));
  t.notMatch(page, /<script|<link|<img|<iframe|\bsrc=|url\(|@import/i);
  t.match(page, `content="default-src 'none'; style-src 'unsafe-inline'"`);
  t.equal(problemInMarkup(page), undefined);
});

t.test('what failed comes first and stands open, what passed is closed', async (t) => {
  const page = htmlResults(resultsOf([passed({ runId: '20261120T000000001' }), failed(), broken()]));
  const [first = '', second = '', third = ''] = page.split('<details class="run"').slice(1);
  t.match(first, /^ id="20261120T143012345" open>/);
  t.match(first, '✕ failed');
  t.match(second, '! could not be judged');
  t.match(third, /^ id="20261120T000000001">/);
});

t.test('the title is the answer', async (t) => {
  t.match(htmlResults(resultsOf([passed(), failed()])), '<title>1 failed, 1 passed</title>');
  t.match(htmlResults(resultsOf([])), '<title>nothing was run</title>');
});

t.test('a failing check stands with its place, expected, actual and the marked value', async (t) => {
  const page = htmlResults(resultsOf([failed()], { sources }));
  t.match(page, 'scenarios/RT-GET-document.md:20:3');
  t.match(page, '<td class="mono">a value matching ^[1-9][0-9]*$</td>');
  t.match(page, '<mark>  &quot;count&quot;: 0,</mark>');
});

t.test('it shows what was sent, what came back and how long it took', async (t) => {
  const page = htmlResults(resultsOf([passed()]));
  t.match(page, 'GET http://app:3100/api/v2/document');
  t.match(page, 'content-type: application/json');
  t.match(page, '{&quot;data&quot;:[]');
  t.match(page, 'connect 1.3 ms · first byte 31 ms · body 31 ms · total 32 ms');
  t.match(page, 'tr-20261120T143012345-x7Yz');
});

t.test('light and dark are both drawn', async (t) => {
  const page = htmlResults(resultsOf([]));
  t.match(page, 'color-scheme: light dark');
  t.match(page, '@media (prefers-color-scheme: dark)');
});

t.test('without an answer the page says so', async (t) => {
  const page = htmlResults(resultsOf([broken()]));
  t.match(page, 'No answer arrived.');
  t.match(page, '– not judged');
  const unsent = { ...broken(), exchange: { request: null, response: null } };
  t.match(htmlResults(resultsOf([unsent])), 'Nothing was sent.');
});

t.test('a body that is not text is not shown', async (t) => {
  const report = passed();
  const { request, response } = report.exchange;
  const body = { text: null, size_bytes: 2048, truncated: true };
  const page = htmlResults(
    resultsOf([{ ...report, exchange: { request, response: response && { ...response, body } } }]),
  );
  t.match(page, '2 kB, shortened here');
  t.match(page, 'Not shown: no text, or expired.');
});

t.test('unfinished runs are on the page with the way to see them', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'i', runId: '20261120T143012999', state: 'queued' } as const;
  const page = htmlResults(resultsOf([passed()], { unfinished: [{ ...run, hint: 'see `vp runs`' }] }));
  t.match(page, '<title>1 passed, 1 not finished</title>');
  t.match(page, 'queued · 20261120T143012999');
  t.match(page, 'see `vp runs`');
});

t.test('nothing that came from a target becomes markup', async (t) => {
  const evil = `</pre></td><script>alert(1)</script><img src=x onerror="x"> & ' \u001b[2J`;
  const report = sampleReport(['status=200', 'body has a equals 1'], {
    status: 200,
    body: { a: evil, [evil]: evil },
    headers: [[evil, evil]],
  });
  const page = htmlResults(resultsOf([{ ...report, notes: [evil] }]));
  t.notMatch(page, /<script|<img/);
  t.notMatch(page, '\u001b');
  t.equal(problemInMarkup(page), undefined);
});

t.test('thousands of passed runs are a line each, so that the page opens at once', async (t) => {
  const reports = Array.from({ length: 4000 }, (_, index) => passed({ runId: `20261120T14301${2000 + index}` }));
  const page = htmlResults(resultsOf([...reports, failed()]));
  t.ok(page.length < 3_000_000, `${page.length} characters`);
  t.equal(page.split('<details class="run"').length - 1, 4001);
  t.match(page, '<title>1 failed, 4000 passed</title>');
});

t.test('timings without a width divide by nothing', async (t) => {
  const report = passed();
  const timings = {
    queued_ms: 0,
    connect_ms: null,
    first_byte_ms: null,
    body_ms: null,
    total_ms: 0,
    evidence_ms: null,
  };
  t.notMatch(htmlResults(resultsOf([{ ...report, timings }])), 'NaN');
});

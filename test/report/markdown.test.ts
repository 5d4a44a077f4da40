import t from 'tap';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { createResults, failed, failingText, passed, sampleReport } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

/** The text of inline code, as a browser displays it. */
const decode = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code)));

t.test('the heading says how many did not pass, and nothing is green that was not run', async (t) => {
  t.match(renderMarkdown(createResults([passed()])), /^### ✅ The run passed\n\n1 passed in 1.25 s on /);
  t.match(
    renderMarkdown(createResults([passed(), failed()])),
    /^### ❌ 1 of 2 runs did not pass\n\n1 failed, 1 passed/,
  );
  t.match(renderMarkdown(createResults([])), /^### ❌ Nothing was run\n/);
  const unfinished = [
    { scenarioId: 'A', instance: 'i', runId: undefined, state: 'not_requested', hint: '--max-time: 1s passed' },
  ] as const;
  const text = decode(renderMarkdown(createResults([passed()], { unfinished })));
  t.match(text, /^### ❌ 1 of 2 runs did not pass\n/);
  t.match(text, '| <code>A</code> | <code>--max-time: 1s passed</code> |');
});

t.test('a false check is a row with scenario, file, line, expected and actual', async (t) => {
  const text = decode(renderMarkdown(createResults([failed()], { sources })));
  t.match(
    text,
    '| <code>RT-GET-document</code><br><code>scenarios/RT-GET-document.md:20</code> | failed | <code>body has',
  );
  t.match(text, 'correlation id <code>tr-20261120T143012345-x7Yz</code>');
});

t.test('a hostile response adds no markup, mention, link or row', async (t) => {
  const hostile = '</code> @team | x |\n![i](http://evil/p.png) `a` <img src=x> www.evil.test #1 **b** $x$';
  const report = sampleReport(['status=200', 'body has name equals a'], { status: 200, body: { name: hostile } });
  const text = renderMarkdown(createResults([report]));
  t.match(decode(text), '@team');
  t.notMatch(text, /@team|!\[|<img|www\.evil|#1\b(?!\d*;)|\*\*b|`a`|\$x/);
  for (const line of text.split('\n').filter((row) => row.startsWith('| <code>'))) t.equal(line.split('|').length, 5);
});

t.test('ten thousand failures fit into one comment', async (t) => {
  const reports = Array.from({ length: 10_000 }, (_, index) => failed({ runId: `20261120T1430${index}` }));
  const text = renderMarkdown(createResults(reports, { sources }));
  t.ok(text.length < 65_000, `${text.length} characters`);
  t.match(text, /^### ❌ 10000 of 10000 runs did not pass/);
  t.match(text, /… and \d+ more/);
});

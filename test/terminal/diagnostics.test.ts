import t from 'tap';
import { type PrintableDiagnostic, renderDiagnostics } from '../../src/terminal/diagnostics.ts';
import { paintFor } from '../../src/terminal/paint.ts';

const paint = paintFor({ write: () => {} }, {});

function formatLines(
  text: string,
  start: [number, number],
  end: [number, number],
  severity: 'error' | 'warning' = 'error',
): string[] {
  const range = { start: { line: start[0], column: start[1] }, end: { line: end[0], column: end[1] } };
  const diagnostic: PrintableDiagnostic = { code: 'CODE', severity, message: 'it is wrong', cure: 'mend it', range };
  return renderDiagnostics([diagnostic], { file: 'a.md', text }, paint).split('\n');
}

t.test('a diagnostic has position, message, line with carets and fix', async (t) => {
  t.same(formatLines('one\n- bdy has x\r\nthree', [2, 3], [2, 6]), [
    'a.md:2:3: error CODE: it is wrong',
    '    2 | - bdy has x',
    '      |   ^^^',
    '      fix: mend it',
    '',
  ]);
  t.match(formatLines('one', [1, 1], [1, 2], 'warning')[0], 'a.md:1:1: warning CODE');
});

t.test('a position at the end of a line, of the text, or after it still has a caret', async (t) => {
  t.equal(formatLines('one', [1, 4], [1, 4])[2], '      |    ^');
  t.equal(formatLines('one', [1, 99], [1, 99])[2], '      |    ^');
  t.equal(formatLines('one', [7, 1], [7, 1])[1], '    7 | ');
});

t.test('a range over several lines is marked to the end of the first', async (t) => {
  t.equal(formatLines('- `one\ntwo`', [1, 3], [2, 4])[2], '      |   ^^^^');
});

t.test('carets are below the marked text, whatever precedes it', async (t) => {
  t.same(formatLines('\t文 bad', [1, 4], [1, 7]).slice(1, 3), ['    1 | \\t文 bad', '      |      ^^^']);
});

t.test('a long line is cut around the position', async (t) => {
  const [, line = '', carets = ''] = formatLines(`${'a'.repeat(300)}WRONG${'b'.repeat(300)}`, [1, 301], [1, 306]);
  t.equal(line, `    1 | …${'a'.repeat(60)}WRONG${'b'.repeat(60)}…`);
  t.equal(carets.indexOf('^'), line.indexOf('WRONG'));
  t.equal(carets.length, line.indexOf('WRONG') + 5);
});

t.test('control characters are escaped', async (t) => {
  t.equal(formatLines('- \u001b[2Jx', [1, 3], [1, 4])[1], '    1 | - \\u001b[2Jx');
});

t.test('several are separated by an empty line, none are empty', async (t) => {
  const range = { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } };
  const diagnostic: PrintableDiagnostic = { code: 'CODE', severity: 'error', message: 'm', cure: 'c', range };
  t.match(renderDiagnostics([diagnostic, diagnostic], { file: 'a.md', text: 'x' }, paint), /fix: c\n\na\.md:1:1/);
  t.equal(renderDiagnostics([], { file: 'a.md', text: 'x' }, paint), '');
});

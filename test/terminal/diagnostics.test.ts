import t from 'tap';
import { diagnosticsText, type ShownDiagnostic } from '../../src/terminal/diagnostics.ts';
import { paintFor } from '../../src/terminal/paint.ts';

const paint = paintFor({ write: () => {} }, {});

function told(
  text: string,
  start: [number, number],
  end: [number, number],
  severity: 'error' | 'warning' = 'error',
): string[] {
  const range = { start: { line: start[0], column: start[1] }, end: { line: end[0], column: end[1] } };
  const diagnostic: ShownDiagnostic = { code: 'CODE', severity, message: 'it is wrong', cure: 'mend it', range };
  return diagnosticsText([diagnostic], { file: 'a.md', text }, paint).split('\n');
}

t.test('a diagnostic is place, words, line with carets, cure', async (t) => {
  t.same(told('one\n- bdy has x\r\nthree', [2, 3], [2, 6]), [
    'a.md:2:3: error CODE: it is wrong',
    '    2 | - bdy has x',
    '      |   ^^^',
    '      cure: mend it',
    '',
  ]);
  t.match(told('one', [1, 1], [1, 2], 'warning')[0], 'a.md:1:1: warning CODE');
});

t.test('a place at the end of a line, of the text, or behind it still has a caret', async (t) => {
  t.equal(told('one', [1, 4], [1, 4])[2], '      |    ^');
  t.equal(told('one', [1, 99], [1, 99])[2], '      |    ^');
  t.equal(told('one', [7, 1], [7, 1])[1], '    7 | ');
});

t.test('what goes on over lines is marked to the end of its first', async (t) => {
  t.equal(told('- `one\ntwo`', [1, 3], [2, 4])[2], '      |   ^^^^');
});

t.test('carets stand below what they mean, whatever is before it', async (t) => {
  t.same(told('\t文 bad', [1, 4], [1, 7]).slice(1, 3), ['    1 | \\t文 bad', '      |      ^^^']);
});

t.test('of a long line the part around the place is shown', async (t) => {
  const [, line = '', carets = ''] = told(`${'a'.repeat(300)}WRONG${'b'.repeat(300)}`, [1, 301], [1, 306]);
  t.equal(line, `    1 | …${'a'.repeat(60)}WRONG${'b'.repeat(60)}…`);
  t.equal(carets.indexOf('^'), line.indexOf('WRONG'));
  t.equal(carets.length, line.indexOf('WRONG') + 5);
});

t.test('control characters are shown, not obeyed', async (t) => {
  t.equal(told('- \u001b[2Jx', [1, 3], [1, 4])[1], '    1 | - \\u001b[2Jx');
});

t.test('several are separated by an empty line, none are nothing', async (t) => {
  const range = { start: { line: 1, column: 1 }, end: { line: 1, column: 2 } };
  const one: ShownDiagnostic = { code: 'CODE', severity: 'error', message: 'm', cure: 'c', range };
  t.match(diagnosticsText([one, one], { file: 'a.md', text: 'x' }, paint), /cure: c\n\na\.md:1:1/);
  t.equal(diagnosticsText([], { file: 'a.md', text: 'x' }, paint), '');
});

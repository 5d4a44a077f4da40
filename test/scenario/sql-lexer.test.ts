import { equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { tokenizeSql } from '../../src/scenario/sql-lexer.ts';

/** Kind and text of each token; `!` before a kind that is never closed. */
function tokens(sql: string): string[] {
  return tokenizeSql(sql).map(
    ({ kind, start, end, unclosed }) => `${unclosed ? '!' : ''}${kind} ${sql.slice(start, end)}`,
  );
}

t.test('words, numbers, signs and parameters', async (t) => {
  t.same(tokens('SELECT a.b$c, 1.5e-3 FROM é WHERE x>=$12'), [
    ...['word SELECT', 'word a', 'punctuation .', 'word b$c', 'punctuation ,', 'number 1.5e-3', 'word FROM', 'word é'],
    ...['word WHERE', 'word x', 'punctuation >', 'punctuation =', 'parameter $12'],
  ]);
  t.same(tokens('0x1F .5 1_000 1..2'), [
    'number 0x1F',
    'number .5',
    'number 1_000',
    'number 1',
    'punctuation .',
    'number .2',
  ]);
});

t.test('strings end at a mark that is not doubled', async (t) => {
  t.same(tokens(`'it''s' x`), [`string 'it''s'`, 'word x']);
  t.same(tokens(`'a\\' x`), [`string 'a\\'`, 'word x'], 'a backslash is no escape');
  t.same(tokens(`E'a\\'; b' x`), [`string E'a\\'; b'`, 'word x'], 'but in E strings');
  t.same(tokens(`notE'a\\' x`), ['word notE', `string 'a\\'`, 'word x']);
  t.same(tokens(`U&'d\\0061' U&"a""b" N'x' B'1'`), [
    `string U&'d\\0061'`,
    'identifier U&"a""b"',
    `string N'x'`,
    `string B'1'`,
  ]);
});

t.test('a string that continues on the next line keeps its kind', async (t) => {
  t.same(tokens(`E'a' -- c\n 'b\\'; c' x`), [`string E'a' -- c\n 'b\\'; c'`, 'word x']);
  t.same(tokens(`'a' 'b'`), [`string 'a'`, `string 'b'`]);
});

t.test('dollar quotes end at their own tag', async (t) => {
  t.same(tokens(`$$a;$b$ 'x$$ y`), [`dollar $$a;$b$ 'x$$`, 'word y']);
  t.same(tokens('$t$a$$b$ta$c$t$ y'), ['dollar $t$a$$b$ta$c$t$', 'word y']);
  t.same(tokens('a$$b'), ['word a$$b'], 'not inside a word');
  t.same(tokens('1$$b$$'), ['number 1', 'dollar $$b$$']);
  t.same(tokens('$ 1'), ['punctuation $', 'number 1']);
});

t.test('comments start anywhere outside quotes, and block comments nest', async (t) => {
  t.same(tokens('1--2\n+3'), ['number 1', 'comment --2', 'punctuation +', 'number 3']);
  t.same(tokens('*/* a /* b */ ; */x'), ['punctuation *', 'comment /* a /* b */ ; */', 'word x']);
  t.same(tokens(`'--' "/*" x`), [`string '--'`, 'identifier "/*"', 'word x']);
});

t.test('a placeholder is a separate token, also after a word', async (t) => {
  t.same(tokens('a=${body.data[0].id} b${x}1'), [
    ...['word a', 'punctuation =', 'placeholder ${body.data[0].id}', 'word b', 'placeholder ${x}', 'number 1'],
  ]);
  t.same(tokens('${x y'), ['!placeholder ${', 'word x', 'word y']);
});

t.test('an unclosed token runs to the end and is marked', async (t) => {
  for (const text of [`'a;`, `E'a\\'`, '"a;', '$x$ a $y$', '/* a /* b */']) {
    t.match(tokens(text), [/^!/], text);
    t.equal(tokens(text).length, 1);
  }
});

const piece = fc.constantFrom(
  ...[
    `'`,
    `"`,
    '$$',
    '$a$',
    '--',
    '/*',
    '*/',
    '\n',
    ' ',
    ';',
    '\\',
    'E',
    'a',
    '1',
    '.',
    '${',
    '}',
    '$',
    'U&',
    '😀',
    '\0',
  ],
);

t.test('tokens are in order and omit only white space', async () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      let offset = 0;
      for (const { start, end } of tokenizeSql(text)) {
        ok(start >= offset && end > start);
        equal(text.slice(offset, start).trim(), '');
        offset = end;
      }
      equal(text.slice(offset).trim(), '');
    }),
    { numRuns: 3000 },
  );
});

// In quadratic time the file would time out.
t.test('a long text of unfinished tokens is read', async (t) => {
  const size = 200_000;
  for (const unit of [`'`, `'a'\n`, '$a$', '/*', '--', '-- \n', '$', '"', `E'\\`, '${', '1.', `'' --x\n`]) {
    const text = unit.repeat(size / unit.length);
    t.ok(
      [...tokenizeSql(text)].every(({ end }) => end <= text.length),
      JSON.stringify(unit),
    );
  }
});

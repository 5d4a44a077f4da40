import t from 'tap';
import { compilePattern, type Pattern } from '../../src/pattern/pattern.ts';

function pattern(source: string): Pattern {
  const compiled = compilePattern(source);
  if ('problem' in compiled) throw new Error(compiled.problem);
  return compiled.pattern;
}

t.test('a pattern matches anywhere in the text', async (t) => {
  t.ok(pattern('b+').test('abbc'));
  t.notOk(pattern('^b').test('abbc'));
  t.ok(pattern('').test(''));
  t.equal(pattern('a|b').source, 'a|b');
});

t.test('a pattern that is in use is compiled once, and many others change nothing', async (t) => {
  const first = pattern('^[0-9]+$');
  t.equal(pattern('^[0-9]+$'), first);
  for (let index = 0; index < 300; index += 1) t.ok(pattern(`^${index}$`).test(String(index)));
  t.ok(pattern('^[0-9]+$').test('17'));
  t.ok(first.test('17'));
});

t.test('the syntax is that of RE2', async (t) => {
  t.ok(pattern('(?i)straße').test('STRAßE'));
  t.ok(pattern('\\p{Greek}').test('λ'));
  t.ok(pattern('^.$').test('😀'), 'a character beyond the basic plane is one');
  t.ok(pattern('(?s)a.b').test('a\nb'));
  t.notOk(pattern('a.b').test('a\nb'));
  t.notOk(pattern('^b').test('a\nb'), '^ is the beginning of the text');
});

t.test('an invalid pattern is reported with a problem', async (t) => {
  for (const source of [
    '(',
    '[a',
    '*',
    'a{2,1}',
    '(?=a)',
    '(?<=a)b',
    '(?!a)',
    '(a)\\1',
    'a++',
    '\\Z',
    '((a{100}){100}){100}',
  ]) {
    const compiled = compilePattern(source);
    t.ok('problem' in compiled && compiled.problem.length > 10, source);
    t.notMatch(compiled, { problem: /^error/ });
  }
});

t.test('matching is linear in the length of the text, whatever the pattern', async (t) => {
  const text = `${'a'.repeat(100_000)}!`;
  for (const source of [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(a*)*b',
    '(.*)(.*)(.*)(.*)(.*)x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ]) {
    t.notOk(pattern(source).test(text), source);
  }
});

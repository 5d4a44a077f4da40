import fc from 'fast-check';
import t from 'tap';
import {
  countHiddenCharacters,
  markHiddenCharacters,
  toVisibleLines,
  toVisibleSummary,
} from '../../src/json/visible-text.ts';

t.test('what has no shape of its own is shown as its code point', async (t) => {
  for (const [text, visible] of [
    ['a\u200bb', 'a⟦U+200B⟧b'],
    ['\u202eabc', '⟦U+202E⟧abc'],
    ['x\u{E0041}', 'x⟦U+E0041⟧'],
    ['❤\uFE0F', '❤⟦U+FE0F⟧'],
    ['\u001b[8mhidden\u001b[0m', '⟦U+001B⟧[8mhidden⟦U+001B⟧[0m'],
    ['a\u00a0b', 'a⟦U+00A0⟧b'],
    ['a    b', 'a⟦4×U+0020⟧b'],
    ['a b ', 'a b⟦1×U+0020⟧'],
    ['pаypal', 'p⟦а=U+0430⟧ypal'],
    ['Привет, Ελλάδα', 'Привет, Ελλάδα'],
    ['⟦U+200B⟧', '⟦U+27E6⟧U+200B⟦U+27E7⟧'],
    ['Grüße, 日本語', 'Grüße, 日本語'],
  ] as const)
    t.equal(markHiddenCharacters(text), visible);
});

t.test('letters that pass for Latin ones are marked', async (t) => {
  const mark = (letters: string): string =>
    [...letters]
      .map((letter) => `⟦${letter}=U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟧`)
      .join('');
  for (const letters of ['ｐａｙｐａｌ', '𝐩𝐚𝐲', '𝟗𝟗', 'Ⓐⓑⓒ', 'ᴘᴀʏ'])
    t.equal(markHiddenCharacters(`a ${letters} b`), `a ${mark(letters)} b`, 'another style');
  t.equal(markHiddenCharacters('ɡithub'), `${mark('ɡ')}ithub`, 'a phonetic letter');
  t.equal(markHiddenCharacters('ⲣaypal, ꓑay, ﬁle'), `${mark('ⲣ')}aypal, ${mark('ꓑ')}ay, ${mark('ﬁ')}le`);
  t.equal(markHiddenCharacters('to соре it'), `to ${mark('соре')} it`, 'a whole word in a Latin text');
  t.equal(markHiddenCharacters('use ꓑꓮꓬ or ⲣⲟ'), `use ${mark('ꓑꓮꓬ')} or ${mark('ⲣⲟ')}`);
  t.same(toVisibleLines({ name: 'соре', description: 'Copies a file.' })[0], `name: ${mark('соре')}`);
});

t.test('texts of other languages are not marked, also with Latin words', async (t) => {
  for (const text of [
    'Работает с API и соре.',
    'Вера',
    'Ελλάδα, το API',
    'ＡＰＩ'.normalize('NFKC'),
    '日本語API文档ですABC',
    'yardımcı əlaqə ŋɔɛ',
    'Ångström, é, m², ½, ™',
    'Հայերեն и русский',
  ])
    t.equal(markHiddenCharacters(text), text);
  const russian = { name: 'вера', description: 'Читает файл.' };
  t.same(toVisibleLines(russian), ['name: вера', 'description: Читает файл.']);
});

t.test('marks are counted by character', async (t) => {
  const lines = toVisibleLines({ description: `a\u200bb\u200b${' '.repeat(9)}x${'\n'.repeat(31)}pаy` });
  t.same([...countHiddenCharacters(lines)].sort(), [
    ['U+000A', 30],
    ['U+0020', 9],
    ['U+0430', 1],
    ['U+200B', 2],
  ]);
});

t.test('a value is shown whole, in its order, in lines that can be read', async (t) => {
  t.same(toVisibleLines({ name: 'x', inputSchema: { type: 'object', properties: {}, required: [] }, n: 5, s: '5' }), [
    'name: x',
    'inputSchema.type: object',
    'inputSchema.properties: {}',
    'inputSchema.required: []',
    'n: 5',
    's: "5"',
  ]);
  const long = `${'A sentence of some length. '.repeat(200)}The end.`;
  const lines = toVisibleLines({ description: long });
  t.ok(lines.every((line) => line.length < 200));
  t.equal(lines.map((line) => line.replace('description: ', '')).join(''), long);
  t.ok(toVisibleLines({ description: 'x'.repeat(100_000) }).every((line) => line.length < 200));
});

t.test('different values have different lines', async () => {
  const text = fc
    .array(
      fc.constantFrom(
        ...[
          'a',
          'b.',
          ' ',
          '\n',
          '\u200b',
          '⟦',
          '⟧',
          'U+200B',
          '.',
          ': ',
          '"',
          '5',
          'а',
          '\\',
          '×',
          '😀',
          'ｐ',
          '𝐩',
          '=',
          'ж',
        ],
      ),
      {
        maxLength: 12,
      },
    )
    .map((parts) => parts.join(''));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  })).value;
  const root = fc.dictionary(text, value, { maxKeys: 3 });
  const normal = (json: unknown): string => JSON.stringify(json);
  fc.assert(
    fc.property(root, root, (a, b) => {
      const same = toVisibleLines(a).join('\n') === toVisibleLines(b).join('\n');
      return same === (normal(a) === normal(b));
    }),
    { numRuns: 3000 },
  );
});

t.test('a value on one line', async (t) => {
  t.equal(
    toVisibleSummary({ city: 'Évora', days: 3, tags: ['a', '5'] }, 100),
    'city: Évora, days: 3, tags[0]: a, tags[1]: "5"',
  );
  t.equal(toVisibleSummary({}, 100), '{}');
  t.equal(toVisibleSummary({ text: 'a\n\nb\u200b' }, 100), 'text: a⟦U+000A⟧⟦U+000A⟧b⟦U+200B⟧');
});

t.test('a value that is too long for its line is cut, but not within a mark or a character', async (t) => {
  t.equal(toVisibleSummary({ text: 'x'.repeat(100) }, 10), 'text: xxxx…');
  t.equal(toVisibleSummary({ text: 'ab\u200bcd' }, 12), 'text: ab…');
  t.equal(toVisibleSummary({ text: 'abc😀d' }, 10), 'text: abc…');
});

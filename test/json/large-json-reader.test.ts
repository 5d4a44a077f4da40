/** Large JSON is read in steps as `JSON.parse` reads it, and written in pieces as `JSON.stringify` writes it. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { parseExactJson, parseExactPart } from '../../src/json/exact-json.ts';
import { encodeParts } from '../../src/json/json-parts.ts';
import { stringifyInPieces } from '../../src/json/json-pieces.ts';
import { parseLargeJson } from '../../src/json/large-json-reader.ts';
import { isTextMember } from '../../src/json/late-text.ts';
import { ShortenedJson } from '../../src/json/shortened-json.ts';
import { measureSmallest } from '../smallest-measurement.ts';

const takeNoTurn = async (): Promise<void> => {};

/** Texts around the length of a piece, whose ends fall into escapes and characters of two halves. */
const longTexts = fc
  .record({
    piece: fc.constantFrom('x', '"', '\\', '\n', 'é', '😀', '\\"', '\u0000', 'a\ud800', '"\\\\'),
    length: fc.oneof(fc.integer({ min: 65_520, max: 65_560 }), fc.constantFrom(200_000)),
    start: fc.string({ unit: 'grapheme', maxLength: 8 }),
  })
  .map(({ piece, length, start }) => start + piece.repeat(Math.ceil(length / piece.length)));
const names = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('__proto__', '1', '0', 'constructor'));
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: longTexts },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(fc.integer(), { minLength: 20_000, maxLength: 20_000 }) },
    {
      weight: 2,
      arbitrary: fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => {
        const object = {};
        for (const [name, value] of members)
          Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
        return object;
      }),
    },
  ),
})).value;

/** Escapes and white space that `JSON.stringify` does not write. */
function respell(value: unknown, spelling: number): string {
  if (spelling === 2) return JSON.stringify(value, null, 1);
  const json = JSON.stringify(value);
  return spelling === 1 ? json.replaceAll('\\n', '\\u000a').replaceAll('\\u0000', '\\u0000\\/') : json;
}

/** The same JSON in bytes of ASCII. */
function toAscii(json: string): Buffer {
  const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Buffer.from(json.replaceAll(/[\u0080-\uffff]/g, toEscape), 'latin1');
}

t.test('a text is read as JSON.parse reads it', { timeout: 120_000 }, (t) =>
  fc
    .assert(
      fc.asyncProperty(values, fc.nat(2), fc.boolean(), fc.boolean(), async (value, spelling, sharesText, isBytes) => {
        const respelled = respell(value, spelling);
        const sent = isBytes ? toAscii(respelled) : respelled;
        const text = sent.toString();
        const read = await parseLargeJson(sent, takeNoTurn, { sharesText });
        const shortened = new ShortenedJson(read.source, read.longTexts, crypto.randomUUID());
        if (shortened.expand(shortened.text) !== text) throw new Error('another text');
        const bytes = Buffer.concat(encodeParts(shortened.expandParts(shortened.text)));
        if (bytes.toString() !== text) throw new Error('other parts');
        if (JSON.stringify(read.value) !== JSON.stringify(JSON.parse(text))) throw new Error('another value');
        if (!isDeepStrictEqual(read.value, JSON.parse(text))) throw new Error('another value when it is read again');
      }),
      { numRuns: 150 },
    )
    .then(() => t.pass('150 texts')),
);

t.test('long strings that are sent on are not copied', async (t) => {
  const long = 'x'.repeat(8_000_000);
  const text = Buffer.from(JSON.stringify({ result: { content: [{ type: 'text', text: long }] } })).toString();
  const maxBytes = 2_000_000;
  const grownBytes = await measureSmallest(maxBytes, async () => {
    const { heapUsed } = process.memoryUsage();
    const { source, value, longTexts } = await parseLargeJson(text, takeNoTurn, { sharesText: true });
    const shortened = new ShortenedJson(source, longTexts, 'mark');
    const parts = shortened.expandParts(shortened.text);
    const grown = process.memoryUsage().heapUsed - heapUsed;
    t.equal(
      parts.reduce((sum, { length }) => sum + length, 0),
      text.length,
    );
    t.strictSame(value, JSON.parse(text));
    return grown;
  });
  t.ok(grownBytes <= maxBytes, `${grownBytes} bytes`);
});

t.test('of bytes, long strings are not decoded before they are read, and are sent on as they came', async (t) => {
  const long = 'x'.repeat(1_000_000);
  const escaped = `${long}\\u00e9${long}`;
  const bytes = Buffer.from(
    `{"result":{"content":[{"type":"text","text":"${long}"}],"escaped":"${escaped}","list":["${long}"]}}`,
  );
  const read = await parseLargeJson(bytes, takeNoTurn, { sharesText: true });
  const content = Object(read.value).result.content[0];
  t.ok(isTextMember(content, 'text') && isTextMember(content, 'type') && !isTextMember(content, 'data'));
  t.type(Object.getOwnPropertyDescriptor(content, 'text')?.get, 'function', 'it was not read for that');
  const shortened = new ShortenedJson(read.source, read.longTexts, 'mark');
  const parts = encodeParts(shortened.expandParts(shortened.text));
  t.equal(parts.filter(({ buffer }) => buffer === bytes.buffer).length, 3);
  t.ok(Buffer.concat(parts).equals(bytes));
  t.same({ ...content }, { type: 'text', text: long });
  const derived = Object.create(content);
  derived.text = 'derived';
  t.same([derived.text, content.text], ['derived', long]);
  content.text = 'another';
  t.equal(content.text, 'another', 'it is a member like others');
  t.strictSame(Object(read.value).result.list, [long]);
  t.strictSame(Object(read.value).result.escaped, escaped.replace('\\u00e9', 'é'));
});

t.test('long strings that are a small part of the bytes do not keep all of them in memory', async (t) => {
  const bytes = Buffer.from(
    JSON.stringify({ long: 'x'.repeat(100_000), list: Array.from({ length: 50_000 }, () => 1) }),
  );
  const { source, longTexts } = await parseLargeJson(bytes, takeNoTurn, { sharesText: true });
  const shortened = new ShortenedJson(source, longTexts, 'mark');
  const parts = encodeParts(shortened.expandParts(shortened.text));
  t.equal(parts.filter(({ buffer }) => buffer === bytes.buffer).length, 0);
  t.ok(Buffer.concat(parts).equals(bytes));
});

t.test('others get turns whatever large JSON consists of', async (t) => {
  const megabytes = 8;
  const repeat = (part: string): string => part.repeat((megabytes * 1_000_000) / part.length);
  for (const [shape, json, maxTurnBytes] of [
    ['a string', `{"text":"${repeat('x')}"}`, 600_000],
    ['a string with escapes', `{"text":"${repeat('\\n234567')}"}`, 200_000],
    ['a name', `{"${repeat('x')}":1}`, 600_000],
    ['a list of strings', `[${repeat(`"${'x'.repeat(99_997)}",`)}1]`, 600_000],
    ['strings that are short', `[${repeat('"x",')}1]`, 200_000],
    ['a root', `"${repeat('x')}"`, 600_000],
  ] as const)
    for (const sent of [json, Buffer.from(json)]) {
      let turns = 0;
      const takeTurn = async (): Promise<number> => (turns += 1);
      t.strictSame((await parseLargeJson(sent, takeTurn, { sharesText: true })).value, JSON.parse(json));
      t.ok(turns >= json.length / maxTurnBytes, `${shape}, ${typeof sent}: ${turns} turns`);
    }
});

t.test('the mark of another text is a string like others', async (t) => {
  const text = JSON.stringify({ long: 'x'.repeat(200_000) });
  const { source, longTexts } = await parseLargeJson(text, takeNoTurn);
  const [first, second] = ['one', 'other'].map((mark) => new ShortenedJson(source, longTexts, mark));
  t.not(first?.text, second?.text);
  t.equal(second?.expand(first?.text ?? ''), first?.text);
});

t.test('what is not JSON is refused', { timeout: 120_000 }, (t) =>
  fc
    .assert(
      fc.asyncProperty(
        values,
        fc.nat(),
        fc.constantFrom('', '"', ',', '}', ']', '\\', '\n', '{', ':', '1'),
        fc.boolean(),
        async (value, at, damage, isBytes) => {
          const stringified = JSON.stringify(value);
          const json = isBytes ? toAscii(stringified).toString() : stringified;
          const position = at % (json.length + 1);
          const text = json.slice(0, position) + damage + json.slice(position + (damage === '' ? 1 : 0));
          const isJson = (() => {
            try {
              return JSON.stringify(JSON.parse(text));
            } catch {
              return undefined;
            }
          })();
          const sent = isBytes ? Buffer.from(text) : text;
          const read = await parseLargeJson(sent, takeNoTurn).then(
            (large) => JSON.stringify(large.value),
            () => undefined,
          );
          if (read !== isJson) throw new Error(`read as ${read?.slice(0, 100)}`);
        },
      ),
      { numRuns: 200 },
    )
    .then(() => t.pass('200 texts')),
);

t.test('commas and brackets without members are refused in large lists and objects', async (t) => {
  const long = `"${'x'.repeat(70_000)}"`;
  for (const text of [
    `[${long},]`,
    `[,${long}]`,
    `[${long},,1]`,
    `{"a":${long},}`,
    `{,"a":${long}}`,
    `{"a":${long},"b"}`,
    `{"a" ${long}}`,
    `[${long}}`,
    `{"a":${long}]`,
    `[${long}`,
    `${long} 1`,
    `["${'x'.repeat(70_000)}`,
    `["${'x'.repeat(70_000)}\n"]`,
    `["${'x'.repeat(65_535)}\\`,
  ])
    for (const sent of [text, Buffer.from(text)])
      await t.rejects(parseLargeJson(sent, takeNoTurn), { name: 'SyntaxError' }, text.replaceAll(/x+/g, 'x'));
  t.same((await parseLargeJson(`[ ${long} , [ ] , { } ]`, takeNoTurn)).value, JSON.parse(`[${long},[],{}]`));
});

t.test('deep texts are read too', async (t) => {
  const text = `${'['.repeat(5000)}"${'x'.repeat(70_000)}"${']'.repeat(5000)}`;
  t.equal(JSON.stringify((await parseLargeJson(text, takeNoTurn)).value), text);
});

t.test('numbers are kept as they were sent, in every part', async (t) => {
  const list = Array.from({ length: 20_000 }, (_, index) => (index % 100 === 0 ? '1.0' : `${index}`)).join(',');
  const text = `{"list":[${list}],"long":"${'x'.repeat(70_000)}","n":9007199254740993}`;
  for (const sent of [text, Buffer.from(text)]) {
    const { value } = await parseLargeJson(sent, takeNoTurn, { parsePart: parseExactPart });
    t.equal(JSON.stringify(value), text);
  }
  t.equal(JSON.stringify(parseExactJson(text)), text);
});

t.test('a value is written as JSON.stringify writes it', { timeout: 120_000 }, async (t) => {
  fc.assert(
    fc.property(values, (value) => {
      const pieces = [...stringifyInPieces(value)];
      if (pieces.join('') !== JSON.stringify(value)) throw new Error('another text');
    }),
    { numRuns: 150 },
  );
  t.pass('150 values');
});

t.test('members without a value are left out', async (t) => {
  const long = 'x'.repeat(70_000);
  for (const value of [{ a: undefined, long, b: undefined }, [undefined, long], { long: new Date(0), text: long }])
    t.equal([...stringifyInPieces(value)].join(''), JSON.stringify(value));
});

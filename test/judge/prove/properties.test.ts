import fc from 'fast-check';
import t from 'tap';
import { stringForm } from '../../../src/check/bounded.ts';
import { judgeCheck } from '../../../src/check/kinds.ts';
import { Numeral } from '../../../src/check/numeral.ts';
import type { Json, Observed } from '../../../src/check/observed.ts';
import { parseCheck } from '../../../src/check/parse-check.ts';
import { readJson } from '../../../src/check/read-json.ts';
import { fieldText } from '../../../src/judge/prove/suggest.ts';
import { otherValues } from '../../../src/judge/prove/value-changes.ts';
import { proofOf, verdictsOf } from './samples.ts';

const numerals = fc
  .constantFrom('1.0', '-0', '1e2', '12345678901234567890', '0.10', '-1.5e-7')
  .map((text) => new Numeral(text));
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    numerals,
    fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.uuid(), fc.constantFrom('', 'ok', 'null', '7', 'text')),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.constantFrom('a', 'a.b', '0', '__proto__')),
      tie('json'),
      {
        maxKeys: 5,
      },
    ),
  ),
}));
const body = fc.dictionary(fc.constantFrom('a', 'b', 'a.b', 'data', 'c d'), json, { minKeys: 1, maxKeys: 4 });

function observedOf(value: Json): Observed {
  return { status: 200, body: { kind: 'json', value } };
}

/** Every value that a path leads to, lists by their first item. */
function leaves(
  value: Json,
  steps: string[] = [],
  isIndex: boolean[] = [],
): { steps: string[]; isIndex: boolean[]; value: Json }[] {
  const inList = Array.isArray(value);
  const isScalar = typeof value !== 'object' || value === null || value instanceof Numeral;
  const entries: [string, Json][] = isScalar
    ? []
    : inList
      ? value.slice(0, 1).map((item) => ['0', item])
      : Object.entries(value);
  if (entries.length === 0) return steps.length === 0 ? [] : [{ steps, isIndex, value }];
  return entries.flatMap(([key, item]) => leaves(item, [...steps, key], [...isIndex, inList]));
}

t.test('every other value reads differently from the one it stands for', async () => {
  fc.assert(
    fc.property(json, (value) => {
      const original = stringForm(value);
      return otherValues(value).length > 2 && otherValues(value).every(({ make }) => stringForm(make()) !== original);
    }),
  );
});

t.test('other values are JSON, and read back as they are', async () => {
  fc.assert(
    fc.property(json, (value) =>
      otherValues(value).every(({ make }) => {
        const text = JSON.stringify(make());
        return JSON.stringify(readJson(text)) === text;
      }),
    ),
  );
});

t.test('every suggestion is read by the parser without a word, and holds', async () => {
  fc.assert(
    fc.property(body, (value) =>
      proofOf(['status=200'], value).unchecked.every(({ suggestion, field }) => {
        let words = 0;
        const check = parseCheck(suggestion, () => {
          words += 1;
        });
        return words === 0 && check && field !== undefined && judgeCheck(check, observedOf(value)).passed;
      }),
    ),
  );
});

t.test('every suggestion is proven once it is written, and its part is told no more', async () => {
  fc.assert(
    fc.property(body, (value) => {
      const first = proofOf(['status=200'], value);
      for (const { suggestion, pointer } of first.unchecked) {
        const second = proofOf(['status=200', suggestion], value);
        if (second.checks[1]?.verdict !== 'proven') return false;
        if (second.unchecked.some((part) => part.pointer === pointer)) return false;
      }
      return true;
    }),
    { numRuns: 25 },
  );
});

t.test('where every leaf is compared, nothing is unchecked and no check is in vain', async () => {
  fc.assert(
    fc.property(body, (value) => {
      const checks = leaves(value).flatMap(({ steps, isIndex, value: leaf }) => {
        const field = fieldText(value, steps, isIndex);
        const text = `body has ${field} equals ${stringForm(leaf)}`;
        const check = field === undefined ? undefined : parseCheck(text, () => {});
        const isWritten = check && text === text.trim() && !/\p{Cc}/u.test(text);
        return isWritten && judgeCheck(check, observedOf(value)).passed ? [text] : [undefined];
      });
      fc.pre(checks.length > 0 && !checks.includes(undefined));
      const proof = proofOf(['status=200', ...checks.flatMap((check) => check ?? [])], value);
      return (
        proof.problem !== undefined || (proof.unchecked.length === 0 && !verdictsOf(proof).includes('never_fails'))
      );
    }),
  );
});

t.test('a pattern that everything matches never fails, wherever it stands', async () => {
  fc.assert(
    fc.property(body, fc.constantFrom('.*', '^', '()', '$', 'x*'), (value, pattern) => {
      const checks = leaves(value).flatMap(({ steps, isIndex }) => {
        const field = fieldText(value, steps, isIndex);
        return field === undefined || /\p{Cc}|`/u.test(field) ? [] : [`body has ${field} matching ${pattern}`];
      });
      fc.pre(checks.length > 0);
      return verdictsOf(proofOf(checks, value)).every((verdict) => verdict === 'never_fails');
    }),
  );
});

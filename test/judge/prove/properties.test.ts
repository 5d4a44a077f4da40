import fc from 'fast-check';
import t from 'tap';
import { formatFieldPath } from '../../../src/check/json/format-field-path.ts';
import { type Json, Numeral, toStringForm } from '../../../src/check/json/json.ts';
import { readJson } from '../../../src/check/json/read-json.ts';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { parseCheck } from '../../../src/check/parse-check.ts';
import { mutateValue } from '../../../src/check/subjects/mutate-value.ts';
import { judgeCheck } from '../../check/check-fixtures.ts';
import { createProof, getVerdicts } from './proof-fixtures.ts';

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

function observeBody(value: Json): Observation {
  return { ...emptyObservation, status: 200, body: { kind: 'json', value } };
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

t.test('every mutated value has another string form than the original', async () => {
  fc.assert(
    fc.property(json, (value) => {
      const original = toStringForm(value);
      return (
        mutateValue(value).length > 2 &&
        mutateValue(value).every(({ create: make }) => toStringForm(make()) !== original)
      );
    }),
  );
});

t.test('mutated values are JSON and can be read back unchanged', async () => {
  fc.assert(
    fc.property(json, (value) =>
      mutateValue(value).every(({ create: make }) => {
        const text = JSON.stringify(make());
        return JSON.stringify(readJson(text)) === text;
      }),
    ),
  );
});

t.test('every suggestion is parsed without a problem, and passes', async () => {
  fc.assert(
    fc.property(body, (value) =>
      createProof(['status=200'], value).unchecked.every(({ suggestion, field }) => {
        let problemCount = 0;
        const check = parseCheck(suggestion, () => {
          problemCount += 1;
        });
        return problemCount === 0 && check && field !== undefined && judgeCheck(check, observeBody(value)).passed;
      }),
    ),
  );
});

t.test('a suggestion that is added to the scenario is proven, and its part is no longer listed', async () => {
  fc.assert(
    fc.property(body, (value) => {
      const first = createProof(['status=200'], value);
      for (const { suggestion, pointer } of first.unchecked) {
        const second = createProof(['status=200', suggestion], value);
        if (second.checks[1]?.verdict !== 'proven') return false;
        if (second.unchecked.some((part) => part.pointer === pointer)) return false;
      }
      return true;
    }),
    { numRuns: 25 },
  );
});

t.test('where every leaf is compared, nothing is unchecked and no check is useless', async () => {
  fc.assert(
    fc.property(body, (value) => {
      const checks = leaves(value).flatMap(({ steps, isIndex, value: leaf }) => {
        const field = formatFieldPath(value, steps, isIndex);
        const text = `body has ${field} equals ${toStringForm(leaf)}`;
        const check = field === undefined ? undefined : parseCheck(text, () => {});
        const isWritten = check && text === text.trim() && !/\p{Cc}/u.test(text);
        return isWritten && judgeCheck(check, observeBody(value)).passed ? [text] : [undefined];
      });
      fc.pre(checks.length > 0 && !checks.includes(undefined));
      const proof = createProof(['status=200', ...checks.flatMap((check) => check ?? [])], value);
      return (
        proof.problem !== undefined || (proof.unchecked.length === 0 && !getVerdicts(proof).includes('never_fails'))
      );
    }),
  );
});

t.test('a pattern that matches everything never fails, whatever the field', async () => {
  fc.assert(
    fc.property(body, fc.constantFrom('.*', '^', '()', '$', 'x*'), (value, pattern) => {
      const checks = leaves(value).flatMap(({ steps, isIndex }) => {
        const field = formatFieldPath(value, steps, isIndex);
        return field === undefined || /\p{Cc}|`/u.test(field) ? [] : [`body has ${field} matching ${pattern}`];
      });
      fc.pre(checks.length > 0);
      return getVerdicts(createProof(checks, value)).every((verdict) => verdict === 'never_fails');
    }),
  );
});

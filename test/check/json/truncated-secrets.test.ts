/** Texts of outcomes are truncated; half a secret before the truncation point could not be found any more. */
import t from 'tap';
import type { Json } from '../../../src/check/json/json.ts';
import { emptyObservation, type ObservedBody } from '../../../src/check/observation.ts';
import { parseCheck } from '../../../src/check/parse-check.ts';
import { judgeCheck } from '../check-fixtures.ts';

const secret = 'sekrit-token-0123456789';
const conceal = (text: string): string => text.replaceAll(secret, '[redacted]');

function judgeActual(text: string, value: Json): string {
  const check = parseCheck(text, () => {});
  if (!check) throw new Error(text);
  const body: ObservedBody = { kind: 'json', value };
  return judgeCheck(check, { ...emptyObservation, body, conceal }).actual;
}

t.test('a secret across the truncation point is removed before truncating', async (t) => {
  for (let before = 180; before <= 200; before += 1) {
    const value = `${'x'.repeat(before)}${secret}`;
    for (const text of ['body has a', 'body has a matching ^y', 'body has a.b', 'body has a[0]']) {
      t.notMatch(judgeActual(text, { a: value }), 'sek', text);
    }
    t.notMatch(judgeActual('body has b', { [value]: 1 }), 'sek', 'a name of a field');
  }
});

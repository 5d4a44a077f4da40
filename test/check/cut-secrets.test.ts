/** Sentences of checks are cut; half a secret in front of the cut could not be found any more. */
import t from 'tap';
import { judgeCheck } from '../../src/check/kinds.ts';
import type { Json, ObservedBody } from '../../src/check/observed.ts';
import { parseCheck } from '../../src/check/parse-check.ts';

const secret = 'sekrit-token-0123456789';
const conceal = (text: string): string => text.replaceAll(secret, '[redacted]');

function actualOf(text: string, value: Json): string {
  const check = parseCheck(text, () => {});
  if (!check) throw new Error(text);
  const body: ObservedBody = { kind: 'json', value };
  return judgeCheck(check, { status: 200, body, conceal }).actual;
}

t.test('a secret that lies across the cut is taken out before', async (t) => {
  for (let before = 180; before <= 200; before += 1) {
    const value = `${'x'.repeat(before)}${secret}`;
    for (const text of ['body has a', 'body has a matching ^y', 'body has a.b', 'body has a[0]']) {
      t.notMatch(actualOf(text, { a: value }), 'sek', text);
    }
    t.notMatch(actualOf('body has b', { [value]: 1 }), 'sek', 'a name of a field');
  }
});

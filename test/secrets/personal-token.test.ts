/** Personal access tokens as texts: found by scanners, and told from look-alikes by their checksum. */
import fc from 'fast-check';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { hasPersonalTokenPrefix, isPersonalToken, mintPersonalToken } from '../../src/secrets/personal-token.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const withBytes = (bytes: Uint8Array) => mintPersonalToken({ bytes: () => bytes, token: () => '' });

t.test('a token has its prefix, a fixed length, word characters only, and 256 bits', async (t) => {
  for (const token of Array.from({ length: 200 }, () => mintPersonalToken(systemRandom))) {
    t.match(token, /^vph_[0-9A-Za-z]{49}$/);
    t.ok(isPersonalToken(token) && hasPersonalTokenPrefix(token));
  }
  t.equal(withBytes(new Uint8Array(32)).length, 53);
  t.equal(withBytes(new Uint8Array(32).fill(255)).length, 53, 'the largest value is not cut off');
  t.not(withBytes(new Uint8Array(32).fill(255)), withBytes(new Uint8Array(32).fill(255).with(0, 254)));
});

t.test('different bits give different tokens', async () => {
  const bits = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bits, bits, (a, b) => Buffer.compare(a, b) === 0 || withBytes(a) !== withBytes(b)),
    { numRuns: 300 },
  );
});

t.test('a changed, missing, added or swapped character is detected', async (t) => {
  const position = fc.integer({ min: 4, max: 52 });
  const letter = fc.constantFrom(...alphabet);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), position, letter, (bits, index, other) => {
      const token = withBytes(bits);
      const changed = token.slice(0, index) + other + token.slice(index + 1);
      const swapped =
        token.slice(0, index - 1) + token.charAt(index) + token.charAt(index - 1) + token.slice(index + 1);
      const wrong = [
        token.slice(0, index) + token.slice(index + 1),
        token.slice(0, index) + other + token.slice(index),
      ];
      const same = (text: string) => text === token || !isPersonalToken(text);
      return same(changed) && (index === 4 || same(swapped)) && wrong.every((text) => !isPersonalToken(text));
    }),
    { numRuns: 1000 },
  );
  t.notOk(isPersonalToken(''));
  t.notOk(hasPersonalTokenPrefix(`vpk_${'x'.repeat(49)}`));
});

import fc from 'fast-check';
import t from 'tap';
import { hasControlBytes } from '../../src/json/control-bytes.ts';

t.test('control characters are found wherever they are, and nothing else', async (t) => {
  const memory = Buffer.alloc(64);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.integer({ min: 0x20, max: 0xff }), fc.constantFrom(0x20, 0x80, 0xa0)), { maxLength: 40 }),
      fc.nat(9),
      fc.option(fc.tuple(fc.nat(39), fc.nat(0x1f))),
      (bytes, offset, control) => {
        const part = memory.subarray(offset, offset + bytes.length);
        part.set(bytes);
        if (control && part.length > 0) part[control[0] % part.length] = control[1];
        if (hasControlBytes(part) !== part.some((byte) => byte < 0x20)) throw new Error(String(part));
      },
    ),
    { numRuns: 2000 },
  );
  t.pass('2000 texts');
});

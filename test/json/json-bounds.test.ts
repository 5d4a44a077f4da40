/** The bounds hold for every text, wherever its bytes are cut. */
import fc from 'fast-check';
import t from 'tap';
import { exceedsValueCount, JsonBoundsScanner } from '../../src/json/json-bounds.ts';

const unbounded = { maxValues: Number.POSITIVE_INFINITY, maxDepth: Number.POSITIVE_INFINITY };

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.length + members.reduce<number>((sum, member) => sum + countValues(member), 0);
}

function measureDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(measureDepth));
}

function scanInPieces(text: string, pieceBytes: number, bounds = unbounded) {
  const bytes = Buffer.from(text);
  const scanner = new JsonBoundsScanner(bounds);
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const exceeded = scanner.scan(bytes.subarray(start, start + pieceBytes));
    if (exceeded) return { exceeded, values: scanner.values };
  }
  return { exceeded: undefined, values: scanner.values };
}

t.test('a text is never counted lower than its value, and only structure is counted', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 40 }), (value, pieceBytes) => {
      const text = JSON.stringify(value);
      const { values } = scanInPieces(text, pieceBytes);
      return values >= countValues(value) && values <= 2 * countValues(value) + 2;
    }),
  );
});

t.test('the depth is exact', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 40 }), (value, pieceBytes) => {
      const [text, depth] = [JSON.stringify(value), measureDepth(value)];
      const within = scanInPieces(text, pieceBytes, { ...unbounded, maxDepth: depth });
      const beyond = scanInPieces(text, pieceBytes, { ...unbounded, maxDepth: depth - 1 });
      return within.exceeded === undefined && (depth === 0 || beyond.exceeded === 'maxDepth');
    }),
  );
});

t.test('strings are not structure', async (t) => {
  for (const text of [String.raw`"[{,\",[{,"`, String.raw`"\\"`, '"ä,ö{[,"', String.raw`"\\\",,["`])
    t.same(scanInPieces(text, 1), { exceeded: undefined, values: 1 }, text);
});

t.test('scanning stops at the bound', async (t) => {
  const bounds = { maxValues: 100, maxDepth: 10 };
  t.match(scanInPieces(`[${'1,'.repeat(1_000_000)}1]`, 65_536, bounds), { exceeded: 'maxValues', values: 101 });
  t.match(scanInPieces('['.repeat(1_000_000), 65_536, bounds), { exceeded: 'maxDepth' });
});

t.test('values are counted up to the maximum', async (t) => {
  const value = { a: [1, 2, { b: null }], c: 'text' };
  t.equal(exceedsValueCount(value, 6), false);
  t.equal(exceedsValueCount(value, 5), true);
  t.equal(exceedsValueCount('text', 0), false);
});

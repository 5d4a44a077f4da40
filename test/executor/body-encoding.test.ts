import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { undoEncoding } from '../../src/executor/body-encoding.ts';

const plain = Buffer.from('{"count":1}');
const encoded = {
  gzip: gzipSync(plain),
  'x-gzip': gzipSync(plain),
  GZIP: gzipSync(plain),
  br: brotliCompressSync(plain),
  zstd: zstdCompressSync(plain),
  deflate: deflateSync(plain),
  'deflate, identity': deflateRawSync(plain),
  identity: plain,
  '': plain,
  'gzip, br': brotliCompressSync(gzipSync(plain)),
};

t.test('every encoding is undone, the last named first', async (t) => {
  for (const [name, bytes] of Object.entries(encoded)) {
    t.strictSame(await undoEncoding(bytes, name, 1000), { kind: 'decoded', bytes: plain }, name);
  }
});

t.test('a bomb is stopped at the limit', async (t) => {
  const zeros = Buffer.alloc(5_000_000);
  const bombs = {
    gzip: gzipSync(zeros),
    br: brotliCompressSync(zeros),
    zstd: zstdCompressSync(zeros),
    deflate: deflateSync(zeros),
  };
  for (const [name, bytes] of Object.entries(bombs)) {
    t.strictSame(await undoEncoding(bytes, name, 1_000_000), { kind: 'too_large' }, name);
  }
  t.strictSame(await undoEncoding(gzipSync(gzipSync(zeros)), 'gzip, gzip', 1_000_000), { kind: 'too_large' });
});

t.test('exactly the limit is no bomb', async (t) => {
  t.equal((await undoEncoding(gzipSync(Buffer.alloc(1000)), 'gzip', 1000)).kind, 'decoded');
  t.equal((await undoEncoding(gzipSync(Buffer.alloc(1001)), 'gzip', 1000)).kind, 'too_large');
});

t.test('bytes that are not so encoded are told', async (t) => {
  for (const name of ['gzip', 'br', 'zstd', 'deflate']) {
    t.match(await undoEncoding(plain, name, 1000), { kind: 'broken', encoding: name }, name);
  }
  t.match(await undoEncoding(gzipSync(plain).subarray(0, 15), 'gzip', 1000), {
    kind: 'broken',
    reason: /unexpected end/,
  });
});

t.test('an unknown encoding is named', async (t) => {
  for (const encoding of ['compress', 'constructor', '__proto__']) {
    t.strictSame(await undoEncoding(plain, encoding, 1000), { kind: 'unknown', encoding });
  }
});

t.test('more than four layers are refused', async (t) => {
  t.match(await undoEncoding(plain, 'gzip, gzip, gzip, gzip, gzip', 1000), { kind: 'broken', reason: /5 encodings/ });
});

t.test('an empty body needs no decoding', async (t) => {
  t.strictSame(await undoEncoding(Buffer.alloc(0), 'gzip', 1000), { kind: 'decoded', bytes: Buffer.alloc(0) });
});

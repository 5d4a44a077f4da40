import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import t from 'tap';
import { decodeContent } from '../../../src/executor/response/content-encoding.ts';

const plainBytes = Buffer.from('{"count":1}');
const encoded = {
  gzip: gzipSync(plainBytes),
  'x-gzip': gzipSync(plainBytes),
  GZIP: gzipSync(plainBytes),
  br: brotliCompressSync(plainBytes),
  zstd: zstdCompressSync(plainBytes),
  deflate: deflateSync(plainBytes),
  'deflate, identity': deflateRawSync(plainBytes),
  identity: plainBytes,
  '': plainBytes,
  'gzip, br': brotliCompressSync(gzipSync(plainBytes)),
};

t.test('every encoding is decoded, the last named first', async (t) => {
  for (const [name, bytes] of Object.entries(encoded)) {
    t.strictSame(await decodeContent(bytes, name, 1000), { kind: 'decoded', bytes: plainBytes }, name);
  }
});

t.test('a decompression bomb is stopped at the limit', async (t) => {
  const zeros = Buffer.alloc(5_000_000);
  const bombs = {
    gzip: gzipSync(zeros),
    br: brotliCompressSync(zeros),
    zstd: zstdCompressSync(zeros),
    deflate: deflateSync(zeros),
  };
  for (const [name, bytes] of Object.entries(bombs)) {
    t.strictSame(await decodeContent(bytes, name, 1_000_000), { kind: 'too_large' }, name);
  }
  t.strictSame(await decodeContent(gzipSync(gzipSync(zeros)), 'gzip, gzip', 1_000_000), { kind: 'too_large' });
});

t.test('a body of exactly the limit is accepted', async (t) => {
  t.equal((await decodeContent(gzipSync(Buffer.alloc(1000)), 'gzip', 1000)).kind, 'decoded');
  t.equal((await decodeContent(gzipSync(Buffer.alloc(1001)), 'gzip', 1000)).kind, 'too_large');
});

t.test('bytes that do not match their encoding are reported', async (t) => {
  for (const name of ['gzip', 'br', 'zstd', 'deflate']) {
    t.match(await decodeContent(plainBytes, name, 1000), { kind: 'broken', encoding: name }, name);
  }
  t.match(await decodeContent(gzipSync(plainBytes).subarray(0, 15), 'gzip', 1000), {
    kind: 'broken',
    reason: /unexpected end/,
  });
});

t.test('an unsupported encoding is named', async (t) => {
  for (const encoding of ['compress', 'constructor', '__proto__']) {
    t.strictSame(await decodeContent(plainBytes, encoding, 1000), { kind: 'unknown', encoding });
  }
});

t.test('more than four layers are refused', async (t) => {
  t.match(await decodeContent(plainBytes, 'gzip, gzip, gzip, gzip, gzip', 1000), {
    kind: 'broken',
    reason: /5 nested encodings/,
  });
});

t.test('an empty body needs no decoding', async (t) => {
  t.strictSame(await decodeContent(Buffer.alloc(0), 'gzip', 1000), { kind: 'decoded', bytes: Buffer.alloc(0) });
});

import t from 'tap';
import { readJson } from '../../src/http/body.ts';

const json = { 'content-type': 'application/json' };

function requestOf(body: BodyInit | null, headers: Record<string, string> = json): Request {
  // `duplex` is demanded for streams by the Fetch standard, and unknown to the types of the DOM.
  const init = { method: 'POST', body, headers, duplex: 'half' };
  return new Request('http://localhost/', init);
}

/** A body of unknown length that counts what is taken of it. */
function endless(): { body: ReadableStream<Uint8Array>; taken: () => number; cancelled: () => boolean } {
  let taken = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken += 1000;
      controller.enqueue(new Uint8Array(1000).fill(0x20));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, taken: () => taken, cancelled: () => cancelled };
}

t.test('a JSON body is read with its size', async (t) => {
  t.same(await readJson(requestOf('{"a": "ä"}'), 100), { value: { a: 'ä' }, sizeBytes: 11 });
  const charset = { 'content-type': 'Application/JSON; charset="UTF-8"' };
  t.same(await readJson(requestOf('[]', charset), 100), { value: [], sizeBytes: 2 });
});

t.test('a body that says it is larger is refused unread', async (t) => {
  const { body, taken } = endless();
  const request = requestOf(body, { ...json, 'content-length': '1001' });
  await t.rejects(readJson(request, 1000), { code: 'BODY_TOO_LARGE', values: { limit_bytes: 1000 } });
  t.ok(taken() <= 1000);
});

t.test('a body of unknown length is refused as soon as it is too large', async (t) => {
  const { body, taken, cancelled } = endless();
  await t.rejects(readJson(requestOf(body), 10_000), { code: 'BODY_TOO_LARGE' });
  t.ok(taken() <= 13_000, `${taken()} bytes were taken`);
  t.ok(cancelled());
});

t.test('a body longer than it says is refused where nothing else bounds it', async (t) => {
  const request = requestOf('x'.repeat(100), { ...json, 'content-length': '5' });
  await t.rejects(readJson(request, 50), { code: 'BODY_TOO_LARGE' });
});

t.test('what is not JSON is refused', async (t) => {
  const bodies: (BodyInit | null)[] = [null, '', '{', 'true false', '{"a": NaN}', new Uint8Array([0x22, 0xff, 0x22])];
  for (const body of bodies) await t.rejects(readJson(requestOf(body), 100), { code: 'BODY_NOT_JSON' });
});

t.test('another content type, or none, is refused', async (t) => {
  for (const type of [
    'text/plain',
    'application/json, text/plain',
    'application/x-json',
    'application/json; charset=latin1',
  ]) {
    await t.rejects(readJson(requestOf('{}', { 'content-type': type }), 100), {
      code: 'MEDIA_TYPE_REFUSED',
      values: { type },
    });
  }
  const none = requestOf(new Uint8Array([0x7b, 0x7d]), {});
  await t.rejects(readJson(none, 100), { code: 'MEDIA_TYPE_REFUSED', values: { type: '(none)' } });
});

t.test('a member called __proto__ is a member like any other', async (t) => {
  const { value } = await readJson(requestOf('{"__proto__": {"admin": true}}'), 100);
  t.notOk(Object.hasOwn(Object.prototype, 'admin'));
  t.same(Object.keys(value ?? {}), ['__proto__']);
});

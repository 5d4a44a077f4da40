import t from 'tap';
import { readJsonBody } from '../../src/http/body.ts';

const json = { 'content-type': 'application/json' };

function createRequest(body: BodyInit | null, headers: Record<string, string> = json): Request {
  // `duplex` is demanded for streams by the Fetch standard, and unknown to the types of the DOM.
  const init = { method: 'POST', body, headers, duplex: 'half' };
  return new Request('http://localhost/', init);
}

/** A body of unknown length that counts the bytes read from it. */
function createEndlessBody(): { body: ReadableStream<Uint8Array>; takenBytes: () => number; cancelled: () => boolean } {
  let takenBytes = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      takenBytes += 1000;
      controller.enqueue(new Uint8Array(1000).fill(0x20));
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, takenBytes: () => takenBytes, cancelled: () => cancelled };
}

t.test('a JSON body is read with its size', async (t) => {
  t.same(await readJsonBody(createRequest('{"a": "ä"}'), 100), { value: { a: 'ä' }, sizeBytes: 11 });
  const charset = { 'content-type': 'Application/JSON; charset="UTF-8"' };
  t.same(await readJsonBody(createRequest('[]', charset), 100), { value: [], sizeBytes: 2 });
});

t.test('a body with a larger declared length is refused unread', async (t) => {
  const { body, takenBytes } = createEndlessBody();
  const request = createRequest(body, { ...json, 'content-length': '1001' });
  await t.rejects(readJsonBody(request, 1000), { code: 'BODY_TOO_LARGE', values: { limit_bytes: 1000 } });
  t.ok(takenBytes() <= 1000);
});

t.test('a body of unknown length is refused as soon as it is too large', async (t) => {
  const { body, takenBytes, cancelled } = createEndlessBody();
  await t.rejects(readJsonBody(createRequest(body), 10_000), { code: 'BODY_TOO_LARGE' });
  t.ok(takenBytes() <= 13_000, `${takenBytes()} bytes were taken`);
  t.ok(cancelled());
});

t.test('a body longer than its declared length is refused', async (t) => {
  const request = createRequest('x'.repeat(100), { ...json, 'content-length': '5' });
  await t.rejects(readJsonBody(request, 50), { code: 'BODY_TOO_LARGE' });
});

t.test('what is not JSON is refused', async (t) => {
  const bodies: (BodyInit | null)[] = [null, '', '{', 'true false', '{"a": NaN}', new Uint8Array([0x22, 0xff, 0x22])];
  for (const body of bodies) await t.rejects(readJsonBody(createRequest(body), 100), { code: 'BODY_NOT_JSON' });
});

t.test('another content type, or none, is refused', async (t) => {
  for (const type of [
    'text/plain',
    'application/json, text/plain',
    'application/x-json',
    'application/json; charset=latin1',
  ]) {
    await t.rejects(readJsonBody(createRequest('{}', { 'content-type': type }), 100), {
      code: 'MEDIA_TYPE_REFUSED',
      values: { type },
    });
  }
  const untyped = createRequest(new Uint8Array([0x7b, 0x7d]), {});
  await t.rejects(readJsonBody(untyped, 100), { code: 'MEDIA_TYPE_REFUSED', values: { type: '(none)' } });
});

t.test('a member named __proto__ is an ordinary member', async (t) => {
  const { value } = await readJsonBody(createRequest('{"__proto__": {"admin": true}}'), 100);
  t.notOk(Object.hasOwn(Object.prototype, 'admin'));
  t.same(Object.keys(value ?? {}), ['__proto__']);
});

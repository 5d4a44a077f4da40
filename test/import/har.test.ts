/** Recordings: calls of the API without pages, values of earlier answers as captures, secrets as variables. */
import t from 'tap';
import { importTexts } from './import-text.ts';

type Entry = {
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
  readonly answer?: unknown;
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly setCookie?: string;
};

const toList = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }));

function toEntry({
  method = 'GET',
  url,
  body,
  answer,
  status = 200,
  type = 'application/json',
  headers = {},
  setCookie,
}: Entry) {
  return {
    request: {
      ...{ method, url: url.startsWith('http') ? url : `https://shop.example${url}` },
      headers: toList({ 'User-Agent': 'Mozilla', 'sec-fetch-mode': 'cors', ...headers }),
      ...(body === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
    },
    response: {
      status,
      headers: toList({ 'Content-Type': type, ...(setCookie === undefined ? {} : { 'Set-Cookie': setCookie }) }),
      content: { mimeType: type, text: answer === undefined ? '' : JSON.stringify(answer) },
    },
  };
}

const toHar = (...entries: readonly Entry[]): string =>
  JSON.stringify({ log: { version: '1.2', entries: entries.map(toEntry) } });

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc';

t.test('a token and an id of earlier answers are captured; the request that gave them is a step', async (t) => {
  const { text, bullets, variables } = await importTexts(
    t,
    'har',
    toHar(
      {
        method: 'POST',
        url: '/api/login',
        body: { user: 'bob', password: 'geheim-1' },
        answer: { token, user: { id: 7 } },
      },
      {
        method: 'POST',
        url: '/api/orders',
        body: { item: 'lamp' },
        headers: { Authorization: `Bearer ${token}` },
        status: 201,
        answer: { id: 17, state: 'open' },
      },
      {
        url: '/api/orders/17',
        headers: { Authorization: `Bearer ${token}` },
        answer: { id: 17, state: 'open', at: '2026-01-02T03:04:05Z' },
      },
    ),
  );
  const read = text('RT-GET-orders');
  t.match(read, /### POST \/api\/login \(entry 1\)\n[\s\S]+- status=200\n- capture token = body\.token\n/);
  t.match(read, /- status=201\n- capture order_id = body\.id\n/);
  t.match(read, 'GET ${INGESTION_URL}/api/orders/${order_id}\n');
  t.match(read, 'Authorization: Bearer ${token}\n');
  t.notMatch(read, /sec-fetch|User-Agent/);
  t.match(text('RT-POST-login'), '"password":"${PASSWORD}"');
  t.same(variables, [{ name: 'PASSWORD', isSecret: true }]);
  t.same(bullets('RT-GET-orders').slice(-4), [
    'status=200',
    'body has id matching ^[0-9]+$',
    'body has state equals open',
    'body has at matching ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}',
  ]);
});

t.test('no secret of the recording is in a scenario, wherever it stood', async (t) => {
  const secret = 'sk_live_4242424242424242';
  const { scenarios, variables } = await importTexts(
    t,
    'har',
    toHar(
      { url: `/api/items?api_key=${secret}`, answer: { echo: secret } },
      {
        url: '/api/me',
        headers: { Cookie: 'sid=geheim-cookie-1; theme=dark', 'X-Api-Key': secret },
        answer: { key: secret },
      },
      { method: 'POST', url: '/api/notes', body: { text: `the key is ${secret}` }, answer: {} },
    ),
  );
  const all = JSON.stringify([scenarios, variables]);
  t.notMatch(all, /sk_live_|geheim-cookie/);
  t.match(all, /api_key=\$\{API_KEY\}/);
  t.match(all, /the key is \$\{API_KEY\}/, 'also where nothing names it');
  t.match(variables, [
    { name: 'API_KEY', isSecret: true },
    { name: 'COOKIE_SID', isSecret: true },
  ]);
});

t.test('a cookie that an answer set is captured', async (t) => {
  const { text } = await importTexts(
    t,
    'har',
    toHar(
      { method: 'POST', url: '/login', answer: {}, setCookie: 'sid=abc; HttpOnly' },
      { url: '/me', headers: { Cookie: 'sid=abc' }, answer: { name: 'bob' } },
    ),
  );
  t.match(text('RT-GET-me'), '- capture sid = cookie sid\n');
  t.match(text('RT-GET-me'), 'Cookie: sid=${sid}\n');
});

t.test('the same request twice shows what is volatile', async (t) => {
  const { bullets, scenarios } = await importTexts(
    t,
    'har',
    toHar(
      { url: '/api/state', answer: { mode: 'day', phase: 'one' } },
      { url: '/api/state', answer: { mode: 'day', phase: 'two' } },
    ),
  );
  t.equal(scenarios.length, 1);
  t.same(bullets('RT-GET-state'), ['status=200', 'body has mode equals day', 'body has phase matching \\S']);
});

t.test('pages, images, preflights and other hosts are counted, not imported', async (t) => {
  const { scenarios, untranslated } = await importTexts(
    t,
    'har',
    toHar(
      { url: '/', type: 'text/html' },
      { url: '/logo.png', type: 'image/png' },
      { method: 'OPTIONS', url: '/api/items' },
      { url: '/api/items', answer: [] },
      { url: '/api/other', answer: {} },
      { url: 'https://metrics.example/collect', answer: {} },
    ),
  );
  t.equal(scenarios.length, 2);
  t.match(untranslated, [
    { item: '2 entries', reason: /page, image/ },
    { item: '1 entry', reason: /preflight/ },
    { item: /1 call of https:\/\/metrics\.example/, reason: 'the scenarios go to https://shop.example' },
  ]);
});

t.test('two hundred entries give valid scenarios with distinct IDs', async (t) => {
  const entries = Array.from({ length: 200 }, (_, index): Entry => {
    const answer = {
      id: index,
      rows: Array.from({ length: 40 }, (_row, row) => ({
        id: `row-${index}-${row}`,
        at: '2026-01-01T00:00:00Z',
        note: 'x'.repeat(80),
      })),
    };
    return index % 4 === 0
      ? { method: 'POST', url: `/api/things/${index % 9}`, body: { index }, status: 201, answer }
      : { url: `/api/things/${index}`, answer };
  });
  const { scenarios } = await importTexts(t, 'har', toHar(...entries));
  t.equal(scenarios.length, 200);
  t.equal(new Set(scenarios.map(({ id }) => id)).size, 200);
});

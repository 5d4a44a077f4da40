/** A scripted agent finds eight planted faults with few calls and little text, and none once they are mended. */
import t, { type Test } from 'tap';
import { type Agent, createAgentTestSetup, secrets, type ToolResponse } from './agent-test-setup.ts';
import { type Fault, type FaultyShop, faults, startFaultyShop } from './eight-bugs.ts';

const limits = { calls: 12, tokens: 8000 } as const;

const logstore = `observability:
  logstore:
    log_format: json
    correlation_field: requestId
    level_field: level
    error_match: 40|50|60
`;

type Draft = {
  readonly id: string;
  readonly request: string;
  readonly checks: readonly string[];
  readonly layer?: string;
};

function writeText({ id, request, checks, layer = 'HTTP Ingestion' }: Draft): string {
  const [line = '', ...more] = request.split('\n');
  const [method, path] = line.split(' ');
  const headers = ['X-Request-Id: ${correlation_id}', ...more];
  return [
    `# Scenario: ${method} ${id} - by the rules of the shop`,
    `## Metadata\n\n- ID: ${id}\n- Layer: ${layer}`,
    `## TRIGGER\n\n${method} \${INGESTION_URL}${path}\n${headers.join('\n')}`,
    `## EXPECT\n\n### Runnable\n\n${checks.map((check) => `- ${check}`).join('\n')}\n`,
  ].join('\n\n');
}

const withLog = 'HTTP Ingestion + Log';
const json = 'Content-Type: application/json\n\n';

/** What the shop promises; the fault that breaks each promise. */
const drafts: readonly (Draft & { readonly fault: Fault | undefined })[] = [
  {
    id: 'list-pages',
    fault: 'paging',
    request: 'GET /api/v2/order?perPage=2',
    checks: [
      'status=200',
      'body data length = 2',
      'body totalPages equals ceil(count / perPage)',
      'body unique data.id',
    ],
  },
  {
    id: 'order-total',
    fault: 'rounding',
    request: 'GET /api/v2/order/1',
    checks: ['status=200', 'body total equals sum(items.price * items.quantity)'],
  },
  {
    id: 'report-closed',
    fault: 'authorization',
    request: 'GET /api/v2/report\nAuthorization:',
    checks: ['status=401'],
  },
  {
    id: 'withdrawal-locks',
    fault: 'row lock',
    layer: withLog,
    request: `POST /api/v2/account/1/withdrawal\n${json}{"amount": 10}`,
    checks: ['status=200', 'log has sql containing FOR UPDATE'],
  },
  {
    id: 'order-created',
    fault: 'wrong status',
    request: `POST /api/v2/order\n${json}{"items": []}`,
    checks: ['status=201', 'body has id matching ^[0-9]+$'],
  },
  {
    id: 'price-written',
    fault: undefined,
    request: `PUT /api/v2/product/1\n${json}{"price": 99}`,
    checks: ['status=200', 'body has price equals 99'],
  },
  {
    id: 'price-read',
    fault: 'stale cache',
    request: 'GET /api/v2/product/1',
    checks: ['status=200', 'body has price equals 99'],
  },
  {
    id: 'list-queries',
    fault: 'n+1 queries',
    layer: withLog,
    request: 'GET /api/v2/order?perPage=2',
    checks: ['status=200', 'log lines<=3', 'log errors=0'],
  },
  {
    id: 'user-fields',
    fault: 'leaked field',
    request: 'GET /api/v2/user',
    checks: ['status=200', 'body every data.name', 'body has no data.password_hash'],
  },
];

/** Counts what a model would read: the text and the data of each answer. */
function countUse(agent: Agent) {
  const use = { calls: 0, bytes: 0 };
  const count = (response: ToolResponse): ToolResponse => {
    use.calls += 1;
    use.bytes += Buffer.byteLength(response.text) + Buffer.byteLength(JSON.stringify(response.data));
    return response;
  };
  return {
    use,
    call: async (name: string, input?: Record<string, unknown>) => count(await agent.call(name, input)),
  };
}

async function startDrill(t: Test): Promise<{ readonly shop: FaultyShop; readonly agent: Agent }> {
  const shop = await startFaultyShop(t, secrets.API_TOKEN);
  const setup = await createAgentTestSetup(t, { baseUrl: shop.url, config: logstore, logSource: shop.logFile });
  return { shop, agent: await setup.agent('test') };
}

t.test('eight planted faults are found with at most 12 calls and 8,000 tokens of answers', async (t) => {
  const { shop, agent } = await startDrill(t);
  const { use, call } = countUse(agent);

  t.match((await call('author__get_executor_status')).data, { healthy: true });
  const paths = ['order?perPage=2', 'order/1', 'report', 'product/1', 'user'].map((path) => `/api/v2/${path}`);
  const probe = await call('author__probe_target', {
    requests: paths.map((path) => ({ method: 'GET', path })),
    select: ['status', 'shape'],
  });
  t.match(
    probe.text,
    /user → status: 200; shape: \{ data: list of 2 of \{ id: number, name: string, password_hash: string \} \}/,
  );

  // A first attempt as agents make it: numbers are compared where the layer refuses that.
  const wrong = drafts.map((draft) => writeText(draft).replace('length = 2', 'length >= 2').replace('`', ''));
  const first = await call('author__write_scenario', { texts: wrong });
  t.match(first.data, { stored: 8, refused: ['list-pages'] });
  t.match(first.text, /SCENARIO_CHECK_COMPARISON at list-pages:\d+: .*\n {2}fix: .*HTTP Ingestion \+ Log/);
  const [corrected] = drafts;
  const second = await call('author__write_scenario', { texts: corrected ? [writeText(corrected)] : [] });
  t.match(second.data, { stored: 1, refused: [] });

  const ids = drafts.map(({ id }) => id);
  const suite = await call('author__request_suite', { ids, prove: true });
  t.match(suite.data, { count: 9, ended: 9, failed: faults.length });
  for (const { id, fault } of drafts) {
    t.match(suite.text, new RegExp(`^${id}: ${fault === undefined ? 'passed' : 'failed'}`, 'm'), fault ?? id);
  }
  t.match(suite.text, /totalPages equals ceil\(count \/ perPage\)`: 2 and 3/);
  t.match(suite.text, /`body total equals sum\(items\.price \* items\.quantity\)`: 10\.28 and 10\.3/);
  t.match(suite.text, /`body has no data\.password_hash`: .* and 1 more/);

  shop.mend();
  const again = await call('author__request_suite', { ids, prove: true });
  t.match(again.data, { ended: 9, failed: 0 }, 'no fault is seen where there is none');

  const tokens = Math.ceil(use.bytes / 4);
  t.comment(`${use.calls} calls, ${tokens} tokens`);
  t.ok(use.calls <= limits.calls, `${use.calls} calls`);
  t.ok(tokens <= limits.tokens, `${tokens} tokens`);
});

t.test(
  'a proof of the faulty list proposes the arithmetic that it breaks, and no pattern that it passes',
  async (t) => {
    const { agent } = await startDrill(t);
    const text = writeText({
      id: 'list',
      request: 'GET /api/v2/order?perPage=2',
      checks: ['status=200', 'body has data'],
    });
    await agent.call('author__write_scenario', { text });
    const suite = await agent.call('author__request_suite', { ids: ['list'], prove: true });
    t.match(
      suite.text,
      /unchecked: - body totalPages equals ceil\(count \/ perPage\) \(it should be .*, and it is not/,
    );
    t.notMatch(suite.text, /totalPages matching/);
  },
);

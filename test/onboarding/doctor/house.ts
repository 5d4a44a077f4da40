/** An onboarded machine that a test makes up: what answers, which containers there are, what the control plane tells. */
import { createClient } from '../../../src/client/client.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { version } from '../../../src/environment/version.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { DoctorContext, Page } from '../../../src/onboarding/doctor/context.ts';
import { type DoctorOptions, doctor } from '../../../src/onboarding/doctor/doctor.ts';
import { container, engineWith, machine } from '../preflight/machine.ts';

/** The moment of every test. */
export const nowMs = Date.parse('2026-11-21T12:00:00Z');
/** The instance, all well. */
export const registered = {
  ...({ instance_id: 'shop', tier: 'compose', executor_project: 'platform-inst-shop', executor_port: 8765 } as const),
  ...({ executor_status: 'REGISTERED', executor_version: version, recommended_version: version } as const),
  ...{ target: 'http://app:3100', owner: null, created_at: '2026-11-20T12:00:00Z' },
  ...{ last_seen_at: '2026-11-21T11:59:58Z', running: null, queued: 0 },
};

const image = `vp:v${version}-slim`;
const healthy = 'Up 2 minutes (healthy)';
/** Every container of an onboarded machine. */
export const allContainers = [
  container({ name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop', image, status: healthy }),
  container({ name: 'platform-inst-shop-log-reader-1', project: 'platform-inst-shop', image, status: healthy }),
  container({ name: 'platform-router', project: 'platform-router', image, status: healthy }),
  container({ name: 'platform-obs-dashboard-1', project: 'platform-obs', image, status: healthy }),
  container({
    name: 'platform-obs-prometheus-1',
    project: 'platform-obs',
    image: 'prom/prometheus:v2.53.3',
    status: healthy,
  }),
];

/** A page by its address. */
export type Pages = Readonly<Record<string, Page | undefined>>;

/** A page that is fine, of a control plane whose clock is `skewMs` behind. */
export function page(text: string, status = 200, skewMs = 0): Page {
  return { status, date: new Date(nowMs - skewMs).toUTCString(), text };
}

const targets = {
  data: { activeTargets: [{ scrapeUrl: 'http://vp-executors:8765/metrics', health: 'up', lastError: '' }] },
};
const pages: Pages = {
  'http://127.0.0.1:7700/readyz': page('{"status":"ready"}'),
  'http://127.0.0.1:9765/healthz': page(JSON.stringify({ status: 'ok', role: 'router', version })),
  'http://127.0.0.1:3000/healthz': page('{}'),
  'http://127.0.0.1:9095/-/ready': page('ready'),
  'http://127.0.0.1:9095/api/v1/targets?state=active': page(JSON.stringify(targets)),
};

/** What the control plane answers, by path. */
export type Answers = Readonly<Record<string, unknown>>;
const answers: Answers = {
  '/api/v1/instances/shop/scenarios': { items: [], next_cursor: null },
  '/api/v1/runs': { items: [], next_cursor: null },
};

/** A client whose control plane answers from a table. */
export function clientOf(more: Answers = {}) {
  const known: Answers = { ...answers, ...more };
  return createClient({
    baseUrl: 'http://127.0.0.1:7700',
    token: 'vpk_x',
    fetch: async (url) => Response.json(known[new URL(url).pathname] ?? {}),
  });
}

/** An onboarded machine on which all is well; `more` and `shown` say what is not. */
export function onboarded(more: Partial<DoctorContext> = {}, shown: Pages = {}): DoctorContext {
  const { place, dataFolder, engine: _, ...rest } = machine();
  const known: Pages = { ...pages, ...shown };
  return {
    ...rest,
    place,
    dataFolder,
    engine: async () => engineWith(allContainers, { info: '/var/lib/docker' }),
    controlPlane: 'http://127.0.0.1:7700',
    testDir: undefined,
    productDir: undefined,
    scenarios: undefined,
    folderPlace: { config: '/nonexistent', random: systemRandom, variables: process.env },
    nowMs: () => nowMs,
    get: async (url) => known[url],
    client: async () => clientOf(),
    who: async () => 'Ana <ana@example.com>, owner',
    instance: async (client) => ({ id: 'shop', registered: client && registered }),
    callTool: () => Promise.reject(vpError('AGENT_CALL_FAILED', { url: '-', reason: 'nobody there' })),
    readScenarios: () => [],
    found: {},
    ...more,
  };
}

/** What is wrong, as `check: CODE message`. */
export async function problemsOf(context: DoctorContext, options: Partial<DoctorOptions> = {}): Promise<string[]> {
  const { checks } = await doctor(context, { fix: false, ...options });
  return checks.flatMap(({ id, problems }) => problems.map(({ code, message }) => `${id}: ${code} ${message}`));
}

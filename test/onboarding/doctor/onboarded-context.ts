/** A fake onboarded machine: its pages, its containers, and the responses of its control plane. */
import { createClient } from '../../../src/client/client.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { version } from '../../../src/environment/version.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { DoctorContext, HttpPage } from '../../../src/onboarding/doctor/context.ts';
import { type DoctorOptions, runDoctor } from '../../../src/onboarding/doctor/doctor.ts';
import {
  container,
  createFakeEngine,
  createPreflightTestContext,
  type MachineOverrides,
} from '../preflight/preflight-context.ts';

/** The current time of every test. */
export const nowMs = Date.parse('2026-11-21T12:00:00Z');
/** The instance, without problems. */
export const registeredInstance = {
  ...({ instance_id: 'shop', tier: 'compose', executor_project: 'platform-inst-shop', executor_port: 8765 } as const),
  ...({ executor_status: 'REGISTERED', executor_version: version, recommended_version: version } as const),
  ...{ target: 'http://app:3100', owner: null, created_at: '2026-11-20T12:00:00Z' },
  ...{ last_seen_at: '2026-11-21T11:59:58Z', running: null, queued: 0 },
};

const image = `vp:v${version}-slim`;
const healthy = 'Up 2 minutes (healthy)';
/** Every container of an onboarded machine. */
export const allContainers = [
  container({
    ...{ name: 'platform-inst-shop-executor-1', project: 'platform-inst-shop', service: 'platform-inst-shop', image },
    ...{ status: healthy, networks: ['shop-net', 'platform-obs'] },
  }),
  container({
    ...{ name: 'platform-inst-shop-log-reader-1', project: 'platform-inst-shop', service: 'log-reader', image },
    ...{ status: healthy, networks: ['none'] },
  }),
  container({
    ...{ name: 'platform-router', project: 'platform-router', service: 'router', image },
    ...{ status: healthy, networks: ['platform-obs'] },
  }),
  container({
    ...{ name: 'platform-obs-dashboard-1', project: 'platform-obs', service: 'dashboard', image },
    ...{ status: healthy, networks: ['platform-obs'] },
  }),
  container({
    ...{ name: 'platform-obs-prometheus-1', project: 'platform-obs', service: 'prometheus' },
    ...{ image: 'prom/prometheus:v2.53.3', status: healthy, networks: ['platform-obs'] },
  }),
];

/** Pages by URL. */
export type Pages = Readonly<Record<string, HttpPage | undefined>>;

/** A response of a server whose clock is `skewMs` behind. */
export function createPage(text: string, status = 200, skewMs = 0): HttpPage {
  return { status, date: new Date(nowMs - skewMs).toUTCString(), text };
}

const targets = {
  data: { activeTargets: [{ scrapeUrl: 'http://vp-executors:8765/metrics', health: 'up', lastError: '' }] },
};
const defaultPages: Pages = {
  'http://127.0.0.1:7700/readyz': createPage('{"status":"ready"}'),
  'http://127.0.0.1:9765/healthz': createPage(JSON.stringify({ status: 'ok', role: 'router', version })),
  'http://127.0.0.1:3000/healthz': createPage('{}'),
  'http://127.0.0.1:9095/-/ready': createPage('ready'),
  'http://127.0.0.1:9095/api/v1/targets?state=active': createPage(JSON.stringify(targets)),
};

/** Responses of the control plane by path. */
export type ApiAnswers = Readonly<Record<string, unknown>>;
const defaultAnswers: ApiAnswers = {
  '/api/v1/instances/shop/scenarios': { items: [], next_cursor: null },
  '/api/v1/runs': { items: [], next_cursor: null },
};

/** A client whose control plane answers from a table. */
export function createTestClient(overrides: ApiAnswers = {}) {
  const answersByPath: ApiAnswers = { ...defaultAnswers, ...overrides };
  return createClient({
    baseUrl: 'http://127.0.0.1:7700',
    token: 'vpk_x',
    fetch: async (url) => Response.json(answersByPath[new URL(url).pathname] ?? {}),
  });
}

/** An onboarded machine without problems; the overrides change that. */
export function createOnboardedContext(
  overrides: Partial<DoctorContext> & MachineOverrides = {},
  pageOverrides: Pages = {},
): DoctorContext {
  const {
    engine = async () => createFakeEngine(allContainers, { info: '/var/lib/docker' }),
    findPortHolder,
    ...doctorOverrides
  } = overrides;
  const pagesByUrl: Pages = { ...defaultPages, ...pageOverrides };
  return {
    ...createPreflightTestContext({ engine, ...(findPortHolder && { findPortHolder }) }),
    controlPlane: 'http://127.0.0.1:7700',
    testDir: undefined,
    productDir: undefined,
    scenarios: undefined,
    folderContext: { config: '/nonexistent', random: systemRandom, variables: process.env },
    inspectDatabase: async () => undefined,
    nowMs: () => nowMs,
    fetchPage: async (url) => pagesByUrl[url],
    connect: async () => createTestClient(),
    describeUser: async () => 'Ana <ana@example.com>, owner',
    findInstance: async (client) => ({ id: 'shop', registered: client && registeredInstance }),
    callTool: () => Promise.reject(vpError('AGENT_CALL_FAILED', { url: '-', reason: 'no response' })),
    readScenarios: () => [],
    findOnboarded: async () => undefined,
    sendProbe: () => Promise.reject(vpError('TARGET_NOT_PROBED', { problem: 'no executor', cure: 'start it' })),
    findExecutor: () => undefined,
    clock: systemClock,
    readProbeFiles: () => [],
    state: {},
    ...doctorOverrides,
  };
}

/** All problems, as `check: CODE message`. */
export async function listProblems(context: DoctorContext, options: Partial<DoctorOptions> = {}): Promise<string[]> {
  const { checks } = await runDoctor(context, { fix: false, ...options });
  return checks.flatMap(({ id, problems }) => problems.map(({ code, message }) => `${id}: ${code} ${message}`));
}

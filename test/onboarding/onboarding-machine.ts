/** The context of a step, on a fake machine, with a control plane in the same process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import type { ContainerInfo } from '../../src/containers/containers.ts';
import type { ContainerEngine } from '../../src/containers/engine.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { resolvePaths } from '../../src/environment/paths.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { createComposeContext } from '../../src/onboarding/compose/compose-context.ts';
import { toPlatform } from '../../src/onboarding/compose/compose-platform.ts';
import type {
  OnboardingContext,
  OnboardingPorts,
  OnboardingRequest,
  OnboardingState,
} from '../../src/onboarding/context.ts';
import { JournalWriter } from '../../src/onboarding/workflow/journal.ts';
import { openTranscript } from '../../src/onboarding/workflow/transcript.ts';
import { createTestClient } from '../client/test-client.ts';
import { startTestServer } from '../server/test-server.ts';
import { container, createFakeEngine, type EngineAnswers } from './preflight/preflight-context.ts';

/** Containers of the target. */
export const target = [container({ name: 'shop-app-1', project: 'shop', service: 'app' })];
const defaultAnswers: EngineAnswers = { 'network ls': 'bridge\nshop-net\nplatform-obs\n' };

const defaultConfig = `project: {name: My Shop}
targets: {http: {base_url: "http://app:3100"}}
deploy: {compose_project: shop, network: shop-net}
`;

/** A fake engine that also lists the compose projects. */
export function createListingEngine(
  listed: readonly ContainerInfo[],
  more: EngineAnswers = defaultAnswers,
): ContainerEngine {
  const engine = createFakeEngine(listed, more);
  const projects = [...new Set(listed.map(({ project }) => project))].join('\n');
  return {
    ...engine,
    output: (args, call) => {
      const listsProjects = args[0] === 'ps' && args.at(-1) === '{{.Label "com.docker.compose.project"}}';
      return listsProjects ? Promise.resolve(projects) : engine.output(args, call);
    },
  };
}

/** What a test changes of the machine. */
export type MachineOverrides = {
  /** Asked at each use, so that a test can replace its engine. */
  readonly engine?: () => ContainerEngine;
  readonly request?: Partial<OnboardingRequest>;
  readonly ports?: Partial<OnboardingPorts>;
  readonly state?: OnboardingState;
  readonly config?: string;
};

/** A machine with folders and a control plane; `run` creates the context of another run. */
export async function createTestMachine(t: Test, overrides: MachineOverrides = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-onboarding-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('product/platform-config.yaml', overrides.config ?? defaultConfig);
  mkdirSync(join(folder, 'test'));
  const api = await startTestServer(t);
  const client: Client = createTestClient(api);
  const warnings: string[] = [];
  const run = (runOverrides: MachineOverrides = {}): OnboardingContext =>
    createContext({ folder, client, warnings }, overrides, runOverrides);
  return { folder, write, api, client, warnings, run };
}

type MachineParts = { folder: string; client: Client; warnings: string[] };

function createContext(
  { folder, client, warnings }: MachineParts,
  overrides: MachineOverrides,
  more: MachineOverrides,
): OnboardingContext {
  const environment: OnboardingPorts['environment'] = {
    ...{ clock: systemClock, random: systemRandom, paths: resolvePaths({}, 'linux', join(folder, 'home')) },
    ...{ variables: { PATH: process.env.PATH }, platform: 'linux', hostname: 'box', pid: 1 },
  };
  const engine = more.engine ?? overrides.engine ?? (() => createListingEngine(target));
  const platform = toPlatform(createComposeContext(environment, { engine: async () => engine() }));
  const ports: OnboardingPorts = {
    environment,
    platform,
    signIn: async () => ({ client, userName: 'Ana', prompted: false }),
    existingClient: async () => undefined,
    authorClient: async () => undefined,
    onOpen: () => undefined,
    warn: (text) => void warnings.push(text),
    readScenarios: () => [],
    sendScenario: async () => ({ refused: undefined }),
    sendProbe: () => Promise.reject(new Error('no executor')),
    countTools: async () => 16,
    ...overrides.ports,
    ...more.ports,
  };
  const request: OnboardingRequest = {
    ...{ productDir: join(folder, 'product'), testDir: join(folder, 'test'), instanceId: 'shop', ca: undefined },
    ...{ controlPlane: client.transport.baseUrl, image: 'vp:v0.4.0-slim', kit: undefined },
    ...overrides.request,
    ...more.request,
  };
  return {
    ...{ request, ports, state: { client, ...overrides.state, ...more.state } },
    journal: new JournalWriter(environment),
    transcript: openTranscript(systemClock),
    signal: new AbortController().signal,
    report: () => undefined,
  };
}

/** The context of a step, on a made-up machine, with a control plane in the same process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import type { Container } from '../../src/containers/containers.ts';
import type { Engine } from '../../src/containers/engine.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { pathsOf } from '../../src/environment/paths.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { Asked, Found, OnboardingContext, OnboardingPorts } from '../../src/onboarding/context.ts';
import { OpenJournal } from '../../src/onboarding/engine/journal.ts';
import { openTranscript } from '../../src/onboarding/engine/transcript.ts';
import { clientOf } from '../client/client-of.ts';
import { served } from '../server/served.ts';
import { type Answers, container, engineWith } from './preflight/machine.ts';

/** The target of the made-up machine. */
export const target = [container({ name: 'shop-app-1', project: 'shop', service: 'app' })];
const answers: Answers = { 'network ls': 'bridge\nshop-net\nplatform-obs\n' };

const config = `project: {name: My Shop}
targets: {http: {base_url: "http://app:3100"}}
deploy: {compose_project: shop, network: shop-net}
`;

/** As `engineWith`, and it lists the compose projects too. */
export function engineOf(listed: readonly Container[], more: Answers = answers): Engine {
  const engine = engineWith(listed, more);
  const projects = [...new Set(listed.map(({ project }) => project))].join('\n');
  return {
    ...engine,
    output: (words, call) => {
      const asksProjects = words[0] === 'ps' && words.at(-1) === '{{.Label "com.docker.compose.project"}}';
      return asksProjects ? Promise.resolve(projects) : engine.output(words, call);
    },
  };
}

/** What a test changes. */
export type Wish = {
  readonly engine?: Engine;
  readonly asked?: Partial<Asked>;
  readonly ports?: Partial<OnboardingPorts>;
  readonly found?: Found;
  readonly config?: string;
};

/** A machine with folders, its control plane, and as many contexts as there are runs. */
export async function machine(t: Test, wish: Wish = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'vp-onboarding-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('product/platform-config.yaml', wish.config ?? config);
  mkdirSync(join(folder, 'test'));
  const api = await served(t);
  const client: Client = clientOf(api);
  const engine = wish.engine ?? engineOf(target);
  const warnings: string[] = [];
  const run = (more: Wish = {}): OnboardingContext => contextOf({ folder, engine, client, warnings }, wish, more);
  return { folder, write, api, client, warnings, run };
}

type Parts = { folder: string; engine: Engine; client: Client; warnings: string[] };

function contextOf({ folder, engine, client, warnings }: Parts, wish: Wish, more: Wish): OnboardingContext {
  const environment: OnboardingPorts['environment'] = {
    ...{ clock: systemClock, random: systemRandom, paths: pathsOf({}, 'linux', join(folder, 'home')) },
    ...{ variables: { PATH: process.env.PATH }, platform: 'linux', hostname: 'box', pid: 1 },
  };
  const ports: OnboardingPorts = {
    environment,
    engine: async () => engine,
    signIn: async () => ({ client, who: 'Ana', asked: false }),
    authorClient: async () => undefined,
    onOpen: () => undefined,
    warn: (text) => void warnings.push(text),
    readScenarios: () => [],
    sendScenario: async () => ({ refused: undefined }),
    countTools: async () => 16,
    ...wish.ports,
    ...more.ports,
  };
  const asked: Asked = {
    ...{ productDir: join(folder, 'product'), testDir: join(folder, 'test'), instanceId: 'shop', ca: undefined },
    ...{ controlPlane: client.transport.baseUrl, image: 'vp:v0.4.0-slim', kit: undefined },
    ...wish.asked,
    ...more.asked,
  };
  return {
    ...{ asked, ports, found: { engine, client, ...wish.found, ...more.found } },
    journal: new OpenJournal(environment),
    transcript: openTranscript(systemClock),
    signal: new AbortController().signal,
    say: () => undefined,
  };
}

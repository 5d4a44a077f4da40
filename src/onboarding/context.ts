/** What the steps of an onboarding work on: what was asked for, what they have found out, and the outside world. */
import type { Client } from '../client/client.ts';
import type { Engine } from '../containers/engine.ts';
import type { Instance } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { OpenJournal } from './engine/journal.ts';
import type { StepContext } from './engine/run-steps.ts';
import type { Transcript } from './engine/transcript.ts';
import type { ProbeFacts } from './probe.ts';
import type { ImportOutcome, SendScenario } from './scenario-import.ts';
import type { ControlPlaneWay } from './stacks/way.ts';

/** What was asked for. Folders are absolute. */
export type Asked = {
  readonly productDir: string;
  readonly testDir: string;
  readonly instanceId: string | undefined;
  /** Without a slash at its end. */
  readonly controlPlane: string;
  /** PEM certificates to trust on the way to the control plane, besides the usual ones. */
  readonly ca: string | undefined;
  readonly image: string;
  readonly kit: string | undefined;
};

/** A scenario file of the test folder; `problem` says why it cannot be sent. */
export type ScenarioText = {
  readonly file: string;
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly text: string;
  readonly problem: string | undefined;
};

/** The outside world, as far as it is not the engine, the control plane or a file. */
export type OnboardingPorts = {
  readonly environment: Pick<Environment, 'clock' | 'random' | 'paths' | 'variables' | 'platform' | 'hostname' | 'pid'>;
  /** The engine, looked for once. */
  engine(): Promise<Engine>;
  /** A client with a credential that the control plane takes; a person is asked to sign in where there is none. */
  signIn(options: SignInOptions): Promise<{ readonly client: Client; readonly who: string; readonly asked: boolean }>;
  /** A client with the author's token, where one is set. */
  authorClient(): Promise<Client | undefined>;
  /** Tells of a sign-in page. */
  readonly onOpen: (url: string, userCode?: string) => void;
  warn(text: string, cure: string): void;
  /** Scenario files below a folder; none where there are none. */
  readScenarios(folder: string): readonly ScenarioText[];
  readonly sendScenario: SendScenario;
  /** Asks the router, as an agent would, how many tools `token` has. */
  countTools(routerUrl: string, token: string, signal: AbortSignal): Promise<number>;
};

/** How a sign-in goes. */
export type SignInOptions = {
  readonly signal: AbortSignal;
  onOpen(url: string, userCode?: string): void;
};

/** What a connected folder's agent has. */
export type AgentFacts = { readonly tools: number | undefined; readonly folder: string };

/** What the steps have found out so far; each is there once the step that finds it has ended. */
export type Found = {
  engine?: Engine;
  project?: ProjectConfig;
  client?: Client;
  who?: string;
  instanceId?: string;
  kit?: string;
  instance?: Instance;
  /** It was registered by this run. */
  isFresh?: boolean;
  /** Known only right after it was made. */
  executorKey?: string;
  port?: number;
  way?: ControlPlaneWay;
  /** Whether the executor is seen by the control plane. */
  isSeen?: boolean;
  /** When the control plane last saw the executor that was there before. */
  seenBefore?: string | null;
  isVersionTold?: boolean;
  socketGroup?: number;
  /** Another config was placed, the containers were started, in this run. */
  isPlaced?: boolean;
  isStarted?: boolean;
  /** Compose projects that had no containers before this run. */
  fresh?: Set<string>;
  isRouterStale?: boolean;
  isInstanceStale?: boolean;
  probe?: ProbeFacts;
  dashboard?: 'up' | 'down';
  imported?: ImportOutcome;
  agents?: { test?: AgentFacts; product?: AgentFacts };
};

/** The context of a step. */
export type OnboardingContext = StepContext & {
  readonly asked: Asked;
  readonly ports: OnboardingPorts;
  readonly found: Found;
  readonly journal: OpenJournal;
  readonly transcript: Transcript;
};

/** Something that an earlier step has found. Throws where the steps are out of order, which no user can bring about. */
export function known<N extends keyof Found>(
  { found }: Pick<OnboardingContext, 'found'>,
  name: N,
): NonNullable<Found[N]> {
  const value = found[name];
  if (value !== undefined && value !== null) return value;
  throw new TypeError(`no step has found ${name}`);
}

/** What the steps of an onboarding work on: the request, what earlier steps have found, and the dependencies. */

import type { Client } from '../client/client.ts';
import type { Instance } from '../contract/api.ts';
import type { Environment } from '../environment/environment.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { EvidenceProbeResult } from './evidence-probe.ts';
import type { MachineLock } from './machine-lock.ts';
import type { ControlPlaneEndpoint, Platform } from './platform/platform.ts';
import type { ScenarioImportFile, ScenarioImportResult, SendScenario } from './scenario-import.ts';
import type { SendProbe } from './target-probe.ts';
import type { JournalWriter } from './workflow/journal.ts';
import type { StepContext } from './workflow/run-steps.ts';
import type { Transcript } from './workflow/transcript.ts';

/** The request of the user. Folders are absolute. */
export type OnboardingRequest = {
  readonly productDir: string;
  readonly testDir: string;
  readonly instanceId: string | undefined;
  /** Without a slash at its end. */
  readonly controlPlane: string;
  /** PEM certificates to trust for the control plane, besides the usual ones. */
  readonly ca: string | undefined;
  readonly image: string;
  readonly kit: string | undefined;
};

/** What the steps need from outside, except files. */
export type OnboardingPorts = {
  readonly environment: Pick<Environment, 'clock' | 'random' | 'paths' | 'variables' | 'platform' | 'hostname' | 'pid'>;
  readonly platform: Platform;
  /** A client with a credential that the control plane accepts. Without one, the user is asked to sign in. */
  signIn(
    options: SignInCallOptions,
  ): Promise<{ readonly client: Client; readonly userName: string; readonly prompted: boolean }>;
  /** A client with a credential that this user has already and the control plane accepts; never asks for one. */
  existingClient(): Promise<Client | undefined>;
  /** A client with the author's token, where one is set. */
  authorClient(): Promise<Client | undefined>;
  /** Called with the sign-in page to open. */
  readonly onOpen: (url: string, userCode?: string) => void;
  warn(text: string, cure: string): void;
  /** Scenario files below a folder. */
  readScenarios(folder: string): readonly ScenarioImportFile[];
  readonly sendScenario: SendScenario;
  readonly sendProbe: SendProbe;
  /** How many tools the router offers an agent with `token`. */
  countTools(routerUrl: string, token: string, signal: AbortSignal): Promise<number>;
};

/** Options of a sign-in. */
export type SignInCallOptions = {
  readonly signal: AbortSignal;
  onOpen(url: string, userCode?: string): void;
};

/** What the agent of a connected folder has. */
export type AgentFolderStatus = { readonly tools: number | undefined; readonly folder: string };

/** What the steps have found so far; each member is set by the step that finds it. */
export type OnboardingState = {
  project?: ProjectConfig;
  client?: Client;
  userName?: string;
  instanceId?: string;
  kit?: string;
  instance?: Instance;
  /** Registered by this run. */
  isNewlyRegistered?: boolean;
  /** Known only right after it was created. */
  executorKey?: string;
  port?: number;
  endpoint?: ControlPlaneEndpoint;
  /** The executor has reported to the control plane. */
  isExecutorOnline?: boolean;
  /** When the previous executor was last seen. */
  previousLastSeenAt?: string | null;
  isVersionWarned?: boolean;
  /** Held until the end of the onboarding. */
  machineLock?: MachineLock;
  /** Changed by this run. */
  isConfigWritten?: boolean;
  isInstanceStarted?: boolean;
  probe?: EvidenceProbeResult | undefined;
  dashboard?: 'up' | 'down';
  importResult?: ScenarioImportResult;
  agents?: { test?: AgentFolderStatus; product?: AgentFolderStatus };
};

/** The context of a step. */
export type OnboardingContext = StepContext & {
  readonly request: OnboardingRequest;
  readonly ports: OnboardingPorts;
  readonly state: OnboardingState;
  readonly journal: JournalWriter;
  readonly transcript: Transcript;
};

/** What an earlier step has found. Throws TypeError where the steps are out of order. */
export function requireState<N extends keyof OnboardingState>(
  { state }: Pick<OnboardingContext, 'state'>,
  name: N,
): NonNullable<OnboardingState[N]> {
  const value = state[name];
  if (value !== undefined && value !== null) return value;
  throw new TypeError(`no step has found ${name}`);
}

/** What the checks of doctor examine, and how. */
import type { Client } from '../../client/client.ts';
import type { Instance } from '../../contract/api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { VpError } from '../../errors/vp-error.ts';
import type { FolderContext } from '../agent-folders/file-access.ts';
import type { FixableFindings, SetupCheck, SetupProblem } from '../checks/setup-check.ts';
import type { OnboardedInstance } from '../onboarded-instances.ts';
import type { PreflightContext } from '../preflight/context.ts';
import type { ExecutorAddress, SendProbe } from '../target-probe.ts';

/** The request of the user. Folders are absolute. */
export type DoctorRequest = {
  /** Without a slash at its end. */
  readonly controlPlane: string;
  readonly testDir: string | undefined;
  readonly productDir: string | undefined;
  /** Folder with the config where none is named, which belongs to no agent. */
  readonly defaultProjectDir?: string | undefined;
  /** Folder of the scenarios; `isNamed` unless it is the default below the test folder. Undefined without a test folder. */
  readonly scenarios: { readonly folder: string; readonly isNamed: boolean } | undefined;
};

/** A response; `date` is the server's clock. */
export type HttpPage = { readonly status: number; readonly date: string | undefined; readonly text: string };

/** Result of a tool of the executor. `data` is its structured content. */
export type AgentToolResult = { readonly isError: boolean; readonly text: string; readonly data: unknown };

/** A scenario file; `problem` says why it cannot be used. */
export type FolderScenario = {
  readonly file: string;
  readonly id: string | undefined;
  /** The digest of the text, in hexadecimal. */
  readonly sha256: string;
  readonly problem: SetupProblem | undefined;
};

export type DoctorPorts = Pick<PreflightContext, 'environment' | 'platform' | 'readFreeBytes' | 'dataFolder'> & {
  readonly folderContext: FolderContext;
  nowMs(): number;
  /** Undefined where no database is named. Throws FLAG_INVALID and STORE_DATABASE_*. */
  inspectDatabase(): Promise<{ readonly facts: readonly string[]; readonly problems: readonly VpError[] } | undefined>;
  /** GET; undefined if there is no response in time. */
  fetchPage(url: string): Promise<HttpPage | undefined>;
  /** Throws CREDENTIAL_*, LOGIN_ENDED. */
  connect(): Promise<Client>;
  /** Name and role of this user. Throws the control plane's error. */
  describeUser(client: Client): Promise<string>;
  /** The instance to examine: named, connected to a folder, or the only one. Throws INSTANCE_*. */
  findInstance(client: Client | undefined): Promise<{ readonly id: string; readonly registered: Instance | undefined }>;
  /** The instance as this user has onboarded it on this machine. */
  findOnboarded(instanceId: string): Promise<OnboardedInstance | undefined>;
  readonly sendProbe: SendProbe;
  /** How the executor of this user at `port` is called; undefined where none has left its key. */
  findExecutor(port: number): ExecutorAddress | undefined;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Files of the test folder; their paths are probed. */
  readProbeFiles(testDir: string): readonly { readonly text: string; readonly problem: unknown }[];
  /** Calls a tool as the agent of `token` would. Throws AGENT_CALL_FAILED. */
  callTool(routerUrl: string, token: string, tool: string): Promise<AgentToolResult>;
  /** Throws SCENARIO_FOLDER_EMPTY and other errors of a folder that cannot be read. */
  readScenarios(folder: string): readonly FolderScenario[];
};

/** What earlier checks have found, for later ones. */
export type DoctorState = {
  /** Something was fixed just now, so that the executor may be about to connect. */
  isExecutorAwaited?: boolean;
  isControlPlaneReachable?: boolean;
  client?: Client;
  instanceId?: string;
  registered?: Instance;
  /** The executor calls, and nothing of the platform was found on this machine. */
  isPlatformElsewhere?: boolean;
  /** What the onboarding on this machine has noted; undefined where the instance was not onboarded here by this user. */
  onboarded?: OnboardedInstance | undefined;
  /** The clocks of the control plane and of this machine at the same moment, in milliseconds since 1970. */
  clocks?: { readonly controlPlaneMs: number; readonly localMs: number };
};

/** The context of a check. */
export type DoctorContext = DoctorRequest & DoctorPorts & { readonly state: DoctorState };

/** Whether nothing here needs a router and a dashboard: no agent's folder is named, and no part of the platform is on this machine. */
export function isPlatformOptional({ state, testDir, productDir }: DoctorContext): boolean {
  return state.isPlatformElsewhere === true && testDir === undefined && productDir === undefined;
}

export function getProjectDir({ productDir, defaultProjectDir }: DoctorContext): string | undefined {
  return productDir ?? defaultProjectDir;
}

/** How the config is used: by an executor in a container, unless nothing of the platform is here. */
export function getProjectUse({ state, productDir }: DoctorContext): 'compose' | 'local' {
  return productDir === undefined || state.isPlatformElsewhere === true ? 'local' : 'compose';
}

export type DoctorCheck = Omit<SetupCheck<DoctorContext>, 'inspect'> & {
  inspect(context: DoctorContext): Promise<FixableFindings>;
};

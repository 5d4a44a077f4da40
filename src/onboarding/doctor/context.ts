/** What doctor looks at, and its ways to look; everything can be put in its place by a test. */
import type { Client } from '../../client/client.ts';
import type { Instance } from '../../contract/api.ts';
import type { FolderPlace } from '../folders/place.ts';
import type { Check, Findings, Problem } from '../preflight/check.ts';
import type { PreflightContext } from '../preflight/context.ts';

/** What is asked for. Folders are absolute. */
export type DoctorWish = {
  /** Without a slash at its end. */
  readonly controlPlane: string;
  readonly testDir: string | undefined;
  readonly productDir: string | undefined;
  /** Where the scenarios are; `isNamed` unless it is only where they usually are. Undefined without a test folder. */
  readonly scenarios: { readonly folder: string; readonly isNamed: boolean } | undefined;
};

/** A page as it was answered; `date` is the other side's clock. */
export type Page = { readonly status: number; readonly date: string | undefined; readonly text: string };

/** What a tool of the executor answered. `data` is its structured content. */
export type ToolResult = { readonly isError: boolean; readonly text: string; readonly data: unknown };

/** A scenario file of a folder; `id` as far as it can be read, `problem` why the file cannot be used. */
export type FolderScenario = {
  readonly file: string;
  readonly id: string | undefined;
  /** Hex, of its text. */
  readonly sha256: string;
  readonly problem: Problem | undefined;
};

/** The ways to look. */
export type DoctorPorts = Pick<PreflightContext, 'place' | 'engine' | 'holderOf' | 'freeBytes' | 'dataFolder'> & {
  readonly folderPlace: FolderPlace;
  nowMs(): number;
  /** GET; undefined where nothing answers in time. */
  get(url: string): Promise<Page | undefined>;
  /** Throws CREDENTIAL_*, LOGIN_ENDED. */
  client(): Promise<Client>;
  /** Who this user is for the control plane. Throws what the control plane refuses with. */
  who(client: Client): Promise<string>;
  /** The instance that is meant, where it can be known. Throws INSTANCE_*. */
  instance(client: Client | undefined): Promise<{ readonly id: string; readonly registered: Instance | undefined }>;
  /** Calls a tool as the agent of `token` would. Throws AGENT_CALL_FAILED. */
  callTool(routerUrl: string, token: string, tool: string): Promise<ToolResult>;
  /** Throws SCENARIO_FOLDER_EMPTY and others for a folder that cannot be read. */
  readScenarios(folder: string): readonly FolderScenario[];
};

/** What earlier checks have found out, for later ones; undefined where they could not. */
export type DoctorFound = {
  /** The control plane answers. */
  isThere?: boolean;
  client?: Client;
  instanceId?: string;
  registered?: Instance;
  /** The control plane's clock when it was asked, and ours, in milliseconds since 1970. */
  clocks?: { readonly theirs: number; readonly ours: number };
};

/** The context of a check. */
export type DoctorContext = DoctorWish & DoctorPorts & { readonly found: DoctorFound };

/** A change that is safe to make without asking. `what` says what was done, once it is. */
export type Fix = { readonly what: string; act(): Promise<unknown> };

/** What a check of doctor found, and what it could do about it. */
export type DoctorFindings = Findings & { readonly fixes?: readonly Fix[] };

/** A check of doctor. */
export type DoctorCheck = Omit<Check<DoctorContext>, 'look'> & {
  look(context: DoctorContext): Promise<DoctorFindings>;
};

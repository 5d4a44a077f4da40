/** What the tools work on; the executor gives it, tests give doubles. */
import type { ObservedQuery } from '../check/observed.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../environment/clock.ts';
import type { ConfigProblem } from '../project/problem.ts';
import type { VariableNames } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';

/** Why something cannot be had, and what to do. */
export type Trouble = { readonly problem: string; readonly cure: string };

/** The control plane, called with the agent's own token: it authorises and attributes each call. */
export type AgentControl = Pick<Client, 'instances' | 'scenarios' | 'runs' | 'statistics'>;

/** A table as the read-only user sees it. */
export type AgentTable = {
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** False where the user lacks SELECT. */
  readonly readable: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[];
  readonly primaryKey: readonly string[];
  readonly references: readonly { readonly columns: readonly string[]; readonly table: string }[];
  readonly approximateRows: number | undefined;
};

/** The target's database: read-only, one statement at a time, bounded by the executor. */
export type AgentDatabase = {
  /** Unavailable: refused, failed, too slow, not reached. */
  query(sql: string, maxRows: number, signal: AbortSignal): Promise<ObservedQuery>;
  /** Tables and views of the public schema. Rejects when the database is not reached. */
  describe(): Promise<readonly AgentTable[]>;
  /** What the read-only user may do too much or too little. Rejects when the database is not reached. */
  warnings(): Promise<readonly Trouble[]>;
};

/** What is known of the config without a single value of it. */
export type ProjectFacts = {
  readonly name: string;
  readonly targetUrl: string;
  /** Whether requests carry the config's bearer token. */
  readonly hasBearer: boolean;
  readonly hasDatabase: boolean;
  readonly hasLogstore: boolean;
  /** Names of the `.env`, by what scenarios may do with them. */
  readonly names: VariableNames;
};

/** How the executor is. */
export type ExecutorFacts = {
  readonly state: string;
  readonly version: string;
  readonly run: string | undefined;
  /** Why the control plane is not reached by the executor itself. */
  readonly problem: string | undefined;
  readonly reportsWaiting: number;
  readonly reportsRefused: number;
};

/** A config that was read: its problems, and the names it wants from the `.env`. */
export type ConfigCheck = {
  readonly valid: boolean;
  readonly problems: readonly ConfigProblem[];
  /** Every `${NAME}` of it, and whether the `.env` has that name. */
  readonly names: readonly { readonly name: string; readonly present: boolean }[];
};

/** All ports. */
export type AgentPorts = {
  readonly control: AgentControl;
  /** Sends a scenario's request between two runs and keeps nothing. Rejects with EXECUTOR_BUSY, SHUTTING_DOWN. */
  probe(scenarioText: string, signal: AbortSignal): Promise<Report>;
  /** Undefined where none is connected. */
  readonly database: AgentDatabase | undefined;
  /** The target's log, and why it cannot be read just now; undefined where none is connected. */
  readonly log: { trouble(): Trouble | undefined } | undefined;
  readonly project: ProjectFacts;
  executor(): Promise<ExecutorFacts>;
  /** Reads `text` as a config, or the executor's own file. */
  checkConfig(text: string | undefined): Promise<ConfigCheck>;
  readonly clock: Clock;
  /** Takes the project's secrets out of a text. */
  redact(text: string): string;
};

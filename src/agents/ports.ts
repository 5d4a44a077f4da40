/** The interfaces that the tools use. The executor implements them; tests provide doubles. */
import type { ObservedQueryResult } from '../check/observation.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../environment/clock.ts';
import type { ConfigProblem } from '../project/config-problem.ts';
import type { VariableNames } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';

/** Why something is unavailable, and how to fix it. */
export type Unavailability = { readonly problem: string; readonly cure: string };

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
  query(sql: string, maxRows: number, signal: AbortSignal): Promise<ObservedQueryResult>;
  /** Tables and views of the public schema. Rejects when the database is not reached. */
  describe(): Promise<readonly AgentTable[]>;
  /** Permissions that the read-only user has in excess or lacks. Rejects when the database cannot be reached. */
  warnings(): Promise<readonly Unavailability[]>;
};

/** Facts about the config without any of its values. */
export type ProjectInfo = {
  readonly name: string;
  readonly targetUrl: string;
  /** Whether requests carry the config's bearer token. */
  readonly hasBearer: boolean;
  readonly hasDatabase: boolean;
  readonly hasLogstore: boolean;
  /** Names in the `.env`, grouped by whether scenarios may use them. */
  readonly names: VariableNames;
};

export type ExecutorInfo = {
  readonly state: string;
  readonly version: string;
  readonly run: string | undefined;
  /** Why the executor itself cannot reach the control plane. */
  readonly problem: string | undefined;
  readonly reportsWaiting: number;
  readonly reportsRefused: number;
};

/** A config after reading: its problems, and the names it requires from the `.env`. */
export type ConfigCheck = {
  readonly valid: boolean;
  readonly problems: readonly ConfigProblem[];
  /** Every `${NAME}` of the config, and whether the `.env` defines it. */
  readonly names: readonly { readonly name: string; readonly present: boolean }[];
};

export type AgentPorts = {
  readonly control: AgentControl;
  /** Sends a scenario's request between two runs and stores nothing. Rejects with EXECUTOR_BUSY, SHUTTING_DOWN. */
  probe(scenarioText: string, signal: AbortSignal): Promise<Report>;
  /** Undefined when no database is connected. */
  readonly database: AgentDatabase | undefined;
  /** The target's log, with the reason when it cannot be read; undefined when no log is connected. */
  readonly log: { getProblem(): Unavailability | undefined } | undefined;
  readonly project: ProjectInfo;
  executor(): Promise<ExecutorInfo>;
  /** Reads `text` as a config, or the executor's own file. */
  checkConfig(text: string | undefined): Promise<ConfigCheck>;
  readonly clock: Clock;
  /** Removes the project's secrets from a text. */
  redact(text: string): string;
};

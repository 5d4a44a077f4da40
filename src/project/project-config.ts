/** What `platform-config.yaml` and `.env` say, after every check: nothing here can still be wrong by itself. */
import type { Pattern } from '../pattern/pattern.ts';
import type { Secret } from './secret.ts';

/** `flag`: named by --base-url (or VP_BASE_URL), in place of the file's. */
export type BaseUrlFrom = 'config' | 'flag';

/** Where the target answers over HTTP. `baseUrl` is scheme, host and port only, such as `http://app:3100`. */
export type HttpTarget = { readonly baseUrl: string; readonly baseUrlFrom: BaseUrlFrom };

/** The target's database, read with a read-only user. */
export type DatabaseTarget = {
  readonly type: 'postgres';
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** What stands behind `?` in the JDBC URL. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly username: string;
  readonly password: Secret;
};

/** Sent as `Authorization: Bearer <token>`; free of characters that a header cannot carry. */
export type BearerAuth = { readonly type: 'bearer'; readonly bearerToken: Secret };

/** How the target's log lines are read. Each field is the name of a key of a log line. */
export type LogStore = {
  readonly logFormat: 'json';
  /** Carries the request id that the target received. */
  readonly correlationField: string;
  readonly levelField: string;
  /** Tests a level's whole string form: true when such a line counts as an error. */
  readonly errorMatch: Pattern | undefined;
  readonly sagaEvent: { readonly field: string; readonly value: string } | undefined;
};

/** `variables` may be used; `secrets` belong to `targets` and may not; `unlisted` are in the `.env` only. */
export type VariableNames = {
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
  readonly unlisted: readonly string[];
};

/** All of it. */
export type ProjectConfig = {
  readonly project: { readonly name: string };
  readonly targets: {
    readonly http: HttpTarget;
    readonly database: DatabaseTarget | undefined;
    readonly auth: BearerAuth | undefined;
  };
  readonly deploy: { readonly composeProject: string; readonly network: string } | undefined;
  readonly logstore: LogStore | undefined;
  /** Where people open the shared dashboard. */
  readonly dashboardUrl: string | undefined;
  /** The names of the `.env` that scenarios may use as `${NAME}`, with their values. */
  readonly scenarioVariables: ReadonlyMap<string, Secret>;
  /** Every name of the `.env` by what scenarios may do with it, for reading their placeholders. */
  readonly names: VariableNames;
  /** Values that must never be shown, longest first, each once: every secret above. The list does not print itself. */
  readonly secretValues: readonly string[];
};

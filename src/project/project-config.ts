/** The content of `platform-config.yaml` and `.env` after all checks; it is valid by itself. */
import type { Pattern } from '../pattern/pattern.ts';
import type { Secret } from './env/secret.ts';

/** `flag`: set by --base-url (or VP_BASE_URL), instead of the file's; `grpc`: by `targets.grpc`, or by --grpc-base-url. */
export type BaseUrlSource = 'config' | 'flag' | 'grpc' | 'grpc_flag';

/** The target's HTTP address. `baseUrl` is scheme, host and port only, such as `http://app:3100`. */
export type HttpTarget = { readonly baseUrl: string; readonly baseUrlSource: BaseUrlSource };

/** The target's database and its read-only user. */
export type DatabaseTarget = {
  readonly type: 'postgres';
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The query parameters of the JDBC URL. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly username: string;
  readonly databasePassword: Secret;
};

/** Sent as `Authorization: Bearer <token>`; contains only characters that are valid in a header. */
export type BearerAuth = { readonly type: 'bearer'; readonly bearerToken: Secret };

/** How the target's log lines are parsed. Each field is the name of a key of a log line. */
export type LogStoreConfig = {
  readonly logFormat: 'json';
  /** Contains the request id that the target received. */
  readonly correlationField: string;
  /** Undefined where the config does not name it: then no line is known to be an error or not. */
  readonly levelField: string | undefined;
  /** Tests a level's whole string form: a match makes the line an error. */
  readonly errorMatch: Pattern | undefined;
  readonly sagaEvent: { readonly field: string; readonly value: string } | undefined;
  /** Compose services whose lines are read; empty for all. Of logs that come from a log reader. */
  readonly services: readonly string[];
};

/** Where the target names its version. Without `path`, in a header of each response. */
export type TargetVersionConfig = {
  readonly path: string | undefined;
  readonly source: { readonly kind: 'header' | 'field'; readonly name: string };
};

/**
 * `variables` may be used in scenarios; `secrets` belong to `targets` and may not; `unlisted` are in the `.env` only.
 */
export type VariableNames = {
  readonly variables: readonly string[];
  readonly secrets: readonly string[];
  readonly unlisted: readonly string[];
};

export type ProjectConfig = {
  readonly project: { readonly name: string };
  readonly targets: {
    readonly http: HttpTarget;
    /** Where methods of gRPC are called; undefined where that is the address of `http`. */
    readonly grpc?: HttpTarget | undefined;
    readonly database: DatabaseTarget | undefined;
    readonly auth: BearerAuth | undefined;
  };
  readonly deploy: { readonly composeProject: string; readonly network: string } | undefined;
  readonly logstore: LogStoreConfig | undefined;
  /** Undefined where the config does not say: then usual headers name it. */
  readonly targetVersion?: TargetVersionConfig | undefined;
  /** The public URL of the shared dashboard. */
  readonly dashboardUrl: string | undefined;
  /** The names of the `.env` that scenarios may use as `${NAME}`, with their values. */
  readonly scenarioVariables: ReadonlyMap<string, Secret>;
  /** Captures of scenarios whose values must not be displayed. */
  readonly redactedCaptures: ReadonlySet<string>;
  /** Every name of the `.env`, grouped by whether scenarios may use it. */
  readonly names: VariableNames;
  /**
   * Values that must never be displayed, longest first, without duplicates: every secret above. The list does not print
   * itself.
   */
  readonly secretValues: readonly string[];
};

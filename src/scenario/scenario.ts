/** The parsed form of a scenario. Every node has its position in the text. */
import type { Check, CheckKind } from '../check/check-kind.ts';
import type { ComparisonPolicy } from '../check/parse-check.ts';
import type { Capture, CapturedValue } from './capture.ts';
import type { Layer } from './layers.ts';
import type { Range } from './position.ts';

/** Methods a trigger may use: every one of RFC 9110 that carries a request to a target, and PATCH (RFC 5789). */
export const httpMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;
/** One of {@link httpMethods}. */
export type Method = (typeof httpMethods)[number];

/** A piece of text that may hold placeholders; joined in order it is the text. */
export type Template = { readonly parts: readonly TemplatePart[]; readonly range: Range };
/** Literal text, or the name inside `${…}`. */
export type TemplatePart = { readonly text: string } | { readonly placeholder: string; readonly range: Range };

/** A header line of the trigger; the name as written. */
export type TriggerHeader = { readonly name: string; readonly value: Template; readonly range: Range };

/** A field of a multipart body, or a file of the test folder. */
export type MultipartField =
  | { readonly name: string; readonly value: Template }
  | { readonly name: string; readonly filename: string; readonly type: string; readonly bytes: Uint8Array };

/**
 * How a body is encoded when it is sent; the body of `graphql` is the JSON of its variables, that of `multipart` the values of its
 * fields, that of `messages` what is sent through a WebSocket or to a method of gRPC, a line each.
 */
export type BodyEncoding =
  | { readonly kind: 'form' }
  | { readonly kind: 'graphql'; readonly query: string }
  | { readonly kind: 'multipart'; readonly fields: readonly MultipartField[] }
  | { readonly kind: 'messages' };

/** The first word of a call of gRPC. */
export const grpcWord = 'GRPC';

/** A file of a schema in Protocol Buffers. */
export type ProtoFile = { readonly path: string; readonly text: string };

/** A method of a gRPC server; `proto` has the files of its schema, the one that the scenario names first. */
export type GrpcMethod = {
  readonly service: string;
  readonly rpc: string;
  readonly proto?: readonly ProtoFile[];
};

/** The request of a scenario. `path` is the text after `${INGESTION_URL}`: it begins with `/` and may contain a query. */
export type Trigger = {
  readonly method: Method;
  readonly path: Template;
  readonly headers: readonly TriggerHeader[];
  readonly body: Template | undefined;
  /** With `CALL`: the name of the tool, as clients of the hub see it; `body` has its arguments. */
  readonly tool?: string;
  /** With `GRPC`: the method; `body` has the JSON of its messages. */
  readonly grpc?: GrpcMethod;
  /** Undefined where the body is sent as it stands. */
  readonly encoding?: BodyEncoding | undefined;
  readonly range: Range;
};

/** One bullet under Runnable. `text` is the bullet as written, taken from the source, never from Markdown nodes. */
export type ScenarioCheck = {
  readonly check: Check;
  /** The kind of `check`, which alone can judge it. */
  readonly definition: CheckKind;
  readonly text: string;
  readonly range: Range;
  /** Where the text has placeholders of captures: `check` was parsed with sample values and must be bound before judging. */
  readonly template?: CheckTemplate;
};

/** The text of a check whose placeholders are captures. */
export type CheckTemplate = {
  readonly parts: readonly ({ readonly text: string } | { readonly placeholder: string })[];
  readonly comparisons: ComparisonPolicy;
};

/** `until <check> within <time> [every <time>] [repeatable]`: `check` is also one of the checks of its request. */
export type Until = { readonly check: ScenarioCheck; readonly withinMs: number; readonly everyMs: number };

/** How the messages of a stream are received: until the check of the bullet holds, or as the other forms say. */
export type Receive = { readonly stream: 'events' | 'messages' } & (
  | { readonly stop: 'check' | 'time'; readonly limitMs: number }
  | { readonly stop: 'count'; readonly count: number; readonly limitMs: number }
  | { readonly stop: 'end' }
);

/** What is judged and captured of one response. Captures are among `checks`, as checks that there is a value. */
export type ResponseChecks = {
  readonly checks: readonly ScenarioCheck[];
  readonly captures: readonly Capture[];
  readonly until: Until | undefined;
  /** Only of TRIGGER. */
  readonly receive?: Receive | undefined;
  /** How many times a step is sent at once; undefined where it is sent alone. */
  readonly concurrent?: number;
};

/** A request of STEPS, or of CLEANUP. */
export type Step = ResponseChecks & { readonly name: string; readonly trigger: Trigger; readonly range: Range };

/**
 * A query in a fence of VERIFY. Its placeholders become parameters of the statement, never part of its text:
 * `${correlation_id}`, names of `scenarios.variables`, and `${body.<field>}`, a value of the response.
 */
export type ScenarioQuery = { readonly name: string; readonly sql: Template; readonly range: Range };

/** A row of CASES. `values` has every column, by its name. */
export type ScenarioCase = {
  readonly name: string;
  readonly values: ReadonlyMap<string, CapturedValue>;
  readonly range: Range;
};

/** A scenario that was read without errors. */
export type Scenario = {
  /** The title as written after `# Scenario:`. */
  readonly title: string;
  readonly id: string;
  readonly layer: Layer;
  readonly tags: readonly string[];
  /** The person or team who looks after it. */
  readonly owner?: string | undefined;
  /** Web addresses. */
  readonly links?: readonly string[];
  /** Sent before the trigger, in their order. */
  readonly steps: readonly Step[];
  readonly trigger: Trigger;
  readonly checks: readonly ScenarioCheck[];
  /** Of the trigger's response. */
  readonly captures: readonly Capture[];
  readonly until: Until | undefined;
  /** Where the response to the trigger is a stream. */
  readonly receive?: Receive | undefined;
  /** Of each request. */
  readonly timeoutMs: number;
  /** The queries of VERIFY, in their order; none in a layer without a database. */
  readonly queries: readonly ScenarioQuery[];
  /** VERIFY and CLEANUP as written; their prose is never executed. */
  readonly verify: string;
  readonly cleanup: string;
  /** The requests of CLEANUP. */
  readonly cleanupSteps: readonly Step[];
  /** Each is sent and judged by itself, with its values; empty for a scenario without CASES. */
  readonly cases: readonly ScenarioCase[];
  /** The whole text this was read from. */
  readonly source: string;
};

/** The parsed form of a scenario. Every node has its position in the text. */
import type { Check, CheckKind } from '../check/check-kind.ts';
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

/** The request of a scenario. `path` is the text after `${INGESTION_URL}`: it begins with `/` and may contain a query. */
export type Trigger = {
  readonly method: Method;
  readonly path: Template;
  readonly headers: readonly TriggerHeader[];
  readonly body: Template | undefined;
  readonly range: Range;
};

/** One bullet under Runnable. `text` is the bullet as written, taken from the source, never from Markdown nodes. */
export type ScenarioCheck = {
  readonly check: Check;
  /** The kind of `check`, which alone can judge it. */
  readonly definition: CheckKind;
  readonly text: string;
  readonly range: Range;
};

/**
 * A query in a fence of VERIFY. Its placeholders become parameters of the statement, never part of its text:
 * `${correlation_id}`, names of `scenarios.variables`, and `${body.<field>}`, a value of the response.
 */
export type ScenarioQuery = { readonly name: string; readonly sql: Template; readonly range: Range };

/** A scenario that was read without errors. */
export type Scenario = {
  /** The title as written after `# Scenario:`. */
  readonly title: string;
  readonly id: string;
  readonly layer: Layer;
  readonly tags: readonly string[];
  readonly trigger: Trigger;
  readonly checks: readonly ScenarioCheck[];
  readonly timeoutMs: number;
  /** The queries of VERIFY, in their order; none in a layer without a database. */
  readonly queries: readonly ScenarioQuery[];
  /** VERIFY and CLEANUP as written; their prose is never executed. */
  readonly verify: string;
  readonly cleanup: string;
  /** The whole text this was read from. */
  readonly source: string;
};

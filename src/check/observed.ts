/** What checks look at: the part of a run's evidence that the target produced. */
import type { Numeral } from './numeral.ts';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** A JSON value (RFC 8259); see `Numeral` for which numbers are one. */
export type Json = null | boolean | number | Numeral | string | readonly Json[] | JsonObject;

/** The response body as checks see it. */
export type ObservedBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'empty' }
  /** `problem` says in plain words why it is not JSON, `excerpt` shows its beginning. */
  | { readonly kind: 'not_json'; readonly problem: string; readonly excerpt: string };

/** The target's answer. */
export type Observed = { readonly status: number; readonly body: ObservedBody };

/** What checks look at: the part of a run's evidence that the target produced. */

/** A JSON value (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The response body as checks see it. */
export type ObservedBody =
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'empty' }
  /** `problem` says in plain words why it is not JSON, `excerpt` shows its beginning. */
  | { readonly kind: 'not_json'; readonly problem: string; readonly excerpt: string };

/** The target's answer. */
export type Observed = { readonly status: number; readonly body: ObservedBody };

/** What the services of the control plane have in common: who calls, and pages of lists. */

/** The caller; a person owns the instances that they create. The name is shown as `requested_by` and `updated_by`. */
export type Actor = { readonly name: string; readonly personId?: string };

/** Runs are listed newest first, everything else by id. */
export type ResultPage<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };
/** `cursor` comes from an earlier page; `limit` is 1 to 200. */
export type PageQuery = { readonly limit: number; readonly cursor?: string | undefined };

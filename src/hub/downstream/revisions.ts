/** The revisions of MCP that clients may use. */

/** Without `initialize` and sessions: each request carries what it needs. */
export const newestRevision = '2026-07-28';

/** Newest first. */
export const olderRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

const firstWithPriming = '2025-11-25';

/** The revision of a session: the requested one, or our newest with `initialize`. */
export function negotiateRevision(requested: string): string {
  return olderRevisions.find((revision) => revision === requested) ?? '2025-11-25';
}

/** True for the older revision in which clients may run tools as tasks. */
export function hasTaskRequests(revision: string): boolean {
  return revision === '2025-11-25';
}

/** True if clients of the revision accept an event without data, which tells them where to continue. */
export function hasPrimingEvent(revision: string): boolean {
  return revision >= firstWithPriming;
}

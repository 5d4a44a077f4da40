/** A scenario in quarantine: it runs as ever, and its failures are displayed without counting as failures. */

/** As it was when a run was judged. `owner` looks after it. */
export type RunQuarantine = { until: string; reason: string; owner: string };

/** `2026-12-31`, where the end of that day is meant; else with its time. */
export function formatQuarantineEnd(until: string): string {
  const [day = '', time = ''] = until.split('T');
  return time.startsWith('23:59:59') ? day : `${day} ${time.slice(0, 5)} UTC`;
}

/** `in quarantine until 2026-12-31 (ana): the search index is rebuilt`. */
export function describeQuarantine({ until, owner, reason }: RunQuarantine): string {
  return `in quarantine until ${formatQuarantineEnd(until)} (${owner}): ${reason}`;
}

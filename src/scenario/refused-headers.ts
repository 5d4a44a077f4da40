/** Headers a scenario may not set, each with what to do instead. */

const bySender = 'leave the line out: it follows from the body and the connection';

/** Lower-case name → cure. */
export const refusedHeaders: ReadonlyMap<string, string> = new Map([
  ['host', 'leave the line out: the host comes from `targets.http.base_url`'],
  ['content-length', bySender],
  ['transfer-encoding', bySender],
  ['connection', bySender],
  ['keep-alive', bySender],
  ['proxy-connection', bySender],
  ['upgrade', 'leave the line out: a scenario is one plain request'],
  ['expect', 'leave the line out: the body is always sent at once'],
  ['te', bySender],
  ['trailer', bySender],
  [
    'x-correlation-id',
    'leave the line out: the platform sends it itself; to have the target log the id, write `X-Request-Id: ${correlation_id}`',
  ],
]);

/** Headers that may stand only once; others may be repeated. */
export const singleHeaders: ReadonlySet<string> = new Set(['authorization', 'content-type', 'x-request-id']);

/** Headers that a scenario may not set, each with its fix. */

const bySender = 'remove the line: it follows from the body and the connection';

/** Lower-case name → cure. */
export const refusedHeaders: ReadonlyMap<string, string> = new Map([
  ['host', 'remove the line: the host comes from `targets.http.base_url`'],
  ['content-length', bySender],
  ['transfer-encoding', bySender],
  ['connection', bySender],
  ['keep-alive', bySender],
  ['proxy-connection', bySender],
  ['upgrade', 'remove the line: a scenario is one plain request'],
  ['expect', 'remove the line: the body is always sent at once'],
  ['te', bySender],
  ['trailer', bySender],
  [
    'x-correlation-id',
    'remove the line: the platform sends it itself; to have the target log the id, write `X-Request-Id: ${correlation_id}`',
  ],
]);

/** Headers that may appear only once; others may be repeated. */
export const singleHeaders: ReadonlySet<string> = new Set(['authorization', 'content-type', 'x-request-id']);

/** What a person can do next, from what was observed: cures of failures. */
import type { Evidence, Fault, HeaderList, ReceivedResponse } from '../run/evidence.ts';
import type { JudgedCheck } from './verdict.ts';

/** Evidence that holds neither an answer nor a reason for its absence. */
export const noAnswer: Fault = {
  kind: 'protocol_error',
  message: 'no answer was recorded, and no reason for that',
  cure: 'run the scenario again; if this repeats, it is a fault of the executor: see its log',
};

/** The next step after a status that was not the expected one. */
export function statusCure(status: number, evidence: Evidence): string {
  const hint = statusHint(status, evidence);
  return hint ?? `if ${status} is the right answer, write \`status=${status}\`; else see the body of the response`;
}

/** The next step after checks of the content that were false; `failing` has at least one. */
export function bodyCure(failing: readonly JudgedCheck[], response: ReceivedResponse): string {
  if (response.body.kind === 'empty') return 'the response has no body: expect none, or look why the target sent none';
  if (response.body.kind === 'not_json')
    return `the body is not JSON (${response.body.problem}): see what came instead`;
  return compareCure(failing);
}

/** The header line that lets the target log the run's id. */
const requestIdLine = '`X-Request-Id: ${correlation_id}`';

/** Why no line of the log holds the run's id, and what to do. */
export function noLineCure({ request }: Evidence): string {
  if (headerOf(request?.headers ?? [], 'x-request-id') === undefined) {
    return `the request carried no run id: add the header line ${requestIdLine} to the scenario`;
  }
  return (
    'request-id logging is not in the running target: let it log the X-Request-Id of each request, then build and start it ' +
    'again; and check that the log read here is the one it writes'
  );
}

/** The next step after checks of the log or the database that were false; `failing` has at least one. */
export function evidenceCure(failing: readonly JudgedCheck[], ofLog: boolean, evidence: Evidence): string {
  const log = evidence.log?.observed;
  if (ofLog && log?.kind === 'lines' && log.lineCount === 0) return noLineCure(evidence);
  return compareCure(failing);
}

function compareCure(failing: readonly JudgedCheck[]): string {
  const named = failing.slice(0, 3).map(({ text, range }) => `line ${range.start.line} \`${text}\``);
  const rest = failing.length > named.length ? ` and ${failing.length - named.length} more` : '';
  return `compare expected and actual of ${named.join(', ')}${rest}; then correct the target or the scenario`;
}

/** RFC 9110 section 15.4: those that name another place. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What a status that nobody wanted often comes from. */
export function statusHint(status: number, evidence: Evidence): string | undefined {
  if (status === 404) return absence(evidence);
  if (status === 401 || status === 403) return tokenHint(status, evidence);
  if (redirects.has(status)) return redirectHint(evidence.response?.headers ?? []);
  if (status >= 500) return `the target failed by itself: find its log line by the correlation id of this run`;
  return undefined;
}

/** One run does not show which of the two it is. */
function absence(evidence: Evidence): string {
  const path = evidence.request ? ` (sent to ${evidence.request.url})` : '';
  return (
    `the target knows no such path, or no such thing${path}: check that the path includes the API prefix, as in ` +
    '`GET ${INGESTION_URL}/api/v2/document`, because base_url keeps only scheme, host and port; ' +
    'and check that what the path names exists in the target'
  );
}

function tokenHint(status: number, evidence: Evidence): string {
  if (headerOf(evidence.request?.headers ?? [], 'authorization') === undefined) {
    return (
      'the request carried no Authorization: set `targets.auth` in platform-config.yaml, ' +
      'and leave out an empty `Authorization:` line in the scenario'
    );
  }
  const wrong = status === 401 ? 'has ended or belongs to another target' : 'lacks the permission';
  return (
    'the target refused the token: check whether it (`targets.auth.bearer_token` from .env, or the ' +
    `\`Authorization:\` line of the scenario) ${wrong}`
  );
}

function redirectHint(headers: HeaderList): string {
  const location = headerOf(headers, 'location');
  const target = location ? ` to ${location}` : '';
  return `the target redirects${target}, and redirects are not followed: send the request there, or expect this status`;
}

function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

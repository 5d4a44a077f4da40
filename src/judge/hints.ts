/** What a person can do about a failure, derived from the evidence. */
import {
  type Evidence,
  type ExecutionFailure,
  findHeaderValue,
  type HeaderList,
  type ReceivedResponse,
} from '../run/evidence.ts';
import type { JudgedCheck } from './verdict.ts';

/** For evidence without a response and without a failure. */
export const noResponseFailure: ExecutionFailure = {
  kind: 'protocol_error',
  message: 'neither a response nor a failure was recorded',
  cure: 'run the scenario again; if this repeats, it is a fault of the executor: see its log',
};

export function buildStatusCure(status: number, evidence: Evidence): string {
  const hint = buildStatusHint(status, evidence);
  return hint ?? `if ${status} is the right answer, write \`status=${status}\`; else see the body of the response`;
}

/** `failing` has at least one check. */
export function buildBodyCure(failing: readonly JudgedCheck[], response: ReceivedResponse): string {
  // Checks of status line and headers need no body.
  if (failing.every(({ definition }) => definition.needsHeadOnly || definition.readsTime))
    return buildCompareCure(failing);
  if (response.body.kind === 'empty') return 'the response has no body: expect none, or look why the target sent none';
  if (response.body.kind === 'not_json' && failing.some(({ definition }) => !definition.readsText))
    return `the body is not JSON (${response.body.problem}): see what came instead`;
  return buildCompareCure(failing);
}

/** The header line that lets the target log the run's id. */
const requestIdLine = '`X-Request-Id: ${correlation_id}`';

export function buildNoLineCure({ request }: Evidence): string {
  const { problem, cure } = explainNoLine(request?.headers ?? []);
  return `${problem}: ${cure}`;
}

/** Why no line of the log holds the run's id (spec: 0 lines mean that the target does not log it), by the headers sent. */
export function explainNoLine(headers: HeaderList): { readonly problem: string; readonly cure: string } {
  if (findHeaderValue(headers, 'x-request-id') === undefined) {
    return { problem: 'the request carried no run id', cure: `add the header line ${requestIdLine} to the scenario` };
  }
  return {
    problem: 'request-id logging is not in the running target',
    cure:
      'let it log the X-Request-Id of each request, then build and start it again; and check that the log read here is ' +
      'the one it writes',
  };
}

/** `failing` has at least one check. */
export function buildEvidenceCure(failing: readonly JudgedCheck[], ofLog: boolean, evidence: Evidence): string {
  const log = evidence.log?.observed;
  if (ofLog && log?.kind === 'lines' && log.lineCount === 0) return buildNoLineCure(evidence);
  return buildCompareCure(failing);
}

function buildCompareCure(failing: readonly JudgedCheck[]): string {
  const listed = failing.slice(0, 3).map(({ text, range }) => `line ${range.start.line} \`${text}\``);
  const more = failing.length > listed.length ? ` and ${failing.length - listed.length} more` : '';
  return `compare expected and actual of ${listed.join(', ')}${more}; then correct the target or the scenario`;
}

/** RFC 9110 section 15.4: those that name another location. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The usual cause of a status that was not expected. */
export function buildStatusHint(status: number, evidence: Evidence): string | undefined {
  if (status === 400 && expectsTls(evidence)) {
    return 'the port speaks TLS, and the request was sent without it: write https:// in `targets.http.base_url` (or --base-url)';
  }
  if (status === 404) return buildNotFoundHint(evidence);
  if (status === 401 || status === 403) return buildTokenHint(status, evidence);
  if (redirects.has(status)) return buildRedirectHint(evidence.response?.headers ?? []);
  if (status >= 500) return `the target failed: find its log line by the correlation id of this run`;
  return undefined;
}

/** What nginx, Apache, Go and others answer to plain HTTP on a TLS port. */
const plainHttpAnswer =
  /plain HTTP request was sent to (?:an )?HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i;

function expectsTls({ request, response }: Evidence): boolean {
  return request?.url.startsWith('http:') === true && plainHttpAnswer.test(response?.displayedBody.text ?? '');
}

/** A single run does not show which of the two it is. */
function buildNotFoundHint(evidence: Evidence): string {
  const path = evidence.request ? ` (sent to ${evidence.request.url})` : '';
  return (
    `the target has no such path or resource${path}: check that the path includes the API prefix, as in ` +
    '`GET ${INGESTION_URL}/api/v2/document`, because base_url keeps only scheme, host and port; ' +
    'and check that what the path names exists in the target'
  );
}

function buildTokenHint(status: number, evidence: Evidence): string {
  if (findHeaderValue(evidence.request?.headers ?? [], 'authorization') === undefined) {
    return (
      'the request carried no Authorization: set `targets.auth` in platform-config.yaml, ' +
      'and leave out an empty `Authorization:` line in the scenario'
    );
  }
  const reason = status === 401 ? 'has ended or belongs to another target' : 'lacks the permission';
  return (
    'the target refused the token: check whether it (`targets.auth.bearer_token` from .env, or the ' +
    `\`Authorization:\` line of the scenario) ${reason}`
  );
}

function buildRedirectHint(headers: HeaderList): string {
  const location = findHeaderValue(headers, 'location');
  const target = location ? ` to ${location}` : '';
  return `the target redirects${target}, and redirects are not followed: send the request there, or expect this status`;
}

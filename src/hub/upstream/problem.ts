/** What went wrong with an upstream server, in words that hold none of its own text: it may echo a credential. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { VpError, vpError } from '../../errors/vp-error.ts';

/** Such as `ECONNREFUSED`, wherever in the chain of causes it stands. */
function systemCode(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z\d_]{2,40}$/.test(thrown.code)) {
    if (!(thrown instanceof SdkError)) return thrown.code;
  }
  return systemCode(thrown.cause, depth + 1);
}

/** The error of ours in a chain of causes: the client wraps what its fetch throws. */
function ownError(thrown: unknown, depth = 0): VpError | undefined {
  if (thrown instanceof VpError) return thrown;
  if (!(thrown instanceof Error) || depth > 5) return undefined;
  const nested = thrown instanceof SdkError ? dataCause(thrown.data) : undefined;
  return ownError(thrown.cause, depth + 1) ?? ownError(nested, depth + 1);
}

function dataCause(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'cause' in data ? data.cause : undefined;
}

/** The HTTP status that the server refused with; undefined for any other failure. */
export function httpStatusOf(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.status;
  if (!(thrown instanceof Error) || thrown instanceof ProtocolError) return undefined;
  if ('code' in thrown && typeof thrown.code === 'number') return thrown.code;
  // The older HTTP with SSE says it in words only.
  const [, told] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(thrown.message) ?? [];
  return told === undefined ? undefined : Number(told);
}

/**
 * True when the server does not know us any more: it forgot the session, or is one of another era by now. Nothing was done, so
 * the same may be sent again. `isModern`: it was met as one of the newest era, which tells what is wrong in the protocol's words.
 */
export function isSessionGone(thrown: unknown, isModern: boolean): boolean {
  const status = httpStatusOf(thrown);
  if (status === 404) return true;
  if (status !== 400) return false;
  const text = thrown instanceof SdkHttpError ? String(thrown.data.text ?? '') : Object(thrown).message;
  return isModern || /session|initializ|-3202[0-2]/i.test(String(text));
}

/** True for the server's own answer to the request; it is passed on as it is. */
export function isServersAnswer(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof ProtocolError;
}

const invalidAnswers: readonly unknown[] = [
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.ListPaginationExceeded,
];

/** The error of ours for what was thrown; errors of ours stay as they are. */
export function upstreamProblem(connection: string, thrown: unknown): VpError {
  const own = ownError(thrown);
  if (own) return own;
  const status = httpStatusOf(thrown);
  const cause = { cause: thrown };
  if (thrown instanceof UnauthorizedError || status === 401) {
    return vpError('UPSTREAM_SIGN_IN_NEEDED', { connection }, cause);
  }
  if (thrown instanceof SdkError && invalidAnswers.includes(thrown.code)) {
    return vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: thrown.code.toLowerCase() }, cause);
  }
  if (thrown instanceof SyntaxError || (thrown instanceof Error && thrown.name === 'ZodError')) {
    return vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: 'not JSON-RPC' }, cause);
  }
  return vpError('UPSTREAM_UNREACHABLE', { connection, problem: wordsFor(thrown, status) }, cause);
}

function wordsFor(thrown: unknown, status: number | undefined): string {
  if (status !== undefined && status >= 300) return `HTTP ${status}`;
  const code = systemCode(thrown);
  if (code !== undefined) return code;
  if (thrown instanceof SdkError) return thrown.code.toLowerCase().replaceAll('_', ' ');
  return 'the connection broke off';
}

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
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number' ? thrown.code : undefined;
}

/** True when the server does not know the session any more: nothing was done, so the same may be sent again. */
export function isSessionGone(thrown: unknown): boolean {
  if (!(thrown instanceof SdkHttpError)) return false;
  if (thrown.status === 404) return true;
  return thrown.status === 400 && /session/i.test(String(thrown.data.text ?? ''));
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

import { VpError, vpError } from '../../errors/vp-error.ts';

/** Reasons by the error codes of Node.js; browsers give no code. */
const reasonsByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'no response',
  ENOENT: 'the socket does not exist',
  EINVAL: 'the path of the socket is too long',
  EACCES: 'this user may not use the socket',
  UND_ERR_CONNECT_TIMEOUT: 'no response',
  UND_ERR_HEADERS_TIMEOUT: 'no response',
  UND_ERR_BODY_TIMEOUT: 'no response',
  UND_ERR_SOCKET: 'the connection broke',
  ERR_RESPONSE_TOO_LARGE: 'its response is too large',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; pass it with --ca',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is signed by an unknown authority; pass the certificate of the authority with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an unknown authority; pass the certificate of the authority with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
};

const refusedPort = 'HTTP clients refuse this port, which belongs to another protocol; use another one';

/** The Fetch standard blocks some ports before a connection, without a code. */
function isRefusedPort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof Error && thrown.cause.message === 'bad port';
}

/** An error of `fetch` as CONTROL_PLANE_UNREACHABLE; a VpError is returned unchanged. */
export function createNetworkError(thrown: unknown, url: string): VpError {
  if (thrown instanceof VpError) return thrown;
  const code = findErrorCode(thrown);
  const reason = code === undefined ? undefined : reasonsByCode[code];
  const problem = reason ?? (code || (isRefusedPort(thrown) ? refusedPort : 'the connection failed'));
  return vpError('CONTROL_PLANE_UNREACHABLE', { url, problem }, { detail: String(thrown), cause: thrown });
}

/** The innermost code: `fetch failed` has the reason as its cause, and attempts at several addresses are in a list. */
function findErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [firstError]: unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  const innerCode = findErrorCode(thrown.cause) ?? findErrorCode(firstError);
  if (innerCode !== undefined) return innerCode;
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

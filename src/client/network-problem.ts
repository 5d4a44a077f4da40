import { VpError, vpError } from '../errors/vp-error.ts';

/** Words for what Node's network calls a failure; browsers say nothing. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up just now',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'no answer',
  ENOENT: 'the socket does not exist',
  EINVAL: 'the path of the socket is too long',
  EACCES: 'this user may not use the socket',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  UND_ERR_HEADERS_TIMEOUT: 'no answer',
  UND_ERR_BODY_TIMEOUT: 'no answer',
  UND_ERR_SOCKET: 'the connection broke',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; name it with --ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not known here; name it with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an authority that is not known here; name it with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** What `fetch` threw, as CONTROL_PLANE_UNREACHABLE; errors that have words already come back as they are. */
export function networkProblem(thrown: unknown, url: string): VpError {
  if (thrown instanceof VpError) return thrown;
  const code = codeOf(thrown);
  const problem = (code === undefined ? undefined : words[code]) ?? (code || 'the connection failed');
  return vpError('CONTROL_PLANE_UNREACHABLE', { url, problem }, { detail: String(thrown), cause: thrown });
}

/** The innermost code: `fetch failed` has the reason as its cause, several addresses have theirs in a list. */
function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const [first]: unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  const inner = codeOf(thrown.cause) ?? codeOf(first);
  if (inner !== undefined) return inner;
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

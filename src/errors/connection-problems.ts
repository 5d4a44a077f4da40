/**
 * What the error codes of connections mean, and what to do: those of the operating system, of name resolution, of TLS (Node.js and
 * OpenSSL), of undici and of its HTTP parser. One table for all that connect: upstream servers, targets, receivers of notifications,
 * registries, control planes, executors and databases.
 */

export type ConnectionProblemKind =
  | 'refused'
  | 'unresolved'
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'untrusted'
  | 'expired'
  | 'certificate'
  | 'tls'
  | 'tls-not-spoken'
  | 'tls-expected'
  | 'not-http'
  | 'too-large'
  | 'socket';

/** `step` is what to do, where the code says it. `code` is what to search for. */
export type ConnectionProblem = {
  readonly kind: ConnectionProblemKind;
  readonly code: string;
  readonly meaning: string;
  readonly step?: string | undefined;
};

type Row = readonly [ConnectionProblemKind, meaning: string, step?: string];

const unknownAuthority = 'its certificate is signed by an authority that is not trusted here';
const routeStep = 'check the address, the route to it and firewalls on the way';
const expiryStep = 'renew the certificate of the server, and compare the clocks of both machines';
const nameStep = 'use a host name that the certificate has, or give the server a certificate for this one';
const versionStep = 'allow TLS 1.2 or 1.3 on the server';
const clientStep = 'vp sends no client certificate: use an address that does without';
const clearTextStep =
  'name the port that speaks TLS; with http:// in the address everything is sent in the clear, credentials too';
const weakStep =
  'give the server a certificate with a key of at least 2048 bits (RSA) or 224 (EC), signed with SHA-256';

const parserErrorName = 'HTTPParserError';
const notHttp: Row = ['not-http', 'its response is not valid HTTP', 'check that the port is that of an HTTP server'];

const rows: Readonly<Record<string, Row>> = {
  ECONNREFUSED: ['refused', 'nothing listens there'],
  ENOTFOUND: ['unresolved', 'the host name is unknown'],
  ENODATA: ['unresolved', 'the host name has no address'],
  ESERVFAIL: ['unresolved', 'its name server failed'],
  EAI_AGAIN: ['unresolved', 'the host name cannot be resolved now', 'check the name servers of this machine'],
  EHOSTUNREACH: ['unreachable', 'the host cannot be reached', routeStep],
  EHOSTDOWN: ['unreachable', 'the host is down', routeStep],
  ENETUNREACH: ['unreachable', 'this machine has no route to its network', routeStep],
  ENETDOWN: ['unreachable', 'the network of this machine is down'],
  EADDRNOTAVAIL: ['unreachable', 'this machine cannot connect from its address', routeStep],
  ETIMEDOUT: ['timeout', 'no response', routeStep],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'no response', routeStep],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'it accepted the request, but did not respond in time'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'its response stopped half-way'],
  ECONNRESET: ['closed', 'the connection broke'],
  ECONNABORTED: ['closed', 'the connection broke'],
  EPIPE: ['closed', 'the connection broke'],
  UND_ERR_SOCKET: ['closed', 'the connection ended before the response was complete'],
  UND_ERR_CLOSED: ['closed', 'the connection is being closed'],
  UND_ERR_DESTROYED: ['closed', 'the connection was closed'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['untrusted', 'its certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['untrusted', unknownAuthority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['untrusted', unknownAuthority],
  UNABLE_TO_GET_ISSUER_CERT: ['untrusted', unknownAuthority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['untrusted', unknownAuthority],
  CERT_UNTRUSTED: ['untrusted', unknownAuthority],
  INVALID_CA: ['untrusted', 'its certificate is signed with a certificate that is not an authority’s'],
  CERT_HAS_EXPIRED: ['expired', 'its certificate has expired', expiryStep],
  CERT_NOT_YET_VALID: ['expired', 'its certificate is not valid yet', expiryStep],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate', 'its certificate is for another host name', nameStep],
  HOSTNAME_MISMATCH: ['certificate', 'its certificate is for another host name', nameStep],
  CERT_REVOKED: ['certificate', 'its certificate is revoked'],
  INVALID_PURPOSE: ['certificate', 'its certificate is not one for servers'],
  ERR_SSL_EE_KEY_TOO_SMALL: ['certificate', 'the key of its certificate is too short', weakStep],
  ERR_SSL_CA_MD_TOO_WEAK: ['certificate', 'its certificate is signed with a digest that is too weak', weakStep],
  HPE_HEADER_OVERFLOW: ['too-large', 'the header lines of its response are too large'],
  UND_ERR_HEADERS_OVERFLOW: ['too-large', 'the header lines of its response are too large'],
  UND_ERR_RES_EXCEEDED_MAX_SIZE: ['too-large', 'its response is too large'],
  ERR_RESPONSE_TOO_LARGE: ['too-large', 'its response is too large'],
  [parserErrorName]: notHttp,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['not-http', 'its response is longer or shorter than its Content-Length says'],
};

/** Of addresses `unix:<path>`: the same codes mean other things elsewhere. */
const socketRows: Readonly<Record<string, Row>> = {
  ENOENT: ['socket', 'the socket does not exist'],
  EACCES: ['socket', 'this user may not use the socket'],
  EINVAL: ['socket', 'the path of the socket is too long'],
};

/** Where Node.js gives many codes, or `EPROTO` for all, the words of OpenSSL decide; the first row that matches counts. */
const patterns: readonly (readonly [RegExp, Row])[] = [
  [
    /wrong.version.number|packet.length.too.long|http.request|unexpected.message|record.layer.failure/i,
    ['tls-not-spoken', 'it does not speak TLS', clearTextStep],
  ],
  [
    /protocol.version|unsupported.protocol|no.protocols.available|version.too.low/i,
    ['tls', 'it has no version of TLS that is accepted here', versionStep],
  ],
  [/certificate.required|bad.certificate|peer.did.not.return/i, ['tls', 'it wants a client certificate', clientStep]],
  [/unrecognized.name/i, ['tls', 'it does not know this host name', nameStep]],
  [/handshake.failure|no.shared.cipher|no.cipher/i, ['tls', 'it refused the TLS handshake', versionStep]],
];

const fallbackPatterns: readonly (readonly [RegExp, Row])[] = [
  [/^EAI_/, ['unresolved', 'the host name cannot be resolved']],
  [/^(CERT_|CRL_|ERROR_IN_CERT|PATH_LENGTH)/, ['certificate', 'its certificate is not valid']],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, ['tls', 'the TLS handshake failed']],
  [/^HPE_/, notHttp],
];

function findRow(code: string, message: string): Row | undefined {
  if (Object.hasOwn(rows, code)) return rows[code];
  const find = (list: typeof patterns, text: string) => list.find(([pattern]) => pattern.test(text))?.[1];
  const isTls = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);
  return (isTls ? find(patterns, `${code} ${message}`) : undefined) ?? find(fallbackPatterns, code);
}

/** Undefined for a code that is in neither table. `message` is that of the error, which says more where the code is `EPROTO`. */
export function findConnectionProblem(code: string, message = ''): ConnectionProblem | undefined {
  const row = findRow(code, message);
  return row && toProblem(code, row);
}

function toProblem(code: string, [kind, meaning, step]: Row): ConnectionProblem {
  return { kind, code, meaning, step };
}

export type CodedError = { readonly error: Error; readonly code: string };

/** The innermost error with a code: `fetch failed` has the reason as its cause, and attempts at several addresses are in a list. */
export function findCodedError(thrown: unknown, depth = 0): CodedError | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined;
  const [firstError]: unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  return findCodedError(thrown.cause, depth + 1) ?? findCodedError(firstError, depth + 1) ?? toCodedError(thrown);
}

function toCodedError(error: Error): CodedError | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]{2,60}$/.test(code)) return { error, code };
  // Where the parser of undici stopped has a code for some errors only.
  return error.name === parserErrorName ? { error, code: parserErrorName } : undefined;
}

/** How each trusts another authority. */
export const trustSteps = {
  client: 'pass the certificate of its authority, or its own, with --ca <file.pem>',
  controlPlane: 'start the control plane with --ca <file.pem>, the certificate of that authority',
} as const;

export type ConnectionContext = { readonly url: string; readonly trustStep: string };

/** What went wrong with a connection to `url`; undefined where the error has no code that is known. */
export function explainConnectionError(
  thrown: unknown,
  { url, trustStep }: ConnectionContext,
): ConnectionProblem | undefined {
  const coded = findCodedError(thrown);
  if (coded === undefined) return undefined;
  const { error, code } = coded;
  const socketRow = url.startsWith('unix:') && Object.hasOwn(socketRows, code) && socketRows[code];
  if (socketRow) return toProblem(code, socketRow);
  const problem = findConnectionProblem(code, error.message);
  if (problem === undefined) return undefined;
  if (problem.kind === 'tls-not-spoken' && isThisMachine(url))
    return { ...problem, step: 'write http:// in the address' };
  if (problem.kind === 'untrusted') return { ...problem, step: trustStep };
  const isPlain = /^(http|ws):/.test(url);
  if (isPlain && problem.kind === 'not-http' && isTlsRecord(error))
    return { ...problem, kind: 'tls-expected', meaning: 'it speaks TLS', step: 'write https:// in the address' };
  if (isPlain && problem.kind === 'closed' && isUnanswered(error))
    return { ...problem, step: 'if the port speaks TLS, write https:// in the address' };
  return problem;
}

/** What is sent to it without TLS leaves this machine in no case. */
function isThisMachine(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '');
}

/** What an HTTP parser could not read: of undici `data`, a text, and of node:http `rawPacket`, with its headers. */
function readUnparsed(error: Error): Uint8Array {
  if ('data' in error && typeof error.data === 'string')
    return Uint8Array.from(error.data, (character) => character.charCodeAt(0));
  return 'rawPacket' in error && error.rawPacket instanceof Uint8Array ? error.rawPacket : new Uint8Array();
}

/** A TLS record begins with its type, 20 to 23, and the major version 3 (RFC 8446 section 5.1). */
function isTlsRecord(error: Error): boolean {
  const [type = 0, version] = readUnparsed(error);
  return type >= 20 && type <= 23 && version === 3;
}

/**
 * True where undici says that nothing was received, or node:http that the connection ended before a response: servers that expect TLS
 * often just close when they get plain HTTP.
 */
function isUnanswered(error: Error): boolean {
  if (error.message === 'socket hang up') return true;
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  return typeof socket === 'object' && socket !== null && 'bytesRead' in socket && socket.bytesRead === 0;
}

/** `its certificate has expired (CERT_HAS_EXPIRED)` */
export function formatConnectionProblem({ meaning, code }: ConnectionProblem): string {
  return `${meaning} (${code})`;
}

/** The same with its step, for places that show no fix of their own. */
export function describeConnectionError(thrown: unknown, context: ConnectionContext): string | undefined {
  const problem = explainConnectionError(thrown, context);
  if (problem === undefined) return undefined;
  const text = formatConnectionProblem(problem);
  return problem.step === undefined ? text : `${text}; ${problem.step}`;
}

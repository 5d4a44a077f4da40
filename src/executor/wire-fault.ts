/** What an error of the wire means, in words that name the address and the next step. */
import { headLimitBytes } from '../outbound/target-connection.ts';
import type { WireStage } from '../outbound/wire.ts';
import type { BaseUrlFrom } from '../project/project-config.ts';
import type { Fault } from '../run/evidence.ts';
import { addressOf } from './address.ts';
import { addressWords } from './address-words.ts';
import { faultOf } from './fault.ts';
import { isTlsCode, tlsFault } from './tls-fault.ts';

/** Where it happened. `status` and `bytes` (of the body) are those that had arrived. */
export type WireContext = {
  readonly origin: string;
  readonly baseUrlFrom: BaseUrlFrom;
  readonly stage: WireStage;
  readonly status: number | undefined;
  readonly bytes: number;
};

const unresolved = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_.*)$/;
const closed = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);
const unsendable = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

/** The code of a system, TLS or undici error; the first attempt's where several addresses were tried. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}

/** The fault that `error` is. */
export function wireFault(error: Error, context: WireContext): Fault {
  const code = codeOf(error);
  if (unsendable.has(code)) return faultOf('EXECUTOR_REQUEST_UNSENDABLE', { reason: error.message });
  const overTls = context.origin.startsWith('https:');
  if (overTls && (isTlsCode(code) || (context.stage === 'connect' && closed.has(code)))) {
    return tlsFault(error, code, addressOf(context.origin), addressWords(context.baseUrlFrom));
  }
  return context.stage === 'connect' ? connectFault(error, code, context) : answerFault(error, code, context);
}

function connectFault(error: Error, code: string, { origin, baseUrlFrom }: WireContext): Fault {
  const address = addressOf(origin);
  const { setting, host: host_hint, port: port_hint } = addressWords(baseUrlFrom);
  if (unresolved.test(code)) {
    return faultOf('EXECUTOR_TARGET_UNRESOLVED', { host: new URL(origin).hostname, reason: code, setting, host_hint });
  }
  if (code === 'ECONNREFUSED') return faultOf('EXECUTOR_TARGET_REFUSED', { address, setting, port_hint });
  if (closed.has(code)) return faultOf('EXECUTOR_TARGET_CLOSED', { address, reason: closedReason(error, code) });
  return faultOf('EXECUTOR_TARGET_UNREACHABLE', { address, reason: code || error.message });
}

function answerFault(error: Error, code: string, context: WireContext): Fault {
  const address = addressOf(context.origin);
  const { setting } = addressWords(context.baseUrlFrom);
  const misled = unasked(error);
  if (misled) return faultOf('EXECUTOR_TARGET_NOT_HTTP', { address, reason: misled, setting });
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return faultOf('EXECUTOR_TARGET_HEAD_TOO_LARGE', { address, limit: headLimitBytes });
  }
  const refused = parserReason(error);
  if (refused !== undefined && !endedTooEarly.test(refused)) return parserFault(error, refused, address, setting);
  return brokenOff(closedReason(error, code), address, context);
}

function brokenOff(reason: string, address: string, { stage, status, bytes }: WireContext): Fault {
  if (stage === 'body') return faultOf('EXECUTOR_BODY_BROKEN_OFF', { address, status: status ?? 0, bytes, reason });
  const where = stage === 'head' ? `in the middle of the header lines, ${reason}` : reason;
  return faultOf('EXECUTOR_TARGET_CLOSED', { address, reason: where });
}

/** undici refuses these two answers with words of its own. */
function unasked({ message }: Error): string | undefined {
  if (message === 'bad upgrade') return 'it switched protocols (101), which nobody asked for';
  if (message === 'bad response') return 'it sent 100 Continue, or an answer nobody asked for';
  return undefined;
}

/** What the parser of undici disliked, without its preface; undefined for every other error. */
function parserReason({ name, message }: Error): string | undefined {
  if (name !== 'HTTPParserError') return undefined;
  return /\((.+)\)$/.exec(message)?.[1] ?? message;
}

const endedTooEarly = /\bEOF\b/;

function parserFault(error: Error, reason: string, address: string, setting: string): Fault {
  const data: unknown = 'data' in error ? error.data : undefined;
  if (typeof data === 'string' && isTlsRecord(data)) return faultOf('EXECUTOR_TLS_EXPECTED', { address, setting });
  return faultOf('EXECUTOR_TARGET_NOT_HTTP', { address, reason, setting });
}

/** A TLS record begins with its type, 20 to 23, and the major version 3 (RFC 8446 section 5.1). */
function isTlsRecord(data: string): boolean {
  const type = data.charCodeAt(0);
  return type >= 20 && type <= 23 && data.charCodeAt(1) === 3;
}

function closedReason(error: Error, code: string): string {
  if (code === 'ECONNRESET' || code === 'ECONNABORTED') return 'the connection was reset';
  if (code === 'EPIPE') return 'it stopped reading';
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'fewer bytes than its Content-Length';
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_SOCKET') return 'it closed the connection';
  return code || error.message;
}

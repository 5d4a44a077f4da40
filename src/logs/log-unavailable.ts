import type { ErrorCode } from '../errors/table.ts';
import { type ErrorValues, formatError, type VpError } from '../errors/vp-error.ts';
import type { LogUnavailable } from './log-source.ts';

export function createLogUnavailable<C extends ErrorCode>(code: C, values: ErrorValues<C>): LogUnavailable {
  const { message, cure } = formatError(code, values);
  return { problem: message, cure };
}

export function toLogUnavailable({ message, cure }: VpError): LogUnavailable {
  return { problem: message, cure };
}

const reasonByCode: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ECONNREFUSED: 'nothing is listening there',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ENOTSOCK: 'it is not a socket',
  EMFILE: 'too many files are open',
};

/** The error code of the operating system; empty when there is none. */
export function getSystemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Why the operating system refused, in plain words. */
export function describeSystemError(error: unknown): string {
  const code = getSystemCode(error);
  return reasonByCode[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}

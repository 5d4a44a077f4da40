import type { ErrorCode } from '../errors/table.ts';
import { type ErrorValues, formatError, type VpError } from '../errors/vp-error.ts';
import { getSystemErrorCode } from '../files/system-error.ts';
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
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ENOTSOCK: 'it is not a socket',
  EMFILE: 'too many files are open',
};

/** Why the operating system refused, in plain words. */
export function describeSystemError(error: unknown): string {
  const code = getSystemErrorCode(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return reasonByCode[code] ?? code;
}

import type { ErrorCode } from '../errors/table.ts';
import { type Values, type VpError, wordsOf } from '../errors/vp-error.ts';
import type { LogTrouble } from './log-source.ts';

/** The words of `code` as a trouble. */
export function troubleOf<C extends ErrorCode>(code: C, values: Values<C>): LogTrouble {
  const { message, cure } = wordsOf(code, values);
  return { problem: message, cure };
}

/** An error as a trouble. */
export function troubleFrom({ message, cure }: VpError): LogTrouble {
  return { problem: message, cure };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ECONNREFUSED: 'nobody listens there',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ENOTSOCK: 'it is no socket',
  EMFILE: 'too many files are open',
};

/** The code that the operating system gave; empty where there is none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Why the operating system refused, in plain words. */
export function systemReason(error: unknown): string {
  const code = systemCode(error);
  return reasons[code] ?? (code || (error instanceof Error ? error.message : String(error)));
}

/** Least severe first. */
import type { LoggingLevel } from '@modelcontextprotocol/client';

const logLevels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Of clients of older revisions that have not chosen one. */
export const defaultLogLevel: LoggingLevel = 'info';

export function isLogLevel(level: string): level is LoggingLevel {
  return logLevels.some((logLevel) => logLevel === level);
}

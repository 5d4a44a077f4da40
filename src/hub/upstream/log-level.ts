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

export function isLogLevel(level: string): level is LoggingLevel {
  return logLevels.some((logLevel) => logLevel === level);
}

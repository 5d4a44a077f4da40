/** Severities of log messages, least severe first. */
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

/** True for one of them. */
export function isLogLevel(level: string): level is LoggingLevel {
  return logLevels.some((known) => known === level);
}

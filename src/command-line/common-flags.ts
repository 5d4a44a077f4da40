/** Flags that every command has. */
import type { FlagDefinitions, LogLevel } from './command.ts';

export const logLevels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** May also precede the name of the command. A command does not declare them itself. */
export const commonFlags = {
  help: { type: 'boolean', alias: 'h', describe: 'print this help' },
  json: { type: 'boolean', describe: 'write JSON to standard output', variable: 'VP_JSON' },
  'log-level': {
    type: 'string',
    placeholder: '<level>',
    describe: 'log level on standard error',
    choices: logLevels,
    default: 'info',
    variable: 'VP_LOG_LEVEL',
  },
} as const satisfies FlagDefinitions;

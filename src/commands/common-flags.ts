/** Flags that several commands share. */
import type { Flags, LogLevel } from './command.ts';

/** Every level, quietest first. */
export const logLevels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** Flags of every command; they may stand before its name too. A command does not declare them itself. */
export const commonFlags = {
  help: { type: 'boolean', alias: 'h', describe: 'print this help' },
  json: { type: 'boolean', describe: 'write JSON for programs to standard output', variable: 'VP_JSON' },
  'log-level': {
    type: 'string',
    placeholder: '<level>',
    describe: 'how much is logged to standard error',
    choices: logLevels,
    default: 'info',
    variable: 'VP_LOG_LEVEL',
  },
} as const satisfies Flags;

/** Where the control plane of this machine keeps its store; for commands that work on its files. */
export const storeFolderFlag = {
  data: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'data folder of the control plane; the user’s data folder unless given',
    variable: 'VP_DATA',
  },
} as const satisfies Flags;

/** Flags of every role, to be spread into its own; `port` is where it listens by default. */
export function roleFlags<const P extends number>(port: P) {
  return {
    host: {
      type: 'string',
      placeholder: '<address>',
      describe: 'address to listen on',
      default: '127.0.0.1',
      variable: 'VP_HOST',
    },
    port: {
      type: 'number',
      placeholder: '<port>',
      describe: 'port to listen on; 0 takes a free one',
      default: port,
      whole: [0, 65_535],
      variable: 'VP_PORT',
    },
    data: {
      type: 'string',
      placeholder: '<folder>',
      describe: 'folder of stores and keys; the user’s data folder unless given',
      variable: 'VP_DATA',
    },
  } as const satisfies Flags;
}

/** The target's log. */
export const logFlag = {
  type: 'string',
  placeholder: '<source>',
  describe: "the target's log: a file, - for standard input, or unix:<socket> of a log reader",
} as const satisfies Flags[string];

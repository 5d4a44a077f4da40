/** Flags that several roles and commands share. */
import type { FlagDefinitions } from '../command-line/command.ts';

/** For commands that work on the files of the control plane. */
export const storeFolderFlag = {
  data: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'data folder of the control plane (default: the user’s data folder)',
    variable: 'VP_DATA',
  },
} as const satisfies FlagDefinitions;

/** Flags of every role; `port` is the default port. */
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
      describe: 'port; 0 for a free one',
      default: port,
      integerRange: [0, 65_535],
      variable: 'VP_PORT',
    },
    data: {
      type: 'string',
      placeholder: '<folder>',
      describe: 'folder of stores and keys (default: the user’s data folder)',
      variable: 'VP_DATA',
    },
  } as const satisfies FlagDefinitions;
}

export const logFlag = {
  type: 'string',
  placeholder: '<source>',
  describe: "the target's log: a file, - for standard input, or unix:<socket> of a log reader",
} as const satisfies FlagDefinitions[string];

export const targetUrlFlag = {
  type: 'string',
  placeholder: '<url>',
  describe: 'URL or local port of the target, instead of base_url',
} as const satisfies FlagDefinitions[string];

export const grpcUrlFlag = {
  type: 'string',
  placeholder: '<url>',
  describe: 'the same for gRPC, instead of targets.grpc',
} as const satisfies FlagDefinitions[string];

export const productFolderFlag = {
  type: 'string',
  placeholder: '<folder>',
  describe: 'folder of platform-config.yaml (default: this folder or ./product)',
} as const satisfies FlagDefinitions[string];

export const scenarioFolderFlag = {
  type: 'string',
  placeholder: '<folder>',
  describe: 'folder of scenarios (default: ./scenarios or ./test)',
} as const satisfies FlagDefinitions[string];

export const certificatesFlag = {
  type: 'string',
  placeholder: '<file.pem>',
  describe: 'additional trusted CA certificates',
} as const satisfies FlagDefinitions[string];

/** Of the commands that set up and remove a platform. */
export const tierFlag = {
  type: 'string',
  choices: ['compose'],
  default: 'compose',
  describe: 'where the platform runs: containers on this machine',
} as const satisfies FlagDefinitions[string];

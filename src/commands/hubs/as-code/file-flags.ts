/** Flags of the commands that read a hub's file. */
import type { FlagDefinitions, Positional } from '../../../command-line/command.ts';

export const hubFilePositional: Positional = {
  name: 'file',
  describe: 'YAML file of `vp hubs export`',
  required: true,
};

export const planFlags = {
  prune: {
    type: 'boolean',
    default: false,
    describe: 'also remove members and connections that the file does not have',
  },
  'accept-unknown-names': {
    type: 'boolean',
    default: false,
    describe: 'the policy may name tools, people, tokens and clients that the hub does not know yet',
  },
} as const satisfies FlagDefinitions;

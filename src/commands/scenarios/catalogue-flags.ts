import type { Flags } from '../command.ts';
import { controlPlaneFlags } from '../control-plane-flags.ts';

/** Flags of every command about a catalogue. */
export const catalogueFlags = {
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance whose catalogue it is; needed where several are registered',
  },
  ...controlPlaneFlags,
} as const satisfies Flags;

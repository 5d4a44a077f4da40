import type { Flags } from '../../command-line/command.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';

export const catalogueFlags = {
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance of the catalogue; required if several are registered',
  },
  ...controlPlaneFlags,
} as const satisfies Flags;

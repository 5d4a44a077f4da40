import type { FlagDefinitions } from '../../command-line/command.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const catalogueFlags = {
  instance: { ...instanceFlag, describe: 'the instance of the catalogue; required if several are registered' },
  ...controlPlaneFlags,
} as const satisfies FlagDefinitions;

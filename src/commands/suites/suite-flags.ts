import type { Client } from '../../client/client.ts';
import type { FlagDefinitions, Positional } from '../../command-line/command.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const suiteArgument = {
  name: 'suite',
  describe: 'id of a suite, in the first column of `vp suites`',
  required: true,
  kind: 'suite',
} as const satisfies Positional;

export const suiteFlags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

/** The address of its page, which stays. */
export function formatSuiteUrl({ transport }: Client, instance: string, suite: string): string {
  return `${transport.baseUrl}/instances/${encodeURIComponent(instance)}/suites/${suite}`;
}

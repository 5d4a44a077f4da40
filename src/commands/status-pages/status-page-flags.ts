import type { FlagDefinitions, Positional } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const statusPageFlags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

export const untilFlag = {
  type: 'string',
  placeholder: '<end>',
  describe: 'a day, which ends at midnight UTC, a time, or 90d; at most a year',
} as const satisfies FlagDefinitions[string];

export const statusPageArgument = {
  name: 'page',
  describe: 'id of the page, from `vp status-pages list`',
  required: true,
} as const satisfies Positional;

type ConnectionFlags = Parameters<typeof openClient>[0] & { readonly instance: string | undefined };

export async function openStatusPages(flags: ConnectionFlags, environment: Environment) {
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  return { statusPages: client.statusPages, instance };
}

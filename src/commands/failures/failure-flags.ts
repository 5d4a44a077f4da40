import type { FlagDefinitions, Positional } from '../../command-line/command.ts';
import type { ChangeFailureRequest, FailureGroup } from '../../contract/failures-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';

export const failureFlags = { instance: instanceFlag, ...controlPlaneFlags } as const satisfies FlagDefinitions;

export const failureArgument = {
  name: 'failure',
  describe: 'id of the failure, from `vp failures`',
  required: true,
  kind: 'failure',
} as const satisfies Positional;

type ConnectionFlags = Parameters<typeof openClient>[0] & { readonly instance: string | undefined };

/** Changes a failure and prints it: as JSON, or as the sentence that `describe` returns. */
export async function changeFailure(
  { flags, json, environment }: { flags: ConnectionFlags; json: boolean; environment: Environment },
  id: string,
  input: ChangeFailureRequest,
  describe: (failure: FailureGroup) => string,
): Promise<void> {
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  const failure = await client.failures.change(instance, id, input);
  environment.streams.stdout.write(json ? `${JSON.stringify({ failure }, null, 2)}\n` : `${describe(failure)}\n`);
}

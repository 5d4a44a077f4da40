/** What `vp executor` prints once it is registered. Why it is not registered yet is in its log. */
import type { ObservedHello } from '../../assemble/embedded/observe-hello.ts';
import type { HelloResponse } from '../../contract/executor-api.ts';
import type { Environment } from '../../environment/environment.ts';

export type GreetingOutput = { readonly json: boolean; readonly environment: Pick<Environment, 'streams'> };

/** Prints the registration when the hello response arrives. Call it after the executor's start was printed. */
export function printRegistration(
  { helloResponse }: Pick<ObservedHello, 'helloResponse'>,
  output: GreetingOutput,
): void {
  void helloResponse.then((welcome) => output.environment.streams.stdout.write(formatRegistration(welcome, output)));
}

function formatRegistration({ instance, control_plane_version }: HelloResponse, { json }: GreetingOutput): string {
  return json
    ? `${JSON.stringify({ event: 'registered', instance, control_plane_version })}\n`
    : `registered as ${instance}\n`;
}

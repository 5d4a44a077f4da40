/** What `vp executor` says when it is registered. Why it is not yet, the log says (executor/insistence.ts). */
import type { HeardGreeting } from '../assemble/greeting.ts';
import type { Welcome } from '../contract/executor-api.ts';
import type { Environment } from '../environment/environment.ts';

/** Where to say it. */
export type GreetingPlace = { readonly json: boolean; readonly environment: Pick<Environment, 'streams'> };

/** Tells it when it is known. Call it when the executor has been introduced. */
export function tellGreeting({ welcomed }: Pick<HeardGreeting, 'welcomed'>, place: GreetingPlace): void {
  void welcomed.then((welcome) => place.environment.streams.stdout.write(registeredText(welcome, place)));
}

function registeredText({ instance, control_plane_version }: Welcome, { json }: GreetingPlace): string {
  return json
    ? `${JSON.stringify({ event: 'registered', instance, control_plane_version })}\n`
    : `registered as ${instance}\n`;
}

/** What `vp executor` says of its way to the control plane: that it is registered, or why it is not yet. */
import type { HeardGreeting } from '../assemble/greeting.ts';
import type { ProcessLog } from '../assemble/process-log.ts';
import type { Welcome } from '../contract/executor-api.ts';
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { NoAnswer } from '../executor/within.ts';
import { tellError } from './tell-error.ts';

/** Where to say it; `url` is the control plane's. */
export type GreetingPlace = {
  readonly json: boolean;
  readonly environment: Environment;
  readonly log: ProcessLog;
  readonly url: string;
};

/** Tells both when they are known. Call it when the executor has been introduced. */
export function tellGreeting({ welcomed, troubled }: Omit<HeardGreeting, 'port'>, place: GreetingPlace): void {
  void welcomed.then((welcome) => place.environment.streams.stdout.write(registeredText(welcome, place)));
  void troubled.then((error) => tellTrouble(absence(error, place.url), place));
}

function registeredText({ instance, control_plane_version }: Welcome, { json }: GreetingPlace): string {
  return json
    ? `${JSON.stringify({ event: 'registered', instance, control_plane_version })}\n`
    : `registered as ${instance}\n`;
}

/** The error when trying again may help; what the control plane refuses ends the executor, which is told then. */
function absence(error: unknown, url: string): VpError | undefined {
  if (error instanceof NoAnswer) return vpError('CONTROL_PLANE_UNREACHABLE', { url, problem: error.message });
  return error instanceof VpError && error.row.status >= 500 ? error : undefined;
}

function tellTrouble(error: VpError | undefined, { json, environment, log }: GreetingPlace): void {
  if (!error) return;
  if (json) log.warn({ code: error.code, cure: error.cure }, `${error.message}; trying until it answers`);
  else {
    tellError(error, { json: false, debug: false }, environment);
    environment.streams.stderr.write('    trying until it answers\n');
  }
}

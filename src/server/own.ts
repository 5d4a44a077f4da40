/**
 * What `own` means in the table of who may do what: the instance that a request is about must be the caller's. It is
 * named by the path, or is that of the run the path names; a route without either narrows its answer by itself.
 */
import { vpError } from '../errors/vp-error.ts';
import type { Arrival, RouteFacts } from '../http/route.ts';
import { type Action, scopeOf } from '../identity/authorization.ts';
import type { AgentCaller, Caller, MachineCaller, PersonCaller } from '../identity/caller.ts';
import type { ServerServices } from './route.ts';

type Arriving = Pick<Arrival<ServerServices, Caller>, 'services' | 'params' | 'request'>;
type Wanted = Pick<RouteFacts, 'narrows'> & { readonly action: Action };

/**
 * Throws INSTANCE_FOREIGN to people; AGENT_INSTANCE_FOREIGN, RUN_UNKNOWN and RATE_LIMITED to agents, and
 * MACHINE_INSTANCE_FOREIGN to machines, who do not learn whether what they may not see exists.
 */
export async function admitOwn(arriving: Arriving, caller: Caller, wanted: Wanted): Promise<void> {
  if (scopeOf(caller, wanted.action) !== 'own') return;
  if (caller.kind === 'person') return admitPerson(arriving, caller);
  if (caller.kind === 'agent') return admitAgent(arriving, caller, wanted);
  if (caller.kind === 'machine') return admitMachine(arriving, caller, wanted);
  throw vpError('CREDENTIAL_INSUFFICIENT', { action: wanted.action });
}

async function admitPerson({ services, params }: Arriving, { personId }: PersonCaller): Promise<void> {
  const { instance_id: instance, owner } = await services.control.instances.get(params.instance ?? '');
  if (owner?.person_id === personId) return;
  throw vpError('INSTANCE_FOREIGN', { instance, owner: owner?.name ?? 'the control plane' });
}

async function admitAgent(arriving: Arriving, caller: AgentCaller, { narrows, action }: Wanted): Promise<void> {
  const { services, request, params } = arriving;
  const { instance, run } = params;
  if (instance !== undefined) instanceWithin(caller, instance);
  else if (run !== undefined) await admitRun(services, caller, run);
  else if (!narrows) throw vpError('CREDENTIAL_INSUFFICIENT', { action });
  if (request.method !== 'GET' && request.method !== 'HEAD') services.agentWrites.take(caller.tokenId);
}

/** A machine's key opens what names its instance, and lists that narrow themselves to it. */
function admitMachine({ params: { instance } }: Arriving, caller: MachineCaller, { narrows, action }: Wanted): void {
  if (instance !== undefined) instanceWithin(caller, instance);
  else if (!narrows) throw vpError('CREDENTIAL_INSUFFICIENT', { action });
}

async function admitRun({ control }: ServerServices, caller: AgentCaller, run: string): Promise<void> {
  if ((await control.runs.instanceOf(run)) !== caller.instance) throw vpError('RUN_UNKNOWN', { run });
}

/** The instance that a list is limited to: an agent's or a machine's own. Throws AGENT_INSTANCE_FOREIGN, MACHINE_INSTANCE_FOREIGN. */
export function instanceWithin(caller: Caller, asked: string | undefined): string | undefined {
  if (caller.kind !== 'agent' && caller.kind !== 'machine') return asked;
  if (asked === undefined || asked === caller.instance) return caller.instance;
  if (caller.kind === 'machine') throw vpError('MACHINE_INSTANCE_FOREIGN', { own: caller.instance });
  throw vpError('AGENT_INSTANCE_FOREIGN', { own: caller.instance });
}

/**
 * The scope `own` of the authorization table: the instance of a request must be the caller's. It is in the path, or that of
 * the run in the path; a route without either filters its response by the caller.
 */
import { vpError } from '../../errors/vp-error.ts';
import type { RouteDescription, RouteRequest } from '../../http/route.ts';
import { type AuthorizedAction, getOwnershipScope, isActionAllowed } from '../../identity/authorization.ts';
import type { AgentCaller, Caller, MachineCaller, PersonCaller } from '../../identity/caller.ts';
import type { ServerServices } from '../services.ts';

type ScopedRequest = Pick<RouteRequest<ServerServices, Caller>, 'services' | 'params' | 'request'>;
type RequestedAction = Pick<RouteDescription, 'filtersByCaller'> & { readonly action: AuthorizedAction };

/**
 * Throws INSTANCE_FOREIGN for people; AGENT_INSTANCE_FOREIGN, RUN_UNKNOWN and RATE_LIMITED for agents, and
 * MACHINE_INSTANCE_FOREIGN for machines: agents and machines do not learn whether other instances exist.
 */
export async function assertInstanceAccess(
  scopedRequest: ScopedRequest,
  caller: Caller,
  requestedAction: RequestedAction,
): Promise<void> {
  if (getOwnershipScope(caller, requestedAction.action) !== 'own') return;
  if (caller.kind === 'person') return assertPersonOwnsInstance(scopedRequest, caller);
  if (caller.kind === 'agent') return assertAgentAccess(scopedRequest, caller, requestedAction);
  if (caller.kind === 'machine') return assertMachineAccess(scopedRequest, caller, requestedAction);
  throw vpError('CREDENTIAL_INSUFFICIENT', { action: requestedAction.action });
}

/** For a handler whose body needs another action than its route. Throws CREDENTIAL_INSUFFICIENT, or as above. */
export async function assertActionAllowed(
  scopedRequest: ScopedRequest,
  caller: Caller,
  action: AuthorizedAction,
): Promise<void> {
  if (!isActionAllowed(caller, action)) throw vpError('CREDENTIAL_INSUFFICIENT', { action });
  if (caller.kind === 'person') await assertInstanceAccess(scopedRequest, caller, { action });
}

async function assertPersonOwnsInstance(
  { services, params }: ScopedRequest,
  { personId }: PersonCaller,
): Promise<void> {
  const { instance_id: instance, owner } = await services.control.instances.get(params.instance ?? '');
  if (owner?.person_id === personId) return;
  throw vpError('INSTANCE_FOREIGN', { instance, owner: owner?.name ?? 'the control plane' });
}

async function assertAgentAccess(
  scopedRequest: ScopedRequest,
  caller: AgentCaller,
  { filtersByCaller, action }: RequestedAction,
): Promise<void> {
  const { services, request, params } = scopedRequest;
  const { instance, run } = params;
  if (instance !== undefined) resolveInstanceScope(caller, instance);
  else if (run !== undefined) await assertRunOfAgent(services, caller, run);
  else if (!filtersByCaller) throw vpError('CREDENTIAL_INSUFFICIENT', { action });
  if (request.method !== 'GET' && request.method !== 'HEAD') services.agentWriteLimiter.take(caller.tokenId);
}

/** A machine key may call routes with its instance in the path, and lists that are filtered by the caller. */
function assertMachineAccess(
  { params: { instance } }: ScopedRequest,
  caller: MachineCaller,
  { filtersByCaller, action }: RequestedAction,
): void {
  if (instance !== undefined) resolveInstanceScope(caller, instance);
  else if (!filtersByCaller) throw vpError('CREDENTIAL_INSUFFICIENT', { action });
}

async function assertRunOfAgent({ control }: ServerServices, caller: AgentCaller, run: string): Promise<void> {
  if ((await control.runs.getInstanceId(run)) !== caller.instance) throw vpError('RUN_UNKNOWN', { run });
}

/** The instance that a list is limited to: for agents and machines their own. Throws AGENT_INSTANCE_FOREIGN, MACHINE_INSTANCE_FOREIGN. */
export function resolveInstanceScope(caller: Caller, requestedInstance: string | undefined): string | undefined {
  if (caller.kind !== 'agent' && caller.kind !== 'machine') return requestedInstance;
  if (requestedInstance === undefined || requestedInstance === caller.instance) return caller.instance;
  if (caller.kind === 'machine') throw vpError('MACHINE_INSTANCE_FOREIGN', { key_instance: caller.instance });
  throw vpError('AGENT_INSTANCE_FOREIGN', { token_instance: caller.instance });
}

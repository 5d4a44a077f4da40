/** Requests about calls that wait for an approval as tasks: decided, limited and recorded like those about tasks of servers. */

import { ProtocolError, ProtocolErrorCode, RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { vpError } from '../../../errors/vp-error.ts';
import { setExactValue } from '../../../json/exact-values.ts';
import { isObject } from '../../../json/json-object.ts';
import type { HeldTaskRow } from '../../../store/control/hubs/held-tasks.ts';
import type { HubPrincipal } from '../../access/principal.ts';
import type { CallContext } from '../../gateway/call-context.ts';
import type { HubCallService } from '../../gateway/call-service.ts';
import type { ConnectionRoute, HubCatalogue } from '../../gateway/catalogue.ts';
import type { McpResult } from '../../gateway/pending-calls.ts';
import { completeArguments } from '../../policy/call-policy.ts';
import type { TaskRequest } from '../task-results.ts';
import { isOpenTask, toTaskView } from './held-task-record.ts';
import type { HeldTasks } from './held-tasks.ts';

export type HeldTaskRequestsDependencies = {
  readonly heldTasks: HeldTasks;
  readonly catalogue: Pick<HubCatalogue, 'findRoute'>;
  readonly calls: Pick<HubCallService, 'resolve' | 'forwardAdmitted'>;
};

type FoundTask = ConnectionRoute & { readonly row: HeldTaskRow };

export class HeldTaskRequests {
  readonly #dependencies: HeldTaskRequestsDependencies;

  constructor(dependencies: HeldTaskRequestsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws a ProtocolError. */
  async send(context: CallContext, { method, taskId }: TaskRequest): Promise<McpResult> {
    const { calls } = this.#dependencies;
    const { principal, era } = context;
    const { row, connection, upstream } = await calls.resolve(
      context,
      method,
      taskId.slice(0, 100),
      undefined,
      () => this.#find(principal, taskId, era),
      () => vpError('HUB_TASK_UNKNOWN', {}),
    );
    const params = { taskId };
    const target = { connection, upstream, method, name: row.tool, params, arguments: params, isPublic: true };
    return calls.forwardAdmitted(
      context,
      { ...target, sendCall: (_params, { signal }) => this.#answer(context, method, row, signal) },
      completeArguments,
    );
  }

  /** Calls `onState` with the state of a task after each change. Returns a function that stops it. Throws HUB_TASK_UNKNOWN. */
  async watch(context: CallContext, taskId: string, onState: (state: McpResult) => void): Promise<() => void> {
    if (!(await this.#find(context.principal, taskId, 'newest'))) throw vpError('HUB_TASK_UNKNOWN', {});
    const read = async (): Promise<void> => {
      const { resultType: _type, ...state } = await this.send(context, { method: 'tasks/get', taskId });
      onState(state);
    };
    return this.#dependencies.heldTasks.listen(taskId, () => void read().catch(() => {}));
  }

  /** Those of the caller's own credential, as 2025-11-25 describes them; `isVisible` decides by the id of the connection and the tool. */
  async list(
    principal: HubPrincipal,
    isVisible: (connectionId: string, tool: string) => Promise<boolean>,
  ): Promise<McpResult[]> {
    const views: McpResult[] = [];
    for (const row of await this.#dependencies.heldTasks.list(principal))
      if (row.era === 'older' && (await isVisible(row.connection_id, row.tool))) views.push(toTaskView(row));
    return views;
  }

  async #find(principal: HubPrincipal, taskId: string, era: CallContext['era']): Promise<FoundTask | undefined> {
    const { heldTasks, catalogue } = this.#dependencies;
    const row = await heldTasks.find(principal, taskId);
    if (row?.era !== era) return undefined;
    const route = await catalogue.findRoute(principal, ({ id }) => id === row.connection_id);
    return route && { ...route, row };
  }

  async #answer(
    context: CallContext,
    method: TaskRequest['method'],
    row: HeldTaskRow,
    signal: AbortSignal,
  ): Promise<McpResult> {
    const { heldTasks } = this.#dependencies;
    const { principal } = context;
    if (method === 'tasks/get') return this.#describe(row);
    if (method === 'tasks/result') {
      const ended = await heldTasks.waitForEnd(principal, row.id, signal);
      await assertAuthenticated(context);
      return this.#readResult(ended);
    }
    // It never requires input.
    if (method === 'tasks/update') return {};
    const isCancelled = await heldTasks.cancel(row);
    if (row.era === 'newest') return {};
    if (!isCancelled) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the task has already ended');
    const cancelled = await heldTasks.find(principal, row.id);
    return toTaskView(cancelled ?? row);
  }

  /** A client of the newest revision reads the outcome with the state. */
  #describe(row: HeldTaskRow): McpResult {
    const view = toTaskView(row);
    const outcome = row.era === 'newest' ? this.#dependencies.heldTasks.readOutcome(row) : undefined;
    if (!outcome) return view;
    if (outcome.error) return { ...view, error: outcome.error };
    const described = { ...view, result: outcome.result };
    if (outcome.exact) setExactValue(described, { ...view, result: outcome.exact });
    return described;
  }

  /** The result of the call, or its error, which is thrown. */
  #readResult(row: HeldTaskRow | undefined): McpResult {
    const outcome = row && !isOpenTask(row) ? this.#dependencies.heldTasks.readOutcome(row) : undefined;
    if (!row || !outcome)
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the task was cancelled, and has no result');
    if (outcome.error) throw new ProtocolError(outcome.error.code, outcome.error.message, outcome.error.data);
    const relate = (result: McpResult): McpResult => ({
      ...result,
      _meta: { ...(isObject(result._meta) ? result._meta : {}), [RELATED_TASK_META_KEY]: { taskId: row.id } },
    });
    const result = relate(outcome.result);
    if (outcome.exact) setExactValue(result, relate(outcome.exact));
    return result;
  }
}

/** A result may be waited for until long after the request was authenticated. */
async function assertAuthenticated({ principal, authenticate = async () => principal }: CallContext): Promise<void> {
  if (await authenticate()) return;
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the caller is no longer authenticated');
}

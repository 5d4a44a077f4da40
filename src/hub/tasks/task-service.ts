/** Requests about tasks: found by their public id, decided by the policy like their tool, forwarded and recorded. */
import { isSpecType } from '@modelcontextprotocol/server';
import { vpError } from '../../errors/vp-error.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { CallContext } from '../gateway/call-context.ts';
import type { HubCallService } from '../gateway/call-service.ts';
import type { ConnectionRoute, HubCatalogue } from '../gateway/catalogue.ts';
import { compareByKey, getCursorPage } from '../gateway/pagination.ts';
import type { McpResult } from '../gateway/pending-calls.ts';
import { type CallPolicy, completeArguments } from '../policy/call-policy.ts';
import { type CredentialMask, maskJson } from '../upstream/credential-masker.ts';
import { isHeldTaskId } from './held/held-task-record.ts';
import type { HeldTaskRequests } from './held/held-task-requests.ts';
import { isFinished, type KnownTask, type KnownTasks } from './known-tasks.ts';
import type { TaskEra, TaskIds, TaskRoute } from './task-ids.ts';
import { assertTasksDeclared } from './task-publisher.ts';
import { parseTask, type TaskMethod, type TaskRequest, withPublicTaskId } from './task-results.ts';
import type { TaskWatches } from './task-watches.ts';

type TaskServiceDependencies = {
  readonly catalogue: Pick<HubCatalogue, 'findRoute'>;
  readonly calls: Pick<HubCallService, 'resolve' | 'forwardAdmitted'>;
  readonly ids: TaskIds;
  readonly knownTasks: KnownTasks;
  readonly watches: TaskWatches;
  readonly policy: Pick<CallPolicy, 'findTaskRefusal'>;
  /** For servers to report the states of tasks when tasks are listed. */
  readonly listTimeoutMs: number;
  /** Undefined where no call waits as a task. */
  readonly held?: HeldTaskRequests | undefined;
};

type ResolvedTask = ConnectionRoute & { readonly task: TaskRoute };

/** What is known of a result when it arrives. */
type TaskResponse = {
  readonly connection: UpstreamConnection;
  readonly method: TaskMethod;
  readonly publicId: string;
  readonly task: TaskRoute;
  readonly mask: CredentialMask;
};

/** Requests that one list may cause. */
const maxRefreshed = 20;

async function filterAsync<T>(items: readonly T[], matches: (item: T) => Promise<boolean>): Promise<T[]> {
  const matching = await Promise.all(items.map(matches));
  return items.filter((_item, index) => matching[index]);
}

export class HubTaskService {
  readonly #dependencies: TaskServiceDependencies;

  constructor(dependencies: TaskServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws a ProtocolError: the server's own, or one of ours. */
  async send(context: CallContext, { method, taskId: publicId }: TaskRequest): Promise<McpResult> {
    const { era, capabilities, principal } = context;
    if (era === 'newest') assertTasksDeclared(capabilities);
    const { calls, held } = this.#dependencies;
    if (held && isHeldTaskId(publicId)) return held.send(context, { method, taskId: publicId });
    const resolved = await calls.resolve(
      context,
      method,
      publicId.slice(0, 100),
      undefined,
      () => this.#find(principal, publicId, era),
      () => vpError('HUB_TASK_UNKNOWN', {}),
    );
    const { task, connection, upstream } = resolved;
    let isChecked = false;
    const params = { taskId: task.taskId };
    return calls.forwardAdmitted(
      context,
      {
        connection,
        upstream,
        method,
        name: task.tool,
        params,
        arguments: params,
        publicTaskId: publicId,
        mapResult: (result, mask) => {
          // What comes again has its numbers as they were sent, which no schema reads.
          if (!isChecked) assertTaskResult(connection.name, method, result);
          isChecked = true;
          return this.#toPublic({ connection, method, publicId, task, mask }, result);
        },
      },
      completeArguments,
    );
  }

  /**
   * Calls `onState` with the state of a task of the newest revision after its server has reported on it; `start` watches it at
   * the server. Returns a function that stops it. Throws HUB_TASK_UNKNOWN, and what `start` throws.
   */
  async watch(
    context: CallContext,
    publicId: string,
    start: (task: ConnectionRoute & { readonly taskId: string }) => Promise<() => void>,
    onState: (state: Record<string, unknown>) => void,
  ): Promise<() => void> {
    const { held } = this.#dependencies;
    if (held && isHeldTaskId(publicId)) return held.watch(context, publicId, onState);
    const located = await this.#find(context.principal, publicId, 'newest');
    if (!located) throw vpError('HUB_TASK_UNKNOWN', {});
    const { task, ...route } = located;
    const stopReading = this.#dependencies.watches.add(task, async () => {
      const { resultType: _type, ...state } = await this.send(context, { method: 'tasks/get', taskId: publicId });
      onState(state);
    });
    try {
      const stop = await start({ ...route, taskId: task.taskId });
      return () => {
        stopReading();
        stop();
      };
    } catch (error) {
      stopReading();
      throw error;
    }
  }

  /**
   * `tasks/list` of 2025-11-25: the tasks that this person started through the hub, and whose tools they may still use. Those of which
   * nothing was heard for the longest are asked for their present state, as with `tasks/get`; the others have their last one.
   */
  async list(context: CallContext, cursor: string | undefined): Promise<McpResult> {
    const { knownTasks, held } = this.#dependencies;
    const { principal } = context;
    const isVisible = this.#createVisibility(principal);
    const known = knownTasks.list(principal).filter(({ route }) => route.era === 'older');
    const visible = await filterAsync(known, ({ route }) => isVisible(route.connectionId, route.tool));
    const waiting = (await held?.list(principal, isVisible)) ?? [];
    const tasks = [
      ...visible.map((task) => ({ key: task.publicId, task, view: undefined })),
      ...waiting.map((view) => ({ key: String(view.taskId), task: undefined, view })),
    ];
    const toKey = ({ key }: { readonly key: string }): string => key;
    const { items, ...page } = getCursorPage(tasks.sort(compareByKey(toKey)), cursor, toKey);
    await this.#refresh(
      context,
      items.flatMap(({ task }) => task ?? []),
    );
    return { tasks: items.map(({ task, view, key }) => ({ ...(view ?? task?.state), taskId: key })), ...page };
  }

  /** Whether a person may still use the tool of a task; each tool is looked up once. */
  #createVisibility(principal: HubPrincipal): (connectionId: string, tool: string) => Promise<boolean> {
    const { catalogue, policy } = this.#dependencies;
    const decisions = new Map<string, Promise<boolean>>();
    const decide = async (connectionId: string, tool: string): Promise<boolean> => {
      const route = await catalogue.findRoute(principal, ({ id }) => id === connectionId);
      if (!route) return false;
      return (await policy.findTaskRefusal?.({ principal, connection: route.connection, tool })) === undefined;
    };
    return (connectionId, tool) => {
      const key = JSON.stringify([connectionId, tool]);
      const decision = decisions.get(key) ?? decide(connectionId, tool);
      decisions.set(key, decision);
      return decision;
    };
  }

  /** Each request is decided, limited and recorded. The last state is what is known of a task that cannot be asked for. */
  async #refresh(context: CallContext, tasks: readonly KnownTask[]): Promise<void> {
    const open = tasks.filter(({ state }) => !isFinished(state)).sort((a, b) => a.lastReport - b.lastReport);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(this.#dependencies.listTimeoutMs)]);
    const ask = async (): Promise<never> => {
      throw new Error('a list asks its client nothing');
    };
    // The bytes of the request are those of one list. Its capabilities name the session of the server that has the task.
    const unattended = { ...context, signal, requestBytes: 0, ask };
    const refreshed = open
      .slice(0, maxRefreshed)
      .map(({ publicId }) => this.send(unattended, { method: 'tasks/get', taskId: publicId }));
    await Promise.allSettled(refreshed);
  }

  async #find(principal: HubPrincipal, publicId: string, era: TaskEra): Promise<ResolvedTask | undefined> {
    const { catalogue, ids } = this.#dependencies;
    const task = ids.parse(principal, publicId);
    if (task?.era !== era) return undefined;
    const route = await catalogue.findRoute(principal, ({ id }) => id === task.connectionId);
    return route && { ...route, task };
  }

  #toPublic({ connection: { name }, method, publicId, task, mask }: TaskResponse, result: McpResult): McpResult {
    const { taskId, era } = task;
    const describesTask = method === 'tasks/get' || (method === 'tasks/cancel' && era === 'older');
    if (describesTask) {
      // The metadata is that of the response, and not of the task.
      const { _meta, ...state } = parseTask(name, result, method);
      if (state.taskId !== taskId)
        throw vpError('UPSTREAM_ANSWER_INVALID', { connection: name, problem: `${method} names another task` });
      this.#dependencies.knownTasks.update(publicId, maskJson(mask, state));
    }
    return withPublicTaskId(name, result, publicId);
  }
}

/** Throws UPSTREAM_ANSWER_INVALID. */
function assertTaskResult(connection: string, method: TaskMethod, result: McpResult): void {
  if (method !== 'tasks/result' || isSpecType.CallToolResult(result)) return;
  throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: 'not a result of tools/call' });
}

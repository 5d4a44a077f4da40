/** What a client does with tasks in a sequence, chosen by fast-check, and what it sees of it. */
import fc from 'fast-check';
import { eventually } from '../../../eventually.ts';
import { parseExact, payloadPlaceholder } from './exact-text.ts';
import { answerText, type JsonObject, type Step } from './script.ts';
import { optionalTool, requiredTool } from './scripted-tasks.ts';
import type { Trace, WireClient } from './wire-client.ts';
import { payloads } from './wire-operations.ts';

export type TaskOperation =
  | { readonly kind: 'start'; readonly payload: string; readonly asks: boolean }
  | { readonly kind: 'get' | 'cancel' | 'result' | 'answer'; readonly index: number; readonly payload: string }
  | { readonly kind: 'end'; readonly index: number; readonly status: 'completed' | 'failed' }
  | { readonly kind: 'list' }
  /** A task that nobody has started. */
  | { readonly kind: 'unknown'; readonly method: string }
  /** A tool that runs as a task only, called by a client that knows none. */
  | { readonly kind: 'wait'; readonly payload: string };

/** What the pair of client and server has. */
export type TaskFeatures = {
  /** Otherwise the client knows no tasks, or not in the way of this server. */
  readonly hasTasks: boolean;
  readonly isNewest: boolean;
  readonly asks: boolean;
  /** A stream on which the server reports the end of a task. */
  readonly reports: boolean;
};

export type TaskSide = {
  readonly client: WireClient;
  readonly features: TaskFeatures;
  readonly toName: (name: string) => string;
  readonly tasks: { readonly id: string; readonly key: string; readonly asks: boolean; isEnded: boolean }[];
};

export function createTaskOperations({ hasTasks, isNewest, asks }: TaskFeatures): fc.Arbitrary<TaskOperation> {
  const wait = fc.record({ kind: fc.constant('wait' as const), payload: payloads });
  if (!hasTasks) return wait;
  const index = fc.nat(3);
  const about = fc.record({
    kind: fc.constantFrom('get' as const, 'cancel' as const, isNewest ? ('answer' as const) : ('result' as const)),
    index,
    payload: payloads,
  });
  const start = fc.record({
    kind: fc.constant('start' as const),
    payload: payloads,
    asks: asks ? fc.boolean() : fc.constant(false),
  });
  const end = fc.record({
    kind: fc.constant('end' as const),
    index,
    status: fc.constantFrom('completed' as const, 'failed' as const),
  });
  const methods = isNewest
    ? ['tasks/get', 'tasks/update', 'tasks/cancel']
    : ['tasks/get', 'tasks/result', 'tasks/cancel'];
  const unknown = fc.record({ kind: fc.constant('unknown' as const), method: fc.constantFrom(...methods) });
  const others = isNewest ? [unknown] : [unknown, fc.constant({ kind: 'list' as const }), wait];
  return fc.oneof(
    { weight: 3, arbitrary: start },
    { weight: 6, arbitrary: about },
    { weight: 2, arbitrary: end },
    ...others,
  );
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** All messages that the operation led to. */
export async function performTask(side: TaskSide, operation: TaskOperation): Promise<unknown> {
  const { client, tasks } = side;
  if (operation.kind === 'start') return startTask(side, operation);
  if (operation.kind === 'list') return listTasks(side);
  if (operation.kind === 'unknown') {
    const trace = await client.request(operation.method, { taskId: 'unknown' });
    // What is wrong is said in words of its own.
    return trace.map(({ error }) => Object(error).code);
  }
  if (operation.kind === 'wait')
    return request(client, 'tools/call', createCall(side, requiredTool, {}), operation.payload);
  const task = tasks[operation.index % Math.max(1, tasks.length)];
  if (!task) return null;
  const { id: taskId, asks } = task;
  if (operation.kind === 'end') return asks ? null : endTask(side, task, operation.status);
  // Until it has ended, a server waits with the result.
  const ended =
    operation.kind === 'result' && !asks && !task.isEnded ? await endTask(side, task, 'completed') : undefined;
  const meta = operation.kind === 'get' ? { _meta: { 'example.com/exact': parseExact(operation.payload) } } : {};
  const answers = operation.kind === 'answer' ? { inputResponses: { who: createAnswer(operation.payload) } } : {};
  const method = operation.kind === 'answer' ? 'tasks/update' : `tasks/${operation.kind}`;
  const changesTask = operation.kind === 'cancel' && !task.isEnded;
  const trace = await request(client, method, { taskId, ...meta, ...answers }, operation.payload);
  const report = changesTask ? await findReport(side, taskId) : undefined;
  if (operation.kind !== 'get' && (operation.kind !== 'answer' || asks)) task.isEnded = true;
  return { ended, trace, report };
}

function createAnswer(payload: string): unknown {
  return parseExact(answerText('elicitation/create', {}, { payload, root: '' }));
}

async function request(client: WireClient, method: string, params: JsonObject, payload: string): Promise<Trace> {
  return (await client.request(method, params, { payload })).map(withoutId);
}

function createCall({ toName }: Pick<TaskSide, 'toName'>, tool: string, args: JsonObject): JsonObject {
  const key = crypto.randomUUID();
  return { name: toName(tool), arguments: { key, ...args, payload: payloadPlaceholder, end: 'text' } };
}

async function startTask(side: TaskSide, { payload, asks }: { payload: string; asks: boolean }): Promise<unknown> {
  const { client, tasks, features } = side;
  const key = crypto.randomUUID();
  const params = {
    ...createCall(side, optionalTool, { key, asks }),
    ...(features.isNewest ? {} : { task: { ttl: 60_000 } }),
  };
  const trace = await request(client, 'tools/call', params, payload);
  const result = Object(trace.at(-1)?.result);
  const { taskId } = features.isNewest ? result : Object(result.task);
  if (typeof taskId === 'string') tasks.push({ id: taskId, key, asks, isEnded: false });
  return trace;
}

/** Those that this client has started, in that order: servers and hubs know others. */
async function listTasks({ client, tasks }: TaskSide): Promise<unknown> {
  const listed: JsonObject[] = [];
  let cursor: unknown;
  do {
    const trace: Trace = await client.request('tasks/list', cursor === undefined ? {} : { cursor });
    const { result } = Object(trace.at(-1));
    listed.push(...Object(result).tasks);
    cursor = Object(result).nextCursor;
  } while (cursor !== undefined);
  return tasks.map(({ id }) => listed.filter(({ taskId }) => taskId === id));
}

async function endTask(
  side: TaskSide,
  task: TaskSide['tasks'][number],
  status: 'completed' | 'failed',
): Promise<unknown> {
  const step: Step = { do: 'end-task', key: task.key, status };
  const params = createCall(side, 'alpha', { steps: [step] });
  const trace = await request(side.client, 'tools/call', params, '0');
  const report = task.isEnded ? undefined : await findReport(side, task.id);
  task.isEnded = true;
  return { trace, report };
}

/** What the server says apart from calls when a task has ended. */
async function findReport({ client, features }: TaskSide, taskId: string): Promise<unknown> {
  if (!features.reports) return undefined;
  const isReport = ({ method, params }: JsonObject): boolean =>
    method === 'notifications/tasks/status' && Object(params).taskId === taskId;
  return eventually(() => client.apart.find(isReport), { description: 'the server reports the end of the task' }).catch(
    () => 'the server has not reported the end of the task',
  );
}

/** Ends what is open, so that nobody asks for it any more. */
export async function cancelTasks({ client, tasks }: TaskSide): Promise<void> {
  for (const { id, isEnded } of tasks) if (!isEnded) await client.request('tasks/cancel', { taskId: id });
}

/** Ids of tasks are those of their server, or of the hub. */
export function hideTaskIds({ tasks }: TaskSide, text: string): string {
  return tasks.reduce((hidden, { id }, index) => hidden.replaceAll(id, `⟨task ${index}⟩`), text);
}

/**
 * Calls of clients that do not know tasks, to tools that run only as tasks: the hub starts the task, waits for its end and
 * answers with its result, as if the tool had been called directly.
 */
import { ProtocolError, ProtocolErrorCode, RELATED_TASK_META_KEY } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { findExactValue, setExactPart, setExactValue } from '../../json/exact-values.ts';
import { isObject } from '../../json/json-object.ts';
import { pollUntil } from '../../timing/poll.ts';
import { tasksExtension } from '../protocol/extensions.ts';
import { createUnattendedCall } from './lists/upstream-lists.ts';
import type { UpstreamCallOptions, UpstreamQuestion } from './upstream-call.ts';
import type { UpstreamServer } from './upstream-server.ts';

type Result = Record<string, unknown>;

export type TaskCall = {
  readonly connection: string;
  readonly upstream: Pick<UpstreamServer, 'send'>;
  readonly params: Result;
  readonly options: UpstreamCallOptions;
  readonly clock: Pick<Clock, 'sleep' | 'monotonicMs'>;
};

const minPollMs = 100;
const defaultPollMs = 1000;
const maxPollMs = 5000;
/** How long a caller waits for a task that does not end. */
const maxWaitMs = 15 * 60_000;

/** Runs a tool of 2025-11-25 as a task. Throws what its server throws, UPSTREAM_ANSWER_INVALID, UPSTREAM_TIMED_OUT. */
export async function callOlderTask(call: TaskCall): Promise<Result> {
  const { upstream, params, options } = call;
  const created = await upstream.send('tools/call', { ...params, task: {} }, options);
  const taskId = getTaskId(call, created.task);
  return cancelOnError(call, taskId, async () => {
    // The server may ask its questions only on the response to `tasks/result`.
    await poll(call, taskId, Object(created.task), async ({ status }) => status === 'input_required');
    return withoutRelation(await upstream.send('tasks/result', { taskId }, options));
  });
}

/** The client has no task: the id is the server's own. */
function withoutRelation(result: Result): Result {
  const { _meta: meta, ...rest } = result;
  if (!isObject(meta) || meta[RELATED_TASK_META_KEY] === undefined) return result;
  const { [RELATED_TASK_META_KEY]: _relation, ...others } = meta;
  const unrelated = Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
  const exact = findExactValue(result);
  if (exact) setExactValue(unrelated, withoutRelation(exact));
  return unrelated;
}

/** True for the error with which a server of the newest revision demands a client that knows tasks. */
export function isTaskRequirement(error: unknown): boolean {
  if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.MissingRequiredClientCapability)
    return false;
  const { requiredCapabilities } = Object(error.data);
  return Object(Object(requiredCapabilities).extensions)[tasksExtension] !== undefined;
}

/** Runs a tool of the newest revision as a task. Throws like {@link callOlderTask}. */
export async function callNewestTask(call: TaskCall): Promise<Result> {
  const { upstream, params } = call;
  const options = withTasksExtension(call.options);
  const created = await upstream.send('tools/call', params, options);
  if (created.resultType !== 'task') return created;
  const extended = { ...call, options };
  const taskId = getTaskId(call, created);
  return cancelOnError(extended, taskId, async () => {
    const answered = new Set<string>();
    const finished = await poll(extended, taskId, created, async (task) => {
      if (task.status === 'input_required') await answerInputs(extended, taskId, task, answered);
      return false;
    });
    const { status, result, error } = finished;
    if (status === 'completed' && isObject(result)) {
      const { resultType, ...toolResult } = result;
      setExactValue(result, findExactValue(finished)?.result);
      setExactPart(toolResult, result);
      return toolResult;
    }
    const { code, message, data } = Object(error);
    const text = typeof message === 'string' ? message : `the task was ${String(status)}`;
    throw new ProtocolError(Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError, text, data);
  });
}

function withTasksExtension(options: UpstreamCallOptions): UpstreamCallOptions {
  const { extensions } = options.capabilities;
  return {
    ...options,
    capabilities: { ...options.capabilities, extensions: { ...extensions, [tasksExtension]: {} } },
  };
}

function getTaskId({ connection }: TaskCall, task: unknown): string {
  const { taskId } = Object(task);
  if (typeof taskId === 'string') return taskId;
  throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: 'tools/call started no task' });
}

/** Returns the task when it has ended, or `isEnough` resolves to true. */
async function poll(
  { connection, upstream, options, clock }: TaskCall,
  taskId: string,
  created: Result,
  isEnough: (task: Result) => Promise<boolean>,
): Promise<Result> {
  let isFirst = true;
  const look = async () => {
    const task = isFirst ? created : await upstream.send('tasks/get', { taskId }, withoutProgress(options));
    const isFinished = ['completed', 'failed', 'cancelled'].includes(String(task.status));
    const isDone = (!isFirst && isFinished) || (await isEnough(task));
    isFirst = false;
    return { task, pauseMs: isFinished ? 0 : getPollMs(task), isDone };
  };
  const { task, isDone } = await pollUntil(
    { clock, pauseMs: ({ pauseMs }) => pauseMs, timeoutMs: maxWaitMs, signal: options.signal },
    look,
    ({ isDone }) => isDone,
  );
  if (!isDone) throw vpError('UPSTREAM_TIMED_OUT', { connection, timeout_s: Math.round(maxWaitMs / 1000) });
  return task;
}

function getPollMs({ pollInterval, pollIntervalMs = pollInterval }: Result): number {
  const requestedMs = typeof pollIntervalMs === 'number' ? pollIntervalMs : defaultPollMs;
  return Math.min(Math.max(requestedMs, minPollMs), maxPollMs);
}

/** Progress and the headers of arguments belong to the call that started the task. */
function withoutProgress(options: UpstreamCallOptions): UpstreamCallOptions {
  const { headers: _headers, ...rest } = options;
  return { ...rest, onProgress: undefined };
}

async function answerInputs(
  { upstream, options }: TaskCall,
  taskId: string,
  { inputRequests }: Result,
  answered: Set<string>,
): Promise<void> {
  const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key));
  const answers = open.map(async ([key, request]) => {
    answered.add(key);
    return [key, await askCaller(options, request)] as const;
  });
  if (open.length === 0) return;
  const inputResponses = Object.fromEntries(await Promise.all(answers));
  await upstream.send('tasks/update', { taskId, inputResponses }, withoutProgress(options));
}

async function askCaller({ askCaller: ask }: UpstreamCallOptions, request: unknown): Promise<Result> {
  const { method, params } = isObject(request) ? request : {};
  const question: UpstreamQuestion = { method: String(method), params: isObject(params) ? params : {} };
  if (!ask) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
  return ask(question);
}

/** A task without a waiting caller is cancelled at its server. */
async function cancelOnError(
  { upstream, options }: TaskCall,
  taskId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { personId, sessionId, hubPath, principal, capabilities } = options;
    const unattended = { ...createUnattendedCall(hubPath), personId, sessionId, principal, capabilities };
    void upstream.send('tasks/cancel', { taskId }, unattended).catch(() => {});
    throw error;
  }
}

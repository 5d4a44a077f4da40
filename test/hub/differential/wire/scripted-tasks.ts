/**
 * The tasks of a scripted server, in the way of 2025-11-25 and in that of the extension of 2026-07-28. A task ends when a call says so,
 * and not by itself, so that a client knows what it will see of it.
 */
import { findPayloadText, parseExact } from './exact-text.ts';
import { type JsonObject, newest, type Revision } from './script.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
export const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/** A tool that may run as a task, and one that the hub runs as one where its client does not. */
export const optionalTool = 'gamma';
export const requiredTool = 'delta';

/** `needed`: a tool runs as a task only, whether clients know tasks or not. */
export type TaskSupport = 'none' | 'offered' | 'needed';

type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export type ScriptedTask = {
  readonly id: string;
  /** Chosen by the client, so that it can name the task before it knows the id. */
  readonly key: string;
  readonly owner: object;
  readonly payload: unknown;
  readonly asks: boolean;
  answer: unknown;
  status: TaskStatus;
};

export class TaskError extends Error {}

const pageSize = 2;
const form: JsonObject = {
  method: 'elicitation/create',
  params: {
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};
const atTime = '2026-07-28T00:00:00Z';

export class ScriptedTasks {
  readonly #tasks = new Map<string, ScriptedTask>();

  /** `text` is that of the call, which has the payload. */
  start(owner: object, { key, asks }: JsonObject, text: string): ScriptedTask {
    const payload = parseExact(findPayloadText(text) ?? 'null');
    const id = `task-${this.#tasks.size + 1}-${crypto.randomUUID()}`;
    const status = asks === true ? 'input_required' : 'working';
    const task: ScriptedTask = { id, key: String(key), owner, payload, asks: asks === true, answer: null, status };
    this.#tasks.set(id, task);
    return task;
  }

  /** Returns the task if that changed it. */
  end(key: string, status: TaskStatus): ScriptedTask | undefined {
    const task = [...this.#tasks.values()].find((known) => known.key === key);
    if (!task || isEnded(task)) return undefined;
    task.status = status;
    return task;
  }

  find(id: unknown): ScriptedTask {
    const task = this.#tasks.get(String(id));
    if (!task) throw new TaskError('no such task');
    return task;
  }

  /** A page of all tasks. */
  list({ cursor }: JsonObject): JsonObject {
    const start = cursor === undefined ? 0 : Number(cursor);
    const tasks = [...this.#tasks.values()].slice(start, start + pageSize).map((task) => describeTask(task));
    const next = start + pageSize < this.#tasks.size ? { nextCursor: String(start + pageSize) } : {};
    return { tasks, ...next };
  }
}

export function isEnded({ status }: ScriptedTask): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The state of a task; numbers that no double holds are in it, where unknown members may be. */
export function describeTask({ id, status, payload }: ScriptedTask, revision?: Revision): JsonObject {
  const shared = { taskId: id, status, createdAt: atTime, lastUpdatedAt: atTime, 'example.com/sent': payload };
  const times = revision === newest ? { ttlMs: 60_000, pollIntervalMs: 100 } : { ttl: 60_000, pollInterval: 100 };
  return { ...shared, ...times };
}

/** The state in the newest revision, which has the result and the open questions. */
export function describeNewestTask(task: ScriptedTask, meta: JsonObject): JsonObject {
  const { status } = task;
  return {
    resultType: 'complete',
    ...describeTask(task, newest),
    ...(status === 'input_required' ? { inputRequests: { who: form } } : {}),
    ...(status === 'completed' ? { result: createResult(task) } : {}),
    ...(status === 'failed' ? { error: { code: 7, message: 'the job failed', data: task.payload } } : {}),
    _meta: { 'example.com/asked': meta },
  };
}

/** Numbers as no double writes them stand where the protocol has numbers, too. */
export function createResult({ payload, answer, status }: ScriptedTask): JsonObject {
  const link = parseExact('{"type":"resource_link","uri":"note://two","name":"two","size":3.0}');
  const text = { type: 'text', text: JSON.stringify({ answer }), annotations: parseExact('{"priority":1.0}') };
  return { content: [text, link], structuredContent: { sent: payload }, isError: status === 'failed' };
}

/** With the task that it belongs to. */
export function withRelation(result: JsonObject, { id }: ScriptedTask): JsonObject {
  return { ...result, _meta: { [relatedTaskKey]: { taskId: id } } };
}

/** What the client is asked in a task. */
export function getTaskQuestion(task: ScriptedTask): JsonObject {
  return withRelation(Object(form.params), task);
}

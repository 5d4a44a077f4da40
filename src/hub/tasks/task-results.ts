/** Results and notifications about tasks, with public ids in place of those of their servers. */
import { isSpecType, RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import { toPublicResult } from '../gateway/public-results.ts';
import type { TaskState } from './known-tasks.ts';
import type { TaskEra } from './task-ids.ts';

type JsonObject = Record<string, unknown>;

/** The requests about a task. The newest revision has `tasks/update`, the older one `tasks/result`. */
export const taskMethods = ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'] as const;
export type TaskMethod = (typeof taskMethods)[number];
export type TaskRequest = { readonly method: TaskMethod; readonly taskId: string };

const methodsByEra: Readonly<Record<TaskEra, readonly TaskMethod[]>> = {
  older: ['tasks/get', 'tasks/result', 'tasks/cancel'],
  newest: ['tasks/get', 'tasks/update', 'tasks/cancel'],
};

export function isTaskMethod(method: string, era: TaskEra): method is TaskMethod {
  return methodsByEra[era].some((known) => known === method);
}

/** The task in the result of a `tools/call` that started one: a member in 2025-11-25, the result itself in the newest revision. */
export function findCreatedTask(result: JsonObject, era: TaskEra): JsonObject | undefined {
  if (era === 'older') return isObject(result.task) ? result.task : undefined;
  return result.resultType === 'task' ? result : undefined;
}

/** Throws UPSTREAM_ANSWER_INVALID. */
export function parseTask(connection: string, task: unknown, method: string): TaskState & { readonly taskId: string } {
  const { taskId, status } = isObject(task) ? task : {};
  if (!isObject(task) || typeof taskId !== 'string' || typeof status !== 'string' || !isSpecType.TaskStatus(status))
    throw vpError('UPSTREAM_ANSWER_INVALID', { connection, problem: `${method} names no task` });
  return { ...task, taskId, status };
}

/** `publicId` replaces the id of the task wherever the protocol has it. */
export function withPublicTaskId(connection: string, result: JsonObject, publicId: string): JsonObject {
  const { task, taskId, result: inner } = result;
  return withPublicRelation(
    {
      ...result,
      ...(taskId === undefined ? {} : { taskId: publicId }),
      ...(isObject(task) ? { task: { ...task, taskId: publicId } } : {}),
      ...(isObject(inner) ? { result: toPublicResult(connection, inner) } : {}),
    },
    publicId,
  );
}

/** For messages that name their task in `_meta`. */
export function withPublicRelation(message: JsonObject, publicId: string): JsonObject {
  const { _meta: meta } = message;
  if (!isObject(meta) || meta[RELATED_TASK_META_KEY] === undefined) return message;
  return { ...message, _meta: { ...meta, [RELATED_TASK_META_KEY]: { taskId: publicId } } };
}

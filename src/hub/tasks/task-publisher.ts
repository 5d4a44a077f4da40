/** What a call that starts a task tells its client. */
import { MissingRequiredClientCapabilityError, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { vpError } from '../../errors/vp-error.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { CallContext } from '../gateway/call-context.ts';
import type { McpResult } from '../gateway/pending-calls.ts';
import { tasksExtension } from '../protocol/extensions.ts';
import { type CredentialMask, maskJson } from '../upstream/credential-masker.ts';
import type { KnownTasks, NewTask, TaskState } from './known-tasks.ts';
import type { TaskIds } from './task-ids.ts';
import { findCreatedTask, parseTask, withPublicTaskId } from './task-results.ts';

type TaskPublisherOptions = {
  readonly ids: TaskIds;
  readonly knownTasks: KnownTasks;
  /** What the server reported of a task before the response that names it was handled. */
  readonly onEarlyReport: (task: NewTask, report: TaskState) => void;
};

/** Replaces the id of a task that a call started, and remembers the task. */
export function createTaskPublisher({ ids, knownTasks, onEarlyReport }: TaskPublisherOptions) {
  return (
    context: CallContext,
    { id, name }: UpstreamConnection,
    tool: string,
    result: McpResult,
    mask: CredentialMask,
  ): McpResult => {
    const { era, principal, headers } = context;
    const created = findCreatedTask(result, era);
    if (!created) return result;
    if (era === 'newest') assertTasksDeclared(context.capabilities);
    const state = parseTask(name, created, 'tools/call');
    const route = { connectionId: id, tool, taskId: state.taskId, era };
    const publicId = ids.format(principal, route);
    if (publicId === undefined)
      throw vpError('UPSTREAM_ANSWER_INVALID', { connection: name, problem: 'the id of its task is too long' });
    const { hub, person } = principal;
    const sessionId = headers.get('mcp-session-id') ?? undefined;
    const task = { publicId, route, hubId: hub.id, personId: person.personId, sessionId, state: maskJson(mask, state) };
    const report = knownTasks.add(task);
    if (report) onEarlyReport(task, report);
    return withPublicTaskId(name, result, publicId);
  };
}

export type PublishTask = ReturnType<typeof createTaskPublisher>;

/** Throws the error of the newest revision for a client that does not know tasks. */
export function assertTasksDeclared({ extensions }: CallContext['capabilities']): void {
  if (extensions?.[tasksExtension] !== undefined) return;
  throw new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    `the request's client capabilities do not declare the extension ${tasksExtension}`,
  );
}

/** The error of 2025-11-25 for a tool that does not run as a task. */
export function createNoTaskError(tool: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.MethodNotFound, `the tool ${tool} does not run as a task`);
}

/** How a call of a tool is sent, and its result published, where the tool or the client knows tasks. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { CallContext } from '../gateway/call-context.ts';
import type { ConnectionRoute } from '../gateway/catalogue.ts';
import type { McpResult } from '../gateway/pending-calls.ts';
import type { ResolvedCall } from '../gateway/resolved-call.ts';
import type { CredentialMask } from '../upstream/credential-masker.ts';
import { callNewestTask, callOlderTask, isTaskRequirement } from '../upstream/task-waiter.ts';
import type { UpstreamCallOptions } from '../upstream/upstream-call.ts';
import type { PublishTask } from './task-publisher.ts';

export type TaskParams = Readonly<Record<string, unknown>>;

type ToolCall = ConnectionRoute & { readonly original: Pick<Tool, 'name' | 'execution'> };

export type ToolTaskDependencies = { readonly publishTask: PublishTask; readonly clock: Clock };

type TaskParts = Pick<ResolvedCall, 'mapResult' | 'sendCall'>;

/** True if a client may run the tool as a task in the way of 2025-11-25. */
export function canRunAsTask({ execution }: Pick<Tool, 'execution'>): boolean {
  return execution?.taskSupport === 'optional' || execution?.taskSupport === 'required';
}

/** `task` is what the client of 2025-11-25 wants; undefined for a usual call. */
export function createTaskParts(
  { publishTask, clock }: ToolTaskDependencies,
  context: CallContext,
  { connection, upstream, original }: ToolCall,
  task: TaskParams | undefined,
): TaskParts {
  const publish = (result: McpResult, mask: CredentialMask): McpResult =>
    publishTask(context, connection, original.name, result, mask);
  const toCall = (params: McpResult, options: UpstreamCallOptions) => ({
    connection: connection.name,
    upstream,
    params,
    options,
    clock,
  });
  if (task) {
    return {
      mapResult: (result, mask) => {
        if (result.task !== undefined) return publish(result, mask);
        throw vpError('UPSTREAM_ANSWER_INVALID', {
          connection: connection.name,
          problem: 'tools/call started no task',
        });
      },
    };
  }
  if (original.execution?.taskSupport === 'required')
    return { sendCall: (params, options) => callOlderTask(toCall(params, options)) };
  if (context.era === 'newest') return { mapResult: publish };
  return {
    sendCall: (params, options) =>
      upstream.send('tools/call', params, options).catch((error: unknown) => {
        if (isTaskRequirement(error)) return callNewestTask(toCall(params, options));
        throw error;
      }),
  };
}

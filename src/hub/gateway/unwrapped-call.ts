/**
 * A call of `call_tool` is a call of the tool that it names, before anything looks at it: policy, pins, limits, approvals
 * and audit act on that tool, and its result is sent as it is.
 */
import { isObject } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { callToolDefinition } from '../tool-search/definitions.ts';
import { CallToolInput, isSearchInput } from '../tool-search/search-input.ts';
import type { DirectCall } from './direct-call.ts';

type ToolCall = { readonly name: string; readonly arguments?: Record<string, unknown> | undefined };

/** Undefined for another call, and for one whose arguments are not valid. */
export function parseWrappedCall(
  { toolList }: Pick<HubPrincipal, 'toolList'>,
  name: unknown,
  args: unknown,
): ToolCall | undefined {
  if (toolList !== 'search' || name !== callToolDefinition.name || !isSearchInput(CallToolInput, args))
    return undefined;
  return args;
}

/** The same call where nothing has to change. */
export function unwrapCall(principal: HubPrincipal, call: DirectCall): DirectCall {
  const target = call.method === 'tools/call' ? parseWrappedCall(principal, call.name, call.arguments) : undefined;
  if (!target || call.method !== 'tools/call') return call;
  const { exactArguments } = call.context;
  const exact = isObject(exactArguments) ? exactArguments.arguments : undefined;
  const context = { ...call.context, exactArguments: exact, sentArguments: undefined };
  return { ...call, context, name: target.name, arguments: target.arguments, resolved: undefined };
}

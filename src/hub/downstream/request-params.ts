/** Validates the params of requests by the schemas of the protocol. */
import { ProtocolError, ProtocolErrorCode, specTypeSchemas } from '@modelcontextprotocol/server';

const schemas = {
  initialize: specTypeSchemas.InitializeRequest,
  ping: specTypeSchemas.PingRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'completion/complete': specTypeSchemas.CompleteRequest,
  'logging/setLevel': specTypeSchemas.SetLevelRequest,
  'resources/subscribe': specTypeSchemas.SubscribeRequest,
  'resources/unsubscribe': specTypeSchemas.UnsubscribeRequest,
  'tasks/list': specTypeSchemas.ListTasksRequest,
  'server/discover': specTypeSchemas.DiscoverRequest,
  'subscriptions/listen': specTypeSchemas.SubscriptionsListenRequest,
} as const;

type Schemas = typeof schemas;
export type KnownMethod = keyof Schemas;

type Validated<M extends KnownMethod> = NonNullable<Schemas[M]['~standard']['types']>['output'];

export function isKnownMethod(method: string): method is KnownMethod {
  return Object.hasOwn(schemas, method);
}

/** The params, without members that the protocol does not know. Throws InvalidParams. */
export function parseRpcParams<M extends KnownMethod>(
  method: M,
  params: Readonly<Record<string, unknown>> | undefined,
): Validated<M>['params'] {
  const request = params === undefined ? { method } : { method, params };
  const outcome = schemas[method]['~standard'].validate(request);
  if (outcome.issues === undefined) return outcome.value.params;
  const [issue] = outcome.issues;
  const path = issue?.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.') ?? '';
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid ${method} request: ${path}: ${issue?.message ?? ''}`,
  );
}

/** The OpenAPI 3.1 document, built from the route table. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { AgentIdentity, AgentToken, CreateAgentTokenResponse } from '../../contract/agents/agent-api.ts';
import {
  CreateInstanceResponse,
  CreateRunsResponse,
  Instance,
  Run,
  RunDocument,
  ScenarioDocument,
  ScenarioEntry,
} from '../../contract/api.ts';
import * as executorApi from '../../contract/executor-api.ts';
import { Hub, HubConnection, HubMember, HubToken, HubTokenWithSecret } from '../../contract/hubs/hubs-api.ts';
import { ReportSchema } from '../../contract/report-schema.ts';
import { Problem } from '../../contract/schemas.ts';
import { problemMediaType } from '../../http/problem.ts';
import type { RouteDescription, RouteMethod } from '../../http/route.ts';
import { type JsonSchema, toDraft2020 } from '../../http/schema/draft-2020.ts';
import { type AuthorizedAction, authorizationTable, describeCallers, isAction } from '../../identity/authorization.ts';
import { maxAgentWritesPerMinute } from '../access/call-limiters.ts';

/** Schemas that become named components. */
const namedSchemas: Readonly<Record<string, TSchema>> = {
  Instance,
  InstanceCreated: CreateInstanceResponse,
  Problem,
  Report: ReportSchema,
  Run,
  RunDocument,
  RunsRequested: CreateRunsResponse,
  ScenarioDocument,
  ScenarioEntry,
  AgentSelf: AgentIdentity,
  AgentToken,
  AgentTokenCreated: CreateAgentTokenResponse,
  Hub,
  HubConnection,
  HubMember,
  HubToken,
  HubTokenShown: HubTokenWithSecret,
  Complete: executorApi.CompleteRequest,
  DirectRun: executorApi.DirectRunRequest,
  GiveBack: executorApi.GiveBackRequest,
  Heartbeat: executorApi.HeartbeatRequest,
  Hello: executorApi.HelloRequest,
  Lease: executorApi.Lease,
  Offer: executorApi.LeaseOffer,
  Poll: executorApi.PollRequest,
  Pulse: executorApi.HeartbeatResponse,
  Welcome: executorApi.HelloResponse,
};
const namesBySchema = new Map<object, string>(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));
const getSchemaName = (schema: object): string | undefined => namesBySchema.get(schema);

type DocumentedRoute = RouteDescription & { readonly action: string };

function buildOpenapiDocument(routes: readonly DocumentedRoute[], version: string, serverUrl: string): JsonSchema {
  const schemas = Object.entries(namedSchemas).map(([name, schema]) => [name, toDraft2020(schema, getSchemaName)]);
  return {
    openapi: '3.1.0',
    info: { title: 'vp control plane', version, license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    paths: buildPaths(routes),
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'Refused or failed: `code` is the reason, `cure` says how to fix it (RFC 9457)',
          content: { [problemMediaType]: { schema: toReference(Problem) } },
        },
      },
    },
  };
}

/** The document as JSON text, built at its first use. */
export class OpenapiText {
  readonly #parameters: Parameters<typeof buildOpenapiDocument>;
  #text: string | undefined;

  constructor(...parameters: Parameters<typeof buildOpenapiDocument>) {
    this.#parameters = parameters;
  }

  get(): string {
    this.#text ??= JSON.stringify(buildOpenapiDocument(...this.#parameters));
    return this.#text;
  }
}

function buildPaths(routes: readonly DocumentedRoute[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: buildOperation(route) };
  }
  return paths;
}

function buildOperation(route: DocumentedRoute): JsonSchema {
  const { operation, summary, action, body, method } = route;
  const parameters = [
    ...buildParameters('path', route.params),
    ...buildParameters('query', route.query),
    ...buildParameters('header', route.headers),
  ];
  return {
    operationId: operation,
    summary,
    description: isAction(action)
      ? `${describeCallers(action)}${describeRateLimit(method, action)}`
      : describeOpenRoute(route),
    ...(isAction(action) ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: jsonContent(body) } } : {}),
    responses: { ...buildResponses(route), default: { $ref: '#/components/responses/Problem' } },
  };
}

function describeOpenRoute({ credential }: DocumentedRoute): string {
  return credential === undefined ? 'Needs no credential.' : `Needs ${credential}, which the endpoint verifies itself.`;
}

function describeRateLimit(method: RouteMethod, action: AuthorizedAction): string {
  if (method === 'GET' || !('test_agent' in authorizationTable[action])) return '';
  return ` Agents: at most ${maxAgentWritesPerMinute} writing calls per minute; RATE_LIMITED says when to continue.`;
}

function buildParameters(location: 'path' | 'query' | 'header', schema: TObject | undefined): JsonSchema[] {
  return Object.entries(schema?.properties ?? {}).map(([name, part]) => ({
    name,
    in: location,
    required: schema?.required?.includes(name) ?? false,
    schema: toReference(part),
  }));
}

function buildResponses({ response, media, status }: DocumentedRoute): JsonSchema {
  if (response) return { [status ?? 200]: { description: 'Done', content: jsonContent(response) } };
  if (!media) return { 204: { description: 'Done' } };
  const text = { schema: { type: 'string' } };
  return { 200: { description: 'Done', content: Object.fromEntries(media.map((type) => [type, text])) } };
}

function jsonContent(schema: TSchema): JsonSchema {
  return { 'application/json': { schema: toReference(schema) } };
}

function toReference(schema: TSchema): JsonSchema {
  const name = getSchemaName(schema);
  return name === undefined ? toDraft2020(schema, getSchemaName) : { $ref: `#/components/schemas/${name}` };
}

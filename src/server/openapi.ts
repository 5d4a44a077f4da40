/** The OpenAPI 3.1 document, made from the list of routes that the app is made from. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { AgentSelf, AgentToken, AgentTokenCreated } from '../contract/agent-api.ts';
import {
  Instance,
  InstanceCreated,
  Run,
  RunDocument,
  RunsRequested,
  ScenarioDocument,
  ScenarioEntry,
} from '../contract/api.ts';
import * as executorApi from '../contract/executor-api.ts';
import { Hub, HubConnection, HubMember, HubToken, HubTokenShown } from '../contract/hub-api.ts';
import { ReportSchema } from '../contract/report-schema.ts';
import { Problem } from '../contract/words.ts';
import { draft2020, type JsonSchema } from '../http/draft-2020.ts';
import { problemType } from '../http/problem.ts';
import type { RouteFacts, RouteMethod } from '../http/route.ts';
import { type Action, authorization, callersText, isAction } from '../identity/authorization.ts';
import { agentWritesAMinute } from './rate.ts';

/** Schemas that get a name of their own. */
const named: Readonly<Record<string, TSchema>> = {
  Instance,
  InstanceCreated,
  Problem,
  Report: ReportSchema,
  Run,
  RunDocument,
  RunsRequested,
  ScenarioDocument,
  ScenarioEntry,
  AgentSelf,
  AgentToken,
  AgentTokenCreated,
  Hub,
  HubConnection,
  HubMember,
  HubToken,
  HubTokenShown,
  Complete: executorApi.Complete,
  DirectRun: executorApi.DirectRun,
  GiveBack: executorApi.GiveBack,
  Heartbeat: executorApi.Heartbeat,
  Hello: executorApi.Hello,
  Lease: executorApi.Lease,
  Offer: executorApi.Offer,
  Poll: executorApi.Poll,
  Pulse: executorApi.Pulse,
  Welcome: executorApi.Welcome,
};
const names = new Map<object, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
const nameOf = (schema: object): string | undefined => names.get(schema);

type DocumentedRoute = RouteFacts & { readonly action: string };

/** The document; `serverUrl` is where the API is reached. */
export function openapiDocument(routes: readonly DocumentedRoute[], version: string, serverUrl: string): JsonSchema {
  const schemas = Object.entries(named).map(([name, schema]) => [name, draft2020(schema, nameOf)]);
  return {
    openapi: '3.1.0',
    info: { title: 'vp control plane', version, license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    paths: pathsOf(routes),
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'Refused or failed: `code` says why, `cure` says what to do (RFC 9457)',
          content: { [problemType]: { schema: reference(Problem) } },
        },
      },
    },
  };
}

function pathsOf(routes: readonly DocumentedRoute[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

function operationOf(route: DocumentedRoute): JsonSchema {
  const { operation, summary, action, body, method } = route;
  const parameters = [
    ...parametersOf('path', route.params),
    ...parametersOf('query', route.query),
    ...parametersOf('header', route.headers),
  ];
  return {
    operationId: operation,
    summary,
    description: isAction(action) ? `${callersText(action)}${limitText(method, action)}` : 'Needs no credential.',
    ...(isAction(action) ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: { ...answerOf(route), default: { $ref: '#/components/responses/Problem' } },
  };
}

function limitText(method: RouteMethod, action: Action): string {
  if (method === 'GET' || !('test_agent' in authorization[action])) return '';
  return ` Agents: at most ${agentWritesAMinute} calls that write a minute; RATE_LIMITED says when to go on.`;
}

function parametersOf(place: 'path' | 'query' | 'header', schema: TObject | undefined): JsonSchema[] {
  return Object.entries(schema?.properties ?? {}).map(([name, part]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    schema: reference(part),
  }));
}

function answerOf({ answer, media, status }: DocumentedRoute): JsonSchema {
  if (answer) return { [status ?? 200]: { description: 'Done', content: json(answer) } };
  if (!media) return { 204: { description: 'Done' } };
  const text = { schema: { type: 'string' } };
  return { 200: { description: 'Done', content: Object.fromEntries(media.map((type) => [type, text])) } };
}

function json(schema: TSchema): JsonSchema {
  return { 'application/json': { schema: reference(schema) } };
}

function reference(schema: TSchema): JsonSchema {
  const name = nameOf(schema);
  return name === undefined ? draft2020(schema, nameOf) : { $ref: `#/components/schemas/${name}` };
}

/** Publishing to the registry: the proof of a domain, versions, and what became of them. */
import { Type } from '@sinclair/typebox';
import {
  RegistryEntry,
  RegistryNoQuery,
  RegistryProof,
  RegistryStatusChange,
  RegistryStatusChanged,
  RegistryToken,
} from '../contract/registry-api.ts';
import { vpError } from '../errors/vp-error.ts';
import { bearerOf } from '../http/bearer.ts';
import { closed } from './parameters.ts';
import { type RegistryRouteParts, type RegistryVersion, ServerPath, VersionPath } from './registry.ts';
import { jsonAnswer, registryAnswer } from './registry-answer.ts';
import { openRoute, type ServerRoute } from './route.ts';

/** Larger documents are refused unread. */
const documentLimitBytes = 32_768;
const Document = Type.Unknown({ description: 'server.json, by its schema of 2025-12-11' });

function changeRoutes({ registry, writes }: RegistryRouteParts, { root, suffix }: RegistryVersion): ServerRoute[] {
  const { publishing } = registry;
  return [
    openRoute({
      method: 'POST',
      path: `${root}/publish`,
      operation: `publishToRegistry${suffix}`,
      summary: 'Publish a version of an MCP server, with the token that a proof gave',
      query: RegistryNoQuery,
      body: Document,
      bodyLimitBytes: documentLimitBytes,
      answer: RegistryEntry,
      handler: ({ request, address, body }) =>
        registryAnswer(async () => {
          writes.take(address);
          return jsonAnswer(await publishing.publish(bearerOf(request.headers), body));
        }),
    }),
    openRoute({
      method: 'PATCH',
      path: `${root}/servers/{name}/versions/{version}/status`,
      operation: `setRegistryStatus${suffix}`,
      summary: 'Say of a version that it is active, deprecated or deleted',
      params: VersionPath,
      query: RegistryNoQuery,
      body: closed(RegistryStatusChange),
      answer: RegistryEntry,
      handler: ({ request, address, params, body }) =>
        registryAnswer(async () => {
          writes.take(address);
          return jsonAnswer(await publishing.setStatus(bearerOf(request.headers), params, body));
        }),
    }),
    openRoute({
      method: 'PATCH',
      path: `${root}/servers/{name}/status`,
      operation: `setRegistryStatusOfAll${suffix}`,
      summary: 'The same of all versions of a server, or of none',
      params: ServerPath,
      query: RegistryNoQuery,
      body: closed(RegistryStatusChange),
      answer: RegistryStatusChanged,
      handler: ({ request, address, params: { name }, body }) =>
        registryAnswer(async () => {
          writes.take(address);
          return jsonAnswer(await publishing.setAllStatus(bearerOf(request.headers), name, body));
        }),
    }),
  ];
}

/** What the API leaves to each registry to have; this one does not. */
function fixedRoutes({ reads }: RegistryRouteParts, { root, suffix }: RegistryVersion): ServerRoute[] {
  const methods = [
    ['PUT', 'change'],
    ['DELETE', 'remove'],
  ] as const;
  return methods.map(([method, verb]) =>
    openRoute({
      method,
      path: `${root}/servers/{name}/versions/{version}`,
      operation: `${verb}RegistryVersion${suffix}`,
      summary: 'Refused with 501: versions never change',
      params: VersionPath,
      answer: RegistryEntry,
      handler: ({ address }) =>
        registryAnswer(async () => {
          reads.take(address);
          throw vpError('REGISTRY_VERSION_FIXED', {});
        }),
    }),
  );
}

/** Writing routes of one family. */
export function registryWriteRoutes(parts: RegistryRouteParts, family: RegistryVersion): ServerRoute[] {
  const { registry, writes } = parts;
  const proof = openRoute({
    method: 'POST',
    path: `${family.root}/auth/dns`,
    operation: `proveDomain${family.suffix}`,
    summary: 'Prove a domain by a signature of a key in its TXT records; the answer is a token for publishing',
    body: closed(RegistryProof),
    bodyLimitBytes: 4_096,
    answer: RegistryToken,
    handler: ({ address, body }) =>
      registryAnswer(async () => {
        writes.take(address);
        return jsonAnswer(JSON.stringify(await registry.prove(body, address)));
      }),
  });
  return [proof, ...changeRoutes(parts, family), ...fixedRoutes(parts, family)];
}

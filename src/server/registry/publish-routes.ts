/** Publishing to the registry: domain proofs, versions and their statuses. */
import { Type } from '@sinclair/typebox';
import {
  RegistryDomainProof,
  RegistryEmptyQuery,
  RegistryEntry,
  RegistryToken,
  UpdateRegistryStatusRequest,
  UpdateRegistryStatusResponse,
} from '../../contract/registry/registry-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readBearerToken } from '../../http/bearer.ts';
import { closedSchema } from '../request-schemas.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import { type RegistryApiFamily, ServerPath, VersionPath } from './read-routes.ts';
import { createJsonTextResponse, respondToRegistry } from './registry-response.ts';

/** Larger documents are refused unread. */
const documentLimitBytes = 32_768;
const PublishedDocument = Type.Unknown({ description: 'server.json, by its schema of 2025-12-11' });

function createPublishRoutes({ root, suffix }: RegistryApiFamily): ServerRoute[] {
  const credential = 'a token of the registry';
  return [
    openRoute({
      method: 'POST',
      path: `${root}/publish`,
      credential,
      operation: `publishToRegistry${suffix}`,
      summary: 'Publish a version of an MCP server, with the token of a domain proof',
      query: RegistryEmptyQuery,
      body: PublishedDocument,
      bodyLimitBytes: documentLimitBytes,
      response: RegistryEntry,
      handler: ({ services, request, address, body }) =>
        respondToRegistry(async () => {
          services.registryWriteLimiter.take(address);
          return createJsonTextResponse(await services.registry.writer.publish(readBearerToken(request.headers), body));
        }),
    }),
    openRoute({
      method: 'PATCH',
      path: `${root}/servers/{name}/versions/{version}/status`,
      credential,
      operation: `setRegistryStatus${suffix}`,
      summary: 'Set the status of a version: active, deprecated or deleted',
      params: VersionPath,
      query: RegistryEmptyQuery,
      body: closedSchema(UpdateRegistryStatusRequest),
      response: RegistryEntry,
      handler: ({ services, request, address, params, body }) =>
        respondToRegistry(async () => {
          services.registryWriteLimiter.take(address);
          return createJsonTextResponse(
            await services.registry.writer.setStatus(readBearerToken(request.headers), params, body),
          );
        }),
    }),
    openRoute({
      method: 'PATCH',
      path: `${root}/servers/{name}/status`,
      credential,
      operation: `setRegistryStatusOfAll${suffix}`,
      summary: 'Set the status of all versions of a server, or of none',
      params: ServerPath,
      query: RegistryEmptyQuery,
      body: closedSchema(UpdateRegistryStatusRequest),
      response: UpdateRegistryStatusResponse,
      handler: ({ services, request, address, params: { name }, body }) =>
        respondToRegistry(async () => {
          services.registryWriteLimiter.take(address);
          return createJsonTextResponse(
            await services.registry.writer.setAllStatus(readBearerToken(request.headers), name, body),
          );
        }),
    }),
  ];
}

/** Optional operations of the API, which this registry does not support. */
function createRefusedRoutes({ root, suffix }: RegistryApiFamily): ServerRoute[] {
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
      response: RegistryEntry,
      handler: ({ services, address }) =>
        respondToRegistry(async () => {
          services.registryReadLimiter.take(address);
          throw vpError('REGISTRY_VERSION_FIXED', {});
        }),
    }),
  );
}

export function createRegistryWriteRoutes(family: RegistryApiFamily): ServerRoute[] {
  const proof = openRoute({
    method: 'POST',
    path: `${family.root}/auth/dns`,
    operation: `proveDomain${family.suffix}`,
    summary: 'Prove control of a domain by a signature of a key in its TXT records; returns a token for publishing',
    body: closedSchema(RegistryDomainProof),
    bodyLimitBytes: 4_096,
    response: RegistryToken,
    handler: ({ services, address, body }) =>
      respondToRegistry(async () => {
        services.registryWriteLimiter.take(address);
        return createJsonTextResponse(JSON.stringify(await services.registry.exchangeProof(body, address)));
      }),
  });
  return [proof, ...createPublishRoutes(family), ...createRefusedRoutes(family)];
}

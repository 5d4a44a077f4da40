/** The registry of MCP servers, identical under /v0 and /v0.1. Reading needs no credential. */
import { Type } from '@sinclair/typebox';
import {
  RegistryEntry,
  RegistryList,
  RegistryListQuery,
  SingleServerQuery,
} from '../../contract/registry/registry-api.ts';
import { parseTimestampMs } from '../request-schemas.ts';
import { openRoute, type ServerRoute } from '../route.ts';
import { createJsonTextResponse, respondToRegistry } from './registry-response.ts';

/** A version prefix of the API, and the suffix of its operation ids. */
export type RegistryApiFamily = { readonly root: '/v0' | '/v0.1'; readonly suffix: '' | 'V01' };

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Version = Type.String({ minLength: 1, maxLength: 255 });
/** `/servers/{name}` */
export const ServerPath = Type.Object({ name: Name });
/** `/servers/{name}/versions/{version}` */
export const VersionPath = Type.Object({ name: Name, version: Version });

export function createRegistryReadRoutes(family: RegistryApiFamily): ServerRoute[] {
  const { root, suffix } = family;
  return [
    openRoute({
      method: 'GET',
      path: `${root}/servers`,
      operation: `searchRegistry${suffix}`,
      summary: 'Published MCP servers, by name',
      query: RegistryListQuery,
      response: RegistryList,
      handler: ({ services, address, query: { updated_since, ...query } }) =>
        respondToRegistry(async () => {
          services.registryReadLimiter.take(address);
          const updatedSinceMs = parseTimestampMs('updated_since', updated_since);
          return createJsonTextResponse(await services.registry.reader.list({ ...query, updatedSinceMs }));
        }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/servers/{name}/versions`,
      operation: `listRegistryVersions${suffix}`,
      summary: 'All versions of a published MCP server, newest first',
      params: ServerPath,
      query: SingleServerQuery,
      response: RegistryList,
      handler: ({ services, address, params: { name }, query: { include_deleted = false } }) =>
        respondToRegistry(async () => {
          services.registryReadLimiter.take(address);
          return createJsonTextResponse(await services.registry.reader.versions(name, include_deleted));
        }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/servers/{name}/versions/{version}`,
      operation: `getRegistryVersion${suffix}`,
      summary: 'One version of a published MCP server; `latest` selects the latest',
      params: VersionPath,
      query: SingleServerQuery,
      response: RegistryEntry,
      handler: ({ services, address, params: { name, version }, query: { include_deleted = false } }) =>
        respondToRegistry(async () => {
          services.registryReadLimiter.take(address);
          return createJsonTextResponse(await services.registry.reader.version(name, version, include_deleted));
        }),
    }),
  ];
}

/** The registry of MCP servers, under /v0 and under /v0.1, which answer the same. Reading is open. */
import { Type } from '@sinclair/typebox';
import { RegistryEntry, RegistryList, RegistryQuery, RegistryServerQuery } from '../contract/registry-api.ts';
import type { Registry } from '../registry/registry.ts';
import { momentMs } from './parameters.ts';
import type { Rate } from './rate.ts';
import { jsonAnswer, registryAnswer } from './registry-answer.ts';
import { openRoute, type ServerRoute } from './route.ts';

/** What the routes are made of; the rates are by address. */
export type RegistryRouteParts = {
  readonly registry: Registry;
  readonly reads: Rate;
  readonly writes: Rate;
};

/** A family of the API's versions; operations of the second bear its name. */
export type RegistryVersion = { readonly root: '/v0' | '/v0.1'; readonly suffix: '' | 'V01' };

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Version = Type.String({ minLength: 1, maxLength: 255 });
/** `/servers/{name}` */
export const ServerPath = Type.Object({ name: Name });
/** `/servers/{name}/versions/{version}` */
export const VersionPath = Type.Object({ name: Name, version: Version });

/** Reading routes of one family. */
export function registryReadRoutes({ registry, reads }: RegistryRouteParts, family: RegistryVersion): ServerRoute[] {
  const { root, suffix } = family;
  const { reading } = registry;
  return [
    openRoute({
      method: 'GET',
      path: `${root}/servers`,
      operation: `searchRegistry${suffix}`,
      summary: 'Published MCP servers, by name',
      query: RegistryQuery,
      answer: RegistryList,
      handler: ({ address, query: { updated_since, ...query } }) =>
        registryAnswer(async () => {
          reads.take(address);
          const updatedSinceMs = momentMs('updated_since', updated_since);
          return jsonAnswer(await reading.list({ ...query, updatedSinceMs }));
        }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/servers/{name}/versions`,
      operation: `listRegistryVersions${suffix}`,
      summary: 'All versions of a published MCP server, newest first',
      params: ServerPath,
      query: RegistryServerQuery,
      answer: RegistryList,
      handler: ({ address, params: { name }, query: { include_deleted = false } }) =>
        registryAnswer(async () => {
          reads.take(address);
          return jsonAnswer(await reading.versions(name, include_deleted));
        }),
    }),
    openRoute({
      method: 'GET',
      path: `${root}/servers/{name}/versions/{version}`,
      operation: `getRegistryVersion${suffix}`,
      summary: 'One version of a published MCP server; `latest` stands for the latest',
      params: VersionPath,
      query: RegistryServerQuery,
      answer: RegistryEntry,
      handler: ({ address, params: { name, version }, query: { include_deleted = false } }) =>
        registryAnswer(async () => {
          reads.take(address);
          return jsonAnswer(await reading.version(name, version, include_deleted));
        }),
    }),
  ];
}

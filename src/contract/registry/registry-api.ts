/**
 * The registry of MCP servers, in the format of its official API (camelCase, unlike ours). The same routes exist under /v0
 * and /v0.1. Reading needs no credential.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Timestamp } from '../schemas.ts';

const Text = Type.Optional(Type.String());
const inputFields = {
  description: Text,
  isRequired: Type.Optional(Type.Boolean()),
  isSecret: Type.Optional(Type.Boolean()),
  format: Text,
  /** Fixed; people choose only the values of its `{variables}`. */
  value: Text,
  default: Text,
  placeholder: Text,
  choices: Type.Optional(Type.Array(Type.String())),
};
/** A value that people enter. */
export const RegistryInput = Type.Object(inputFields);
export type RegistryInput = Static<typeof RegistryInput>;
const Variables = Type.Optional(Type.Record(Type.String(), RegistryInput));
/** A header of a remote. */
export const RegistryHeader = Type.Object({ ...inputFields, name: Type.String(), variables: Variables });
export type RegistryHeader = Static<typeof RegistryHeader>;
/** Endpoint of a server; `{name}` in the URL is a variable whose value people enter. */
export const RegistryRemote = Type.Object({
  /** `streamable-http` or `sse`. */
  type: Type.String(),
  url: Type.String(),
  headers: Type.Optional(Type.Array(RegistryHeader)),
  variables: Variables,
});
export type RegistryRemote = Static<typeof RegistryRemote>;

/** The members of server.json that are read here; a registry returns everything that was published. */
export const RegistryServer = Type.Object({
  $schema: Text,
  /** `com.example/server`: the namespace is a domain, reversed. */
  name: Type.String(),
  title: Text,
  description: Type.String(),
  version: Type.String(),
  websiteUrl: Text,
  repository: Type.Optional(Type.Object({ url: Type.String(), source: Type.String() })),
  remotes: Type.Optional(Type.Array(RegistryRemote)),
  packages: Type.Optional(
    Type.Array(Type.Object({ registryType: Type.String(), identifier: Type.String(), version: Text })),
  ),
});
export type RegistryServer = Static<typeof RegistryServer>;

/** Statuses of a version. */
export const registryStatuses = ['active', 'deprecated', 'deleted'] as const;
export type RegistryStatus = (typeof registryStatuses)[number];
const Status = Type.Union(registryStatuses.map((status) => Type.Literal(status)));

/** The member of `_meta` that the registry itself writes. */
export const registryMetaName = 'io.modelcontextprotocol.registry/official';
/** GET /v0/servers/{name}/versions/{version | latest}: one version. */
export const RegistryEntry = Type.Object({
  server: RegistryServer,
  _meta: Type.Object({
    [registryMetaName]: Type.Object({
      status: Status,
      statusMessage: Text,
      publishedAt: Timestamp,
      updatedAt: Timestamp,
      isLatest: Type.Boolean(),
    }),
  }),
});
export type RegistryEntry = Static<typeof RegistryEntry>;
/** GET /v0/servers (by name), GET /v0/servers/{name}/versions (newest first). */
export const RegistryList = Type.Object({
  servers: Type.Array(RegistryEntry),
  metadata: Type.Object({ nextCursor: Text, count: Type.Integer() }),
});
export type RegistryList = Static<typeof RegistryList>;

/** Unknown parameters are ignored, like the official registry does: clients send parameters that only some registries support. */
const allowUnknownMembers = { additionalProperties: true } as const;
const queryFields = {
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, in any case' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`nextCursor` of the page before' })),
  version: Type.Optional(Type.String({ maxLength: 255, description: '`latest`, or one version' })),
  updated_since: Type.Optional(Timestamp),
  include_deleted: Type.Optional(Type.Boolean({ default: false })),
};
/** Query of GET /v0/servers. */
export const RegistryListQuery = Type.Object(queryFields, allowUnknownMembers);
export type RegistryListQuery = Static<typeof RegistryListQuery>;
/** Query of the reading routes about one server. */
export const SingleServerQuery = Type.Object({ include_deleted: queryFields.include_deleted }, allowUnknownMembers);
/** Query of routes that take none. */
export const RegistryEmptyQuery = Type.Object({}, allowUnknownMembers);

/** POST /v0/auth/dns: proof that the caller controls a domain. */
export const RegistryDomainProof = Type.Object({
  domain: Type.String({ minLength: 1, maxLength: 253 }),
  /** RFC 3339, within 15 s of now; each is accepted once. */
  timestamp: Type.String({ minLength: 1, maxLength: 64 }),
  /** Signature of the timestamp's text, in hexadecimal digits. */
  signed_timestamp: Type.String({ minLength: 1, maxLength: 400 }),
});
export type RegistryDomainProof = Static<typeof RegistryDomainProof>;
/** A bearer token for publishing, and its expiry in seconds since 1970. */
export const RegistryToken = Type.Object({ registry_token: Type.String(), expires_at: Type.Integer() });
export type RegistryToken = Static<typeof RegistryToken>;

/** PATCH /v0/servers/{name}/versions/{version}/status, and /v0/servers/{name}/status for all versions. */
export const UpdateRegistryStatusRequest = Type.Object({
  status: Status,
  statusMessage: Type.Optional(Type.String({ maxLength: 500 })),
});
export type UpdateRegistryStatusRequest = Static<typeof UpdateRegistryStatusRequest>;

export const UpdateRegistryStatusResponse = Type.Object({
  updatedCount: Type.Integer(),
  servers: Type.Array(RegistryEntry),
});

/**
 * The registry of MCP servers, in the words of its official API (camelCase, unlike ours). The same routes answer under /v0
 * and /v0.1. Reading needs no credential.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Moment } from './words.ts';

const Text = Type.Optional(Type.String());
const inputFields = {
  description: Text,
  isRequired: Type.Optional(Type.Boolean()),
  isSecret: Type.Optional(Type.Boolean()),
  format: Text,
  /** Fixed; people choose only what its `{variables}` stand for. */
  value: Text,
  default: Text,
  placeholder: Text,
  choices: Type.Optional(Type.Array(Type.String())),
};
/** What people are asked for. */
export const RegistryInput = Type.Object(inputFields);
/** See {@link RegistryInput}. */
export type RegistryInput = Static<typeof RegistryInput>;
const Variables = Type.Optional(Type.Record(Type.String(), RegistryInput));
/** A header that a remote needs. */
export const RegistryHeader = Type.Object({ ...inputFields, name: Type.String(), variables: Variables });
/** See {@link RegistryHeader}. */
export type RegistryHeader = Static<typeof RegistryHeader>;
/** Where a server is reached; `{name}` in the URL stands for what people give for a variable. */
export const RegistryRemote = Type.Object({
  /** `streamable-http` or `sse`. */
  type: Type.String(),
  url: Type.String(),
  headers: Type.Optional(Type.Array(RegistryHeader)),
  variables: Variables,
});
/** See {@link RegistryRemote}. */
export type RegistryRemote = Static<typeof RegistryRemote>;

/** The parts of server.json that are read here; a registry passes on all that was published. */
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
/** See {@link RegistryServer}. */
export type RegistryServer = Static<typeof RegistryServer>;

/** What may become of a version. */
export const registryStatuses = ['active', 'deprecated', 'deleted'] as const;
/** One of {@link registryStatuses}. */
export type RegistryStatus = (typeof registryStatuses)[number];
const Status = Type.Union(registryStatuses.map((status) => Type.Literal(status)));

/** The member of `_meta` with what the registry itself says. */
export const registryMetaName = 'io.modelcontextprotocol.registry/official';
/** GET /v0/servers/{name}/versions/{version | latest}: one version. */
export const RegistryEntry = Type.Object({
  server: RegistryServer,
  _meta: Type.Object({
    [registryMetaName]: Type.Object({
      status: Status,
      statusMessage: Text,
      publishedAt: Moment,
      updatedAt: Moment,
      isLatest: Type.Boolean(),
    }),
  }),
});
/** See {@link RegistryEntry}. */
export type RegistryEntry = Static<typeof RegistryEntry>;
/** GET /v0/servers (by name), GET /v0/servers/{name}/versions (newest first). */
export const RegistryList = Type.Object({
  servers: Type.Array(RegistryEntry),
  metadata: Type.Object({ nextCursor: Text, count: Type.Integer() }),
});
/** See {@link RegistryList}. */
export type RegistryList = Static<typeof RegistryList>;

/** What others send besides is ignored, as the official registry does: clients name what only some registries know. */
const ignoring = { additionalProperties: true } as const;
const queryFields = {
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, in any case' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`nextCursor` of the page before' })),
  version: Type.Optional(Type.String({ maxLength: 255, description: '`latest`, or one version' })),
  updated_since: Type.Optional(Moment),
  include_deleted: Type.Optional(Type.Boolean({ default: false })),
};
/** Query of GET /v0/servers. */
export const RegistryQuery = Type.Object(queryFields, ignoring);
/** See {@link RegistryQuery}. */
export type RegistryQuery = Static<typeof RegistryQuery>;
/** Query of the reading routes about one server. */
export const RegistryServerQuery = Type.Object({ include_deleted: queryFields.include_deleted }, ignoring);
/** Query of routes that take none. */
export const RegistryNoQuery = Type.Object({}, ignoring);

/** POST /v0/auth/dns: the proof that a domain is the caller's. */
export const RegistryProof = Type.Object({
  domain: Type.String({ minLength: 1, maxLength: 253 }),
  /** RFC 3339, within 15 s of now; each is taken once. */
  timestamp: Type.String({ minLength: 1, maxLength: 64 }),
  /** Of the text of the timestamp, in hexadecimal digits. */
  signed_timestamp: Type.String({ minLength: 1, maxLength: 400 }),
});
/** See {@link RegistryProof}. */
export type RegistryProof = Static<typeof RegistryProof>;
/** The answer: a bearer token for publishing, and when it ends, in seconds since 1970. */
export const RegistryToken = Type.Object({ registry_token: Type.String(), expires_at: Type.Integer() });
/** See {@link RegistryToken}. */
export type RegistryToken = Static<typeof RegistryToken>;

/** PATCH /v0/servers/{name}/versions/{version}/status, and /v0/servers/{name}/status for all versions. */
export const RegistryStatusChange = Type.Object({
  status: Status,
  statusMessage: Type.Optional(Type.String({ maxLength: 500 })),
});
/** See {@link RegistryStatusChange}. */
export type RegistryStatusChange = Static<typeof RegistryStatusChange>;
/** The answer for all versions. */
export const RegistryStatusChanged = Type.Object({
  updatedCount: Type.Integer(),
  servers: Type.Array(RegistryEntry),
});

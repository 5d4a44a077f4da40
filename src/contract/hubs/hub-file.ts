/** A hub as a file: `vp hubs export`, `diff` and `apply`. It has no secrets; `value` and `client_secret` say where one is read from. */
import { type Static, Type } from '@sinclair/typebox';
import { hubRoleNames, toolListModes } from './hubs-api.ts';
import { HubPolicyDocument } from './policy-api.ts';

const closed = { additionalProperties: false } as const;

/** The path at which every control plane publishes the schema. */
export const hubFileSchemaPath = '/schemas/hub-file.json';

const SecretReference = Type.String({
  // No path and no argument has NUL.
  pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:[^\\x00\\r\\n]+|command:[^\\x00\\r\\n]+)$',
  maxLength: 1000,
  title: 'a reference to a secret: `env:NAME`, `file:path` or `command:program argument`',
  description:
    'Where the secret is read when the file is applied, on the machine of the command: an environment variable, a file of mode 0600 relative to this one, or the output of a command (with --allow-commands). Without it, a secret that the hub has is unchanged.',
});

const HubFileCredential = Type.Union([
  Type.Object({ kind: Type.Literal('none') }, closed),
  Type.Object(
    {
      kind: Type.Literal('header'),
      header: Type.String({ minLength: 1, maxLength: 100, description: 'Such as Authorization or X-Api-Key.' }),
      value: Type.Optional(SecretReference),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('oauth'),
      sharing: Type.Union([Type.Literal('shared'), Type.Literal('per_user')]),
      client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
      client_secret: Type.Optional(SecretReference),
      scope: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    },
    closed,
  ),
]);
export type HubFileCredential = Static<typeof HubFileCredential>;

const HubFileConnection = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 24,
      title: 'at most 24 lowercase letters and digits with single hyphens between them',
      description: 'Prefix of its tools.',
    }),
    kind: Type.Union([Type.Literal('http'), Type.Literal('sse'), Type.Literal('stdio'), Type.Literal('memory')]),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'With `http` and `sse`.' })),
    command: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'With `stdio`: a name in the operator’s file.' }),
    ),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    credential: Type.Optional(HubFileCredential),
    protocol: Type.Optional(
      Type.Union([Type.Literal('auto'), Type.Literal('newest'), Type.Literal('older')], { default: 'auto' }),
    ),
  },
  closed,
);
export type HubFileConnection = Static<typeof HubFileConnection>;

const HubFileMember = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 300, description: 'Of a person with an account.' }),
    role: Type.Union(hubRoleNames.map((role) => Type.Literal(role))),
  },
  closed,
);
export type HubFileMember = Static<typeof HubFileMember>;

/** Sections that are omitted are not changed. */
export const HubFile = Type.Object(
  {
    version: Type.Literal(1),
    revision: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The revision that was exported: a hub that has changed since is not overwritten.',
      }),
    ),
    hub: Type.Object(
      {
        slug: Type.String({
          pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
          minLength: 2,
          maxLength: 40,
          title: '2 to 40 lowercase letters and digits with single hyphens between them',
        }),
        name: Type.Optional(
          Type.String({
            pattern: '^\\S(.*\\S)?$',
            maxLength: 100,
            title: 'a name without spaces around it',
          }),
        ),
        tool_list: Type.Optional(Type.Union(toolListModes.map((mode) => Type.Literal(mode)))),
      },
      closed,
    ),
    members: Type.Optional(Type.Array(HubFileMember, { maxItems: 1000 })),
    connections: Type.Optional(Type.Array(HubFileConnection, { maxItems: 200 })),
    policy: Type.Optional(HubPolicyDocument),
  },
  {
    ...closed,
    title: 'A vp hub',
    description:
      'Settings, members, connections and policy of a hub, without secrets. Sections that are omitted are not changed.',
  },
);
export type HubFile = Static<typeof HubFile>;

/** Hubs as the control plane may have them, for properties. */
import fc from 'fast-check';
import type { HubState } from '../../../src/commands/hubs/as-code/hub-state.ts';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import type { HubPolicyDocument } from '../../../src/contract/hubs/policy-api.ts';

const createdAt = '2026-11-01T00:00:00.000Z';
const slug = fc.stringMatching(/^[a-z0-9]{1,6}(-[a-z0-9]{1,5}){0,2}$/);
/** YAML must quote many of these. */
const awkwardText = fc.oneof(
  fc.constantFrom(
    'yes',
    'no',
    'null',
    '~',
    '1.0',
    '0x1f',
    '- a',
    'a: b',
    '# c',
    '"q"',
    "it's",
    '*x',
    '&x',
    '!t',
    '%',
    '@',
    '2026-11-01',
    '{a}',
    '[b]',
    '|',
    '>',
    'ü–€',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const displayName = awkwardText.map((text) => text.replaceAll(/[\p{C}\p{Z}]/gu, '_'));
const optional = <T>(name: string, arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined }).map((value) => (value === undefined ? {} : { [name]: value }));

const credential: fc.Arbitrary<HubConnection['credential']> = fc.oneof(
  fc.constant({ kind: 'none' as const }),
  fc.record({ kind: fc.constant('header' as const), header: fc.constantFrom('Authorization', 'X-Api-Key') }),
  fc.record({
    kind: fc.constant('oauth' as const),
    sharing: fc.constantFrom('shared' as const, 'per_user' as const),
    client_id: fc.option(displayName),
    has_client_secret: fc.constant(false),
    scope: fc.option(fc.constantFrom('read', 'tools.read tools.write')),
  }),
);

/** `fc.webUrl` computes for 2 s what its strings could be before it makes the first. */
const urlCharacters = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@");
const urlText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...urlCharacters) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map(encodeURIComponent) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const httpUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(urlText, { maxLength: 4 }), fc.option(urlText))
  .map(([scheme, authority, segments, query]) => {
    const path = segments.map((segment) => `/${segment}`).join('');
    return new URL(`${scheme}://${authority}${path}${query === null ? '' : `?${query}`}`).href;
  });

const server = fc.oneof(
  fc.record({
    kind: fc.constantFrom('http' as const, 'sse' as const),
    url: httpUrl,
    command: fc.constant(null),
    credential,
  }),
  fc.record({
    kind: fc.constant('stdio' as const),
    url: fc.constant(null),
    command: fc.constantFrom('handbook', 'yes', '1.0'),
    credential: fc.constant({ kind: 'none' as const }),
  }),
);

const connection: fc.Arbitrary<HubConnection> = fc
  .tuple(slug, server, fc.boolean(), fc.constantFrom('auto' as const, 'newest' as const, 'older' as const))
  .map(([name, { kind, url, command, credential }, enabled, chosenProtocol]) => ({
    connection_id: `id-${name}`,
    name,
    kind,
    url,
    command,
    credential,
    protocol: kind === 'sse' && chosenProtocol === 'newest' ? 'older' : chosenProtocol,
    enabled,
    state: 'untried',
    last_error: null,
    warning: null,
    sign_in: null,
    last_tried_at: null,
    revision: 1,
    created_at: createdAt,
    created_by: 'Ana',
  }));

const patterns = fc.array(
  fc.oneof(
    slug.map((name) => `${name}__*`),
    fc.constant('*delete*'),
    slug.map((name) => `${name}__file:///x y/*`),
  ),
  { maxLength: 3 },
);
const role = fc
  .tuple(optional('allow', patterns), optional('deny', patterns), optional('read_only', fc.boolean()))
  .map((parts): object => Object.assign({}, ...parts));

/** Of what a policy may contain; JSON schemas in it are any JSON. */
export const arbitraryPolicy: fc.Arbitrary<HubPolicyDocument> = fc
  .tuple(
    optional('roles', fc.record({ owner: role, viewer: role })),
    optional('new_tools', fc.constantFrom('hold', 'offer')),
    optional('bounds', fc.record({ timeout_s: fc.integer({ min: 1, max: 3600 }) })),
    optional(
      'limits',
      fc.array(
        fc.record({
          per: fc.constantFrom('token', 'person', 'tool'),
          calls_a_minute: fc.integer({ min: 1, max: 100_000 }),
        }),
        { maxLength: 3 },
      ),
    ),
    optional(
      'arguments',
      fc.array(
        fc.record({
          tools: fc.constant('*'),
          schema: fc.record({
            properties: fc.dictionary(slug, fc.record({ const: awkwardText, maxLength: fc.nat(99) })),
          }),
          message: displayName,
        }),
        { maxLength: 2 },
      ),
    ),
    optional('audit', fc.record({ lists: fc.boolean(), hide_fields: fc.array(displayName, { maxLength: 3 }) })),
  )
  .map((parts): HubPolicyDocument => Object.assign({}, ...parts));

const member = fc
  .tuple(slug, fc.constantFrom('owner' as const, 'member' as const, 'viewer' as const))
  .map(([name, role]) => ({
    person_id: `p-${name}`,
    name,
    email: `${name}@example.com`,
    role,
    added_at: createdAt,
  }));
const ana = { person_id: 'p0', name: 'Ana', email: 'ana@example.com', role: 'owner' as const, added_at: createdAt };

export const arbitraryHubState: fc.Arbitrary<HubState> = fc
  .record({
    slug: fc.constant('acme'),
    name: displayName,
    toolList: fc.constantFrom('all' as const, 'search' as const),
    members: fc.uniqueArray(member, { selector: ({ email }) => email, maxLength: 4 }),
    connections: fc.uniqueArray(connection, { selector: ({ name }) => name, maxLength: 4 }),
    policy: arbitraryPolicy,
  })
  .map(({ slug, name, toolList, members, connections, policy }) => ({
    hub: {
      hub_id: 'h1',
      slug,
      name,
      role: 'owner' as const,
      members: members.length + 1,
      connections: connections.length,
      tool_list: toolList,
      created_at: createdAt,
      created_by: 'Ana',
      revision: 'r1',
    },
    members: [ana, ...members.filter(({ email }) => email !== ana.email)],
    connections,
    policy: { revision: 1, document: policy, changed_at: createdAt, changed_by: 'Ana' },
  }))
  .map((state: HubState): HubState => JSON.parse(JSON.stringify(state)));

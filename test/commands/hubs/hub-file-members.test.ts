/** The file of a hub has every member that the API lets owners write; a new one is added to it, or listed here with the reason. */
import type { TObject, TSchema } from '@sinclair/typebox';
import t from 'tap';
import { stringify } from 'yaml';
import { HubFile, type HubFileConnection } from '../../../src/contract/hubs/hub-file.ts';
import {
  CreateHubConnectionRequest,
  CreateHubRequest,
  CreateHubTokenRequest,
  SetHubMemberRequest,
  UpdateHubConnectionRequest,
  UpdateHubRequest,
  UpdateHubTokenRequest,
} from '../../../src/contract/hubs/hubs-api.ts';
import { UpdateHubPolicyRequest } from '../../../src/contract/hubs/policy-api.ts';
import { startSignedIn } from './signed-in-workspace.ts';

const file = HubFile.properties;
const fileConnection = file.connections.items;

type Comparison = {
  readonly section: string;
  readonly inFile: TObject | undefined;
  readonly requests: readonly TObject[];
  /** Members that the file does not have, and why. */
  readonly reasons?: Readonly<Record<string, string>>;
};

const comparisons: readonly Comparison[] = [
  {
    section: 'hub',
    inFile: file.hub,
    requests: [CreateHubRequest, UpdateHubRequest],
    reasons: { if_settings: 'it is part of `revision`' },
  },
  {
    section: 'member',
    inFile: file.members.items,
    requests: [SetHubMemberRequest],
    reasons: { if_role: 'it is part of `revision`' },
  },
  {
    section: 'connection',
    inFile: fileConnection,
    requests: [CreateHubConnectionRequest, UpdateHubConnectionRequest],
    reasons: { if_revision: 'it is read before each change' },
  },
  {
    section: 'policy',
    inFile: HubFile,
    requests: [UpdateHubPolicyRequest],
    reasons: {
      document: 'it is the section `policy`',
      if_revision: 'it is part of `revision`',
      accept_unknown_tools: 'it is the flag --accept-unknown-names of one apply',
      accept_unknown_callers: 'it is the flag --accept-unknown-names of one apply',
    },
  },
  {
    section: 'token',
    inFile: undefined,
    requests: [CreateHubTokenRequest, UpdateHubTokenRequest],
    reasons: {
      name: 'tokens belong to people',
      expiry: 'tokens belong to people',
      tool_list: 'tokens belong to people',
    },
  },
];

t.test('every member that the API lets owners write is in the file, with the same values', async (t) => {
  for (const { section, inFile, requests, reasons = {} } of comparisons) {
    const written = new Map(requests.flatMap(({ properties }) => Object.entries(properties)));
    const missing = [...written.keys()].filter((name) => !inFile?.properties[name] && !reasons[name]);
    t.same(missing, [], section);
    t.same(
      Object.keys(reasons).filter((name) => !written.has(name)),
      [],
      `${section}: reasons without a member`,
    );
    for (const [name, schema] of written) {
      const own = inFile?.properties[name];
      if (own && name !== 'credential') t.same(listChoices(own), listChoices(schema), `${section}.${name}`);
    }
  }
  t.equal(JSON.stringify(file.policy), JSON.stringify(UpdateHubPolicyRequest.properties.document));
});

t.test('every kind of credential is in the file with its members', async (t) => {
  t.same(
    listBranches(fileConnection.properties.credential),
    listBranches(CreateHubConnectionRequest.properties.credential),
  );
});

/** The values of a union of texts. */
function listChoices({ anyOf = [] }: TSchema): unknown[] {
  return anyOf.map((choice: TSchema) => choice.const);
}

function listBranches({ anyOf = [] }: TSchema): unknown[] {
  return anyOf.map(({ properties }: TSchema) => [
    properties.kind.const,
    Object.keys(properties),
    listChoices(properties.sharing ?? {}),
  ]);
}

type Variants = Readonly<
  Record<Exclude<keyof HubFileConnection, 'name' | 'kind' | 'command'>, readonly [unknown, unknown]>
>;

/** Two values of each member that can change. */
const variants: Variants = {
  url: ['https://tools.example.com/one', 'https://tools.example.com/two'],
  enabled: [true, false],
  credential: [
    { kind: 'oauth', sharing: 'shared' },
    { kind: 'oauth', sharing: 'per_user', client_id: 'vp' },
  ],
  protocol: ['newest', 'older'],
};

t.test('a member that differs is in the diff, the revision and the next export', async (t) => {
  const { vp, json, createHub, testWorkspace } = await startSignedIn(t);
  await createHub();
  t.same(Object.keys(fileConnection.properties).sort(), [...Object.keys(variants), 'command', 'kind', 'name'].sort());
  const revisions = new Set<string>();
  const apply = async (connection: object) => {
    testWorkspace.write('hub.yaml', stringify({ version: 1, hub: { slug: 'acme' }, connections: [connection] }));
    const changes = (await json('hubs', 'diff', 'hub.yaml')).changes.length;
    const applied = await vp(['hubs', 'apply', 'hub.yaml']);
    t.match(applied, { code: 0 }, applied.stdout + applied.stderr);
    const { file: exported } = await json('hubs', 'export', 'acme');
    revisions.add(exported.revision);
    return { changes, connection: exported.connections[0] };
  };
  const base = { name: 'docs', kind: 'http', url: variants.url[0] };
  for (const [name, [first, second]] of Object.entries(variants)) {
    await apply({ ...base, [name]: first });
    const before = revisions.size;
    const changed = await apply({ ...base, [name]: second });
    t.equal(changed.changes, 1, name);
    t.same(changed.connection, { ...base, [name]: second }, name);
    t.equal(revisions.size, before + 1, `${name}: the revision covers it`);
    t.equal((await apply({ ...base, [name]: second })).changes, 0, name);
  }
});

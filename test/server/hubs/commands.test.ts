/** The operator's commands over the API: who may read which members. */
import t from 'tap';
import { toHubSettings } from '../../../src/commands/serve/hub-flags.ts';
import type { OperatorCommands } from '../../../src/hub/upstream/commands/operator-commands.ts';
import { createHubPeople, putMember, readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';

const path = '/api/v1/hubs/acme/commands';
const file = '/etc/vp/commands.json';
const secret = 'a-very-secret-value-4711';
const variables = { API_KEY: secret };
const commands: OperatorCommands = new Map([
  ['git', { image: 'mcp/git:1', description: 'Reads our repositories.', command: [`--key=${secret}`], variables }],
  ['files', { image: 'mcp/files:1', command: [], network: 'bridge' }],
  ['raw', { command: ['npx', secret], variables }],
]);

function settings(unsafeStdio: boolean) {
  return toHubSettings({ allowPrivate: false, extraRoots: [], commands, commandsFile: file, unsafeStdio });
}

t.test('owners of a hub read the operator’s commands without their secrets', async (t) => {
  const { ana, max, eve, ids } = await createHubPeople(t, { hubSettings: settings(false) });
  const answer = await ana.ask('GET', path);
  const text = await answer.text();
  t.same(JSON.parse(text), {
    items: [
      {
        name: 'files',
        description: null,
        image: 'mcp/files:1',
        program: null,
        runs: 'container',
        reaches_network: true,
      },
      {
        name: 'git',
        description: 'Reads our repositories.',
        image: 'mcp/git:1',
        program: null,
        runs: 'container',
        reaches_network: false,
      },
      { name: 'raw', description: null, image: null, program: 'npx', runs: 'refused', reaches_network: true },
    ],
    file,
    may_connect: true,
  });
  t.notMatch(text, new RegExp(`${secret}|API_KEY`));
  t.equal(await readRefusal(max.ask('GET', path)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await readRefusal(eve.ask('GET', path)), '404 HUB_UNKNOWN');
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const locations = { image: null, program: null };
  t.same(
    await readJson(max.ask('GET', path)),
    {
      items: [
        { name: 'files', description: null, ...locations, runs: 'container', reaches_network: true },
        {
          name: 'git',
          description: 'Reads our repositories.',
          ...locations,
          runs: 'container',
          reaches_network: false,
        },
        { name: 'raw', description: null, ...locations, runs: 'refused', reaches_network: true },
      ],
      file: null,
      may_connect: false,
    },
    'what is where on the machine, and where images come from, its operators know',
  );
});

t.test('unconfined commands are marked; without a file there are none', async (t) => {
  const open = await createHubPeople(t, { hubSettings: settings(true) });
  const { items } = await readJson<{ items: unknown[] }>(open.ana.ask('GET', path));
  t.match(items, [{ runs: 'container' }, { runs: 'container' }, { name: 'raw', runs: 'unconfined' }]);
  const plain = await createHubPeople(t);
  t.same(await readJson(plain.ana.ask('GET', path)), { items: [], file: null, may_connect: true });
});

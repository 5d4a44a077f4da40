import t from 'tap';
import { describeCommand } from '../../../../src/console/hub/connections/command-description.ts';
import type { HubCommand } from '../../../../src/contract/hubs/hubs-api.ts';

const boxed: HubCommand = {
  name: 'boxed',
  description: null,
  image: 'example/boxed:1',
  program: null,
  runs: 'container',
  reaches_network: false,
};

t.test('a description names the image and the isolation, or only the isolation', async (t) => {
  t.equal(describeCommand(boxed), 'image example/boxed:1, in a container without a network');
  t.equal(describeCommand({ ...boxed, image: null }), 'runs in a container without a network');
  t.equal(
    describeCommand({ ...boxed, image: null, runs: 'unconfined' }),
    'runs as the user of the control plane, unconfined',
  );
  t.match(describeCommand({ ...boxed, image: null, runs: 'refused' }), /^cannot run: it has no image/);
});

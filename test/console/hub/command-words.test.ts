/** What people read of the operator's commands. */
import t from 'tap';
import { commandFacts } from '../../../src/console/hub/command-words.ts';
import type { HubCommand } from '../../../src/contract/hub-api.ts';

const boxed: HubCommand = {
  name: 'boxed',
  description: null,
  image: 'example/boxed:1',
  program: null,
  runs: 'container',
  reaches_network: false,
};

t.test('what runs is told with how it is confined, and where only that is told it is a sentence too', async (t) => {
  t.equal(commandFacts(boxed), 'image example/boxed:1, in a container without a network');
  t.equal(commandFacts({ ...boxed, image: null }), 'runs in a container without a network');
  t.equal(
    commandFacts({ ...boxed, image: null, runs: 'unconfined' }),
    'runs as the user of the control plane, unconfined',
  );
  t.match(commandFacts({ ...boxed, image: null, runs: 'refused' }), /^cannot run: it names no image/);
});

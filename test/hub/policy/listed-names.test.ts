/** Which names the last lists of connections had, with more connections than are cached. */
import t from 'tap';
import { DefinitionPins, type DefinitionPinsDependencies } from '../../../src/hub/policy/definition-pins.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createTestConnection } from '../fixtures/test-connection.ts';

/** Of a database without rows. */
const dependencies: DefinitionPinsDependencies = {
  database: { read: (async () => []) as never, write: (async () => undefined) as never },
  clock: fakeClock(),
  connectionRepository: { listEnabled: async () => [] },
  policies: { getCompiled: () => Promise.reject(new Error('no definition is pinned')) },
};

t.test(
  'a repeated list of a known connection forgets no other, and one list too many forgets the earlier',
  async (t) => {
    const pins = new DefinitionPins(dependencies, 'tool');
    const connections = Array.from({ length: 2001 }, (_, number) => createTestConnection(`c${number}`));
    const record = (number: number) => pins.record(connections[number] ?? createTestConnection('none'), []);
    const isRecorded = (number: number): boolean => pins.isListed(`id-of-c${number}`, 'echo') === false;
    for (let number = 0; number < 2000; number += 1) await record(number);
    await record(0);
    t.same([0, 1, 1999].map(isRecorded), [true, true, true]);
    await record(2000);
    t.same([0, 1999, 2000].map(isRecorded), [false, false, true]);
  },
);

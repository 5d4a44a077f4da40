import t from 'tap';
import { heardGreeting } from '../../src/assemble/greeting.ts';
import type { ControlPort, Hello, Welcome } from '../../src/contract/executor-api.ts';

const unused = () => Promise.reject(new TypeError('not called'));
const welcome: Welcome = { instance: 'shop', epoch: 1, lease_ms: 1, heartbeat_ms: 1, control_plane_version: '0.4.0' };
const message: Hello = {
  protocol: 1,
  executor_version: '0.4.0',
  store_id: 'a',
  started: [],
  finished: [],
  target: 'http://a',
  scenario_variables: [],
};

function portOf(...answers: readonly (Welcome | Error)[]): ControlPort {
  const left = [...answers];
  const hello = async (): Promise<Welcome> => {
    const answer = left.shift();
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  return { hello, poll: unused, heartbeat: unused, complete: unused, giveBack: unused, directRun: unused };
}

t.test('the first welcome is heard, and the executor has it too', async (t) => {
  const { port, welcomed } = heardGreeting(portOf(welcome, { ...welcome, epoch: 2 }));
  t.same(await port.hello(message), welcome);
  await port.hello(message);
  t.same(await welcomed, welcome);
});

t.test('the welcome behind troubles is heard, and the executor has those', async (t) => {
  const { port, welcomed } = heardGreeting(portOf(new Error('one'), new Error('two'), welcome));
  await t.rejects(port.hello(message), /one/);
  await t.rejects(port.hello(message), /two/);
  await port.hello(message);
  t.same(await welcomed, welcome);
});

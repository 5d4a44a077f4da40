import t from 'tap';
import type { ControlPort, HelloRequest, HelloResponse } from '../../../src/contract/executor-api.ts';
import { observeHello } from '../../../src/executor/control-plane/observed-control.ts';

const unused = () => Promise.reject(new TypeError('not called'));
const welcome: HelloResponse = {
  instance: 'shop',
  epoch: 1,
  lease_ms: 1,
  heartbeat_ms: 1,
  control_plane_version: '0.4.0',
};
const message: HelloRequest = {
  protocol: 1,
  executor_version: '0.4.0',
  store_id: 'a',
  started: [],
  finished: [],
  target: 'http://a',
  scenario_variables: [],
};

function createPort(...answers: readonly (HelloResponse | Error)[]): ControlPort {
  const left = [...answers];
  const hello = async (): Promise<HelloResponse> => {
    const answer = left.shift();
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  return {
    challenge: unused,
    hello,
    poll: unused,
    heartbeat: unused,
    complete: unused,
    giveBack: unused,
    directRun: unused,
  };
}

t.test('the first hello response is observed, and the executor gets it too', async (t) => {
  const { port, helloResponse } = observeHello(createPort(welcome, { ...welcome, epoch: 2 }));
  t.same(await port.hello(message), welcome);
  await port.hello(message);
  t.same(await helloResponse, welcome);
});

t.test('a hello response after errors is observed, and the executor gets the errors', async (t) => {
  const { port, helloResponse } = observeHello(createPort(new Error('one'), new Error('two'), welcome));
  await t.rejects(port.hello(message), /one/);
  await t.rejects(port.hello(message), /two/);
  await port.hello(message);
  t.same(await helloResponse, welcome);
});

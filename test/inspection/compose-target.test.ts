/** The port inside a container, from what the engine prints about its published ports. */
import t from 'tap';
import { findComposeTarget, findContainerPort } from '../../src/inspection/compose-target.ts';

t.test('the inner port is that of the published one', async (t) => {
  const ports = '0.0.0.0:3200->3100/tcp, [::]:3200->3100/tcp, 127.0.0.1:9000->90/tcp, 5432/tcp';
  t.equal(findContainerPort(ports, '3200'), '3100');
  t.equal(findContainerPort(ports, '9000'), '90');
  t.equal(findContainerPort(ports, '5432'), undefined);
  t.equal(findContainerPort('', '80'), undefined);
});

t.test('without an engine, and for another machine, there is none', async (t) => {
  const environment = { variables: { PATH: '/nowhere' }, platform: 'linux' } as const;
  t.equal(await findComposeTarget('http://127.0.0.1:3200', environment), undefined);
  t.equal(await findComposeTarget('https://app.example', environment), undefined);
});

/** Tools of the hub itself count under the limits of its policy. */
import t from 'tap';
import { startApprovalHub } from '../approvals/approval-hub.ts';

t.test('searches are limited like calls', async (t) => {
  const { ana, maxToken, post, setPolicy, recorded } = await startApprovalHub(t);
  await ana.ask('PUT', '/api/v1/hubs/acme', { tool_list: 'search' });
  await setPolicy({ limits: [{ per: 'token', calls_a_minute: 3 }] });
  const call = async (name: string, args: string): Promise<string> =>
    (
      await post(
        maxToken.token,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
      )
    ).text();
  t.match(await call('find_tools', '{"query":"echo"}'), /good__echo/);
  t.match(await call('describe_tool', '{"name":"good__echo"}'), /inputSchema/);
  t.match(await call('good__echo', '{"text":"hello"}'), /hello/);
  t.match(await call('find_tools', '{"query":"echo"}'), /more than 3 calls a minute with this token/);
  t.match(await call('good__echo', '{"text":"hello"}'), /more than 3 calls a minute/);
  t.match((await recorded()).at(-2), { tool: 'find_tools', outcome: 'denied', reason: /more than 3 calls/ });
});

t.test('a search that has ended frees its turn', async (t) => {
  const { ana, maxToken, post, setPolicy } = await startApprovalHub(t);
  await ana.ask('PUT', '/api/v1/hubs/acme', { tool_list: 'search' });
  await setPolicy({ limits: [{ per: 'person', at_once: 1 }] });
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_tools","arguments":{"query":"echo"}}}';
  for (let index = 0; index < 3; index += 1) t.match(await (await post(maxToken.token, text)).text(), /good__echo/);
});

/** `vp usage`: as a table, as CSV and as JSON. */
import t from 'tap';
import { api, startApprovalHub } from '../../hub/approvals/approval-hub.ts';
import { readJson, readRefusal } from '../../hub/fixtures/hub-people.ts';
import { startHubCommands } from '../hub-commands.ts';

t.test('calls are counted for owners, and their own for others', async (t) => {
  const hub = await startApprovalHub(t, { tools: 'nothing' });
  const vp = await startHubCommands(t, hub);
  t.match(await vp('usage', 'acme'), { code: 0, stdout: /^0 calls from / });
  await hub.call();
  t.match(await vp('usage', 'acme'), { stdout: /\n1 call from .*: 0 errors, 0 denied/ });
  for (let index = 0; index < 2; index += 1) await hub.call();
  await hub.call('{"text":"x"}', hub.anaToken.token);
  t.match(await vp('usage', 'acme'), { code: 0, stdout: /good__echo +4 +0 +0 .*\n4 calls from .* about \d+ tokens/ });
  t.match(await vp('usage', 'acme', '--csv', '--json'), { code: 2, stdout: /FLAG_CONTRADICTED/ });
  t.match(await vp('usage', 'acme', '--by', 'person', '--csv'), { stdout: /^id,name,calls,.*\r\n[^,]+,Max,3,0,0,0,/ });
  const { stdout } = await vp('usage', 'acme', '--by', 'day', '--since', '1h', '--json');
  t.match(JSON.parse(stdout), { usage: { by: 'day', is_partial: false, total: { calls: 4 }, items: [{ calls: 4 }] } });
  t.match(await vp('usage', 'acme', '--by', 'weather'), { code: 2, stderr: /FLAG_INVALID/ });
  const own = await readJson(hub.max.ask('GET', `${api}/usage?by=person`));
  t.match(own, { total: { calls: 3 }, items: [{ name: 'Max' }] });
  t.equal(await readRefusal(hub.eve.ask('GET', `${api}/usage`)), '404 HUB_UNKNOWN');
});

/** `vp audit …` on a real control plane: what an agent called is found, exported and proved. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { writeCredential } from '../../src/commands/credentials.ts';
import { authorization, codeFor, firstOwner, oauthPlane, redeem } from '../server/oauth-plane.ts';
import { workspace } from './workspace.ts';

/** The hub `acme` of Ana, whose terminal is signed in, and an agent that called three tools that are not there. */
async function called(t: Test) {
  const here = workspace(t, 'http://127.0.0.1:9');
  const folder = join(here.folder, 'plane');
  const plane = await oauthPlane(t, { folder });
  const asked = authorization(plane);
  const { body: tokens } = await redeem(plane, await codeFor(await firstOwner(plane), asked.url), asked);
  writeCredential(here.paths, plane.url, tokens.access_token ?? '');
  const vp = (args: readonly string[]) => here.vp(args, { variables: { VP_CONTROL_PLANE: plane.url } });
  await vp(['hubs', 'create', 'acme']);
  const { stdout } = await vp(['tokens', 'create', 'ci', '--hub', 'acme']);
  const token = /vph_\w+/.exec(stdout)?.[0] ?? '';
  for (let at = 1; at <= 3; at += 1) {
    const params = { name: `tickets__tool_${at}`, arguments: { password: 'hunter2hunter2', at } };
    await fetch(`${plane.url}/agent/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: at, method: 'tools/call', params }),
    }).then((response) => response.text());
  }
  return { vp, folder, file: join(folder, 'audit.db') };
}

t.test('calls are searched and exported over the API', async (t) => {
  const { vp } = await called(t);
  const searched = await vp(['audit', 'search', 'acme', '--since', '1h']);
  t.equal(searched.code, 0, searched.stderr);
  t.match(searched.stdout, /^TIME +PERSON/);
  t.equal(searched.stdout.trimEnd().split('\n').length, 4);
  const { calls, looked_until: until } = JSON.parse(
    (await vp(['audit', 'search', 'acme', '--limit', '2', '--json'])).stdout,
  );
  t.equal(until, calls[1].at);
  const further = await vp(['audit', 'search', 'acme', '--limit', '2']);
  t.match(further.stderr, `older calls were not looked at; go on with --until ${until}\n`);
  t.equal(searched.stderr, '', 'all were');
  t.match(calls, [
    { hub: 'acme', person: 'Ana', via: 'token', via_name: 'ci' },
    { hub: 'acme', person: 'Ana' },
  ]);
  t.equal(calls.length, 2);
  t.match(await vp(['audit', 'search', 'acme', '--outcome', 'ok']), { code: 0, stdout: 'no such calls\n' });
  const lines = (await vp(['audit', 'export', 'acme'])).stdout.trimEnd().split('\n');
  t.equal(lines.length, 3);
  t.match(JSON.parse(lines[0] ?? ''), { seq: 1, hub: 'acme' });
  const csv = await vp(['audit', 'export', 'acme', '--format', 'csv', '--since', '1h']);
  t.match(csv.stdout, /^hub_id,hub,seq,/);
  t.notMatch(`${lines}${csv.stdout}`, 'hunter2');
  t.match(await vp(['audit', 'search', 'nobodys']), { code: 2, stderr: /HUB_UNKNOWN/ });
});

t.test('the audit is verified on its files while it is in use, and a removed row shows', async (t) => {
  const { vp, folder, file } = await called(t);
  const sound = await vp(['audit', 'verify', '--data', folder]);
  t.match(sound, { code: 0, stdout: /^✓ acme: 3 entries, 1 to 3; its end is acme@3:[0-9a-f]{64}\n$/ });
  const end = /acme@3:[0-9a-f]{64}/.exec(sound.stdout)?.[0] ?? '';
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', end]), { code: 0 });
  const other = end.replace(/:[0-9a-f]{4}/, ':0000');
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', other]), { code: 1, stdout: /is another one/ });
  t.match(await vp(['audit', 'verify', '--data', folder, '--expect', 'x']), { code: 2, stderr: /FLAG_INVALID/ });
  const sqlite = new Sqlite(file);
  sqlite.exec('DELETE FROM entries WHERE seq = 2');
  sqlite.close();
  t.match(await vp(['audit', 'verify', '--data', folder]), { code: 1, stdout: /✕ removed 2: entry 2 is missing/ });
  const { chains } = JSON.parse((await vp(['audit', 'verify', '--data', folder, '--json'])).stdout);
  t.match(chains, [{ hub: 'acme', faults: [{ kind: 'removed', seq: 2 }] }]);
});

t.test('without an audit there is nothing to verify', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9');
  t.not((await here.vp(['audit', 'verify', '--data', here.folder])).code, 0);
});

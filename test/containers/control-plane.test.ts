/** compose/control-plane as a team runs it: up, first owner, backup, restart, and a restore onto an empty volume. */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { createClient } from '../../src/client/client.ts';
import { createLogFolder } from '../logs/log-folder.ts';

const run = promisify(execFile);
const port = 23_304;
const origin = 'https://vp.example.com';

t.test('the control plane for a team', async (t) => {
  const folder = join(createLogFolder(t), 'control-plane');
  cpSync('compose/control-plane', folder, { recursive: true });
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('vp-control-plane', 'vp-test-control-plane'));
  const gateway = 'VP_GATEWAY=172.30.78.1\nVP_SUBNET=172.30.78.0/24\n';
  const image = process.env.VP_IMAGE ? `VP_IMAGE=${process.env.VP_IMAGE}\n` : '';
  writeFileSync(join(folder, '.env'), `VP_PUBLIC_URL=${origin}\nVP_PORT=${port}\n${gateway}${image}`);
  const compose = async (...args: string[]): Promise<string> =>
    (await run('docker', ['compose', ...args], { cwd: folder, timeout: 120_000 })).stdout;
  const keyFolder = (texts: object) => {
    const child = run('docker', ['compose', 'run', '--rm', '-T', 'control-plane', 'place-files', '--to', '/data'], {
      cwd: folder,
    });
    child.child.stdin?.end(JSON.stringify(texts));
    return child;
  };
  await compose('down', '--volumes');
  t.teardown(() => compose('down', '--volumes'));
  const client = async () => {
    await compose('cp', 'control-plane:/data/owner.key', 'owner.key');
    const token = readFileSync(join(folder, 'owner.key'), 'utf8').trim();
    return createClient({ baseUrl: `http://127.0.0.1:${port}`, token, fetch });
  };

  await compose('up', '--detach', '--wait');
  t.match(await compose('exec', '-T', 'control-plane', 'vp', 'setup-link'), 'setup-link.txt');
  await compose('cp', 'control-plane:/data/setup-link.txt', 'link.txt');
  t.ok(readFileSync(join(folder, 'link.txt'), 'utf8').startsWith(`${origin}/setup#`));
  await (await client()).instances.create({ instance_id: 'kept' });
  await compose('exec', '-T', 'control-plane', 'vp', 'backup', '/out/monday.db');
  const backup = ['monday.db', 'monday.audit.db', 'monday.memory.db'];
  for (const file of backup) await compose('cp', `control-plane:/out/${file}`, file);
  await compose('cp', 'control-plane:/data/master.key', 'master.key');
  await compose('down');
  await compose('up', '--detach', '--wait');
  t.match(await (await client()).instances.list(), [{ instance_id: 'kept' }], 'kept when the container is recreated');

  await compose('down', '--volumes');
  for (const file of backup) chmodSync(join(folder, file), 0o644);
  await keyFolder({ 'master.key': readFileSync(join(folder, 'master.key'), 'utf8').trim() });
  await compose('create');
  for (const file of backup) await compose('cp', file, 'control-plane:/out/');
  await compose('run', '--rm', '-T', 'control-plane', 'restore', '/out/monday.db');
  await compose('up', '--detach', '--wait');
  t.match(await (await client()).instances.list(), [{ instance_id: 'kept' }], 'restored onto an empty volume');
});

t.setTimeout(240_000);

/** A server that vanishes without closing its connections: noticed, although nothing is sent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

const probe = join(import.meta.dirname, 'half-open-probe.ts');
const timeoutMs = 30_000;

/** Dropped packets need a network of our own. */
function findObstacle(): string | false {
  const commands = 'ip link set lo up && iptables -A INPUT -p tcp --dport 9 -j DROP';
  const { status } = spawnSync('unshare', ['-n', 'sh', '-c', commands], { stdio: 'ignore' });
  return status === 0 ? false : 'this user cannot drop packets (unshare -n, ip, iptables)';
}

t.test('a silent stream and a call that waits end when packets are dropped', { skip: findObstacle() }, async (t) => {
  const args = ['-n', process.execPath, '--import', './test/tsx-hook.mjs', probe];
  const printed = execFileSync('unshare', args, { encoding: 'utf8', timeout: timeoutMs });
  t.equal(printed.trim(), 'rejected rejected');
});

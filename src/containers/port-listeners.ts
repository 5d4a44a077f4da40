/** Which process listens on a port: from /proc on Linux, from `lsof` on macOS. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { runProcess } from '../process/run-process.ts';

/** A listening socket. `holder` and `user` are undefined where this user may not know them. */
export type PortListener = {
  readonly address: string;
  readonly port: number;
  readonly holder: { readonly pid: number; readonly name: string } | undefined;
  readonly user: string | undefined;
};

type ListenerEnvironment = Pick<Environment, 'platform' | 'variables'>;
type SocketRow = { readonly address: string; readonly port: number; readonly uid: string; readonly inode: string };

const listenState = '0A';

/** Listeners on `port` of any address. Empty on other platforms. `root` is for tests. */
export async function findListeners(
  environment: ListenerEnvironment,
  port: number,
  root = '/',
): Promise<readonly PortListener[]> {
  if (environment.platform === 'darwin') return findListenersByLsof(environment, port);
  if (environment.platform !== 'linux') return [];
  const rows = ['tcp', 'tcp6']
    .flatMap((table) => parseSocketTable(readTextFile(join(root, 'proc/net', table))))
    .filter((row) => row.port === port);
  if (rows.length === 0) return [];
  const owners = findSocketOwners(new Set(rows.map(({ inode }) => inode)), root);
  const users = parseUsers(readTextFile(join(root, 'etc/passwd')));
  return rows.map(({ address, uid, inode }) => ({
    address,
    port,
    holder: owners.get(inode),
    user: users.get(uid) ?? uid,
  }));
}

function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // Gone, or not ours to read.
  }
}

/** Lines of /proc/net/tcp and tcp6 (proc(5)). */
function parseSocketTable(table: string): SocketRow[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === listenState
        ? [{ address: parseAddress(address), port: Number.parseInt(port, 16), uid, inode }]
        : [];
    });
}

/** An IPv4 address is 4 bytes in the machine's order, an IPv6 address 4 such groups. */
function parseAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).map((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 1)
    return bytes
      .flat()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  const groups = bytes.flat().join('').match(/.{4}/g) ?? [];
  const text = groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
  if (text === '0:0:0:0:0:0:0:0') return '::';
  return text === '0:0:0:0:0:0:0:1' ? '::1' : text;
}

/** The processes that hold these sockets, as far as this user may see. */
function findSocketOwners(inodes: ReadonlySet<string>, root: string): Map<string, { pid: number; name: string }> {
  const owners = new Map<string, { pid: number; name: string }>();
  for (const pid of listNames(join(root, 'proc')).filter((name) => /^\d+$/.test(name))) {
    for (const handle of listNames(join(root, 'proc', pid, 'fd'))) {
      const inode = /^socket:\[(\d+)\]$/.exec(readLink(join(root, 'proc', pid, 'fd', handle)))?.[1];
      if (inode === undefined || !inodes.has(inode)) continue;
      owners.set(inode, { pid: Number(pid), name: readTextFile(join(root, 'proc', pid, 'comm')).trim() });
    }
  }
  return owners;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function parseUsers(passwd: string): Map<string, string> {
  return new Map(
    passwd.split('\n').map((line): [string, string] => {
      const [name = '', , uid = ''] = line.split(':');
      return [uid, name];
    }),
  );
}

async function findListenersByLsof(environment: ListenerEnvironment, port: number): Promise<PortListener[]> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-FpcLn'];
  const { stdout } = await runProcess('lsof', args, { variables: environment.variables, timeoutMs: 10_000 });
  return parseLsofOutput(stdout, port);
}

/** Parses `lsof -F pcLn`: one field per line, named by its first letter; `n` is the last field of a socket. */
export function parseLsofOutput(text: string, port: number): PortListener[] {
  const listeners: PortListener[] = [];
  let [pid, name, user] = [0, '', ''];
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    else if (line.startsWith('c')) name = value;
    else if (line.startsWith('L')) user = value;
    else if (line.startsWith('n')) {
      const address = value.replace(/:\d+$/, '');
      listeners.push({ address, port, holder: { pid, name }, user });
    }
  }
  return listeners;
}

/** Which process of this machine listens on a port: from /proc on Linux, by `lsof` on macOS. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { runProgram } from '../process/run-program.ts';

/** A listening socket. `holder` and `user` are undefined where this user may not know them. */
export type Listener = {
  readonly address: string;
  readonly port: number;
  readonly holder: { readonly pid: number; readonly name: string } | undefined;
  readonly user: string | undefined;
};

type Place = Pick<Environment, 'platform' | 'variables'>;
type Row = { readonly address: string; readonly port: number; readonly uid: string; readonly inode: string };

const listening = '0A';

/** Listeners on `port`, on whichever address; none where the platform does not tell. `root` is for tests. */
export async function listenersOn(place: Place, port: number, root = '/'): Promise<readonly Listener[]> {
  if (place.platform === 'darwin') return listenersByLsof(place, port);
  if (place.platform !== 'linux') return [];
  const rows = ['tcp', 'tcp6']
    .flatMap((table) => rowsOf(textOf(join(root, 'proc/net', table))))
    .filter((row) => row.port === port);
  if (rows.length === 0) return [];
  const owners = ownersOf(new Set(rows.map(({ inode }) => inode)), root);
  const users = usersOf(textOf(join(root, 'etc/passwd')));
  return rows.map(({ address, uid, inode }) => ({
    address,
    port,
    holder: owners.get(inode),
    user: users.get(uid) ?? uid,
  }));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // Gone, or not ours to read.
  }
}

/** Lines of /proc/net/tcp and tcp6 (proc(5)). */
function rowsOf(table: string): Row[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === listening ? [{ address: addressOf(address), port: Number.parseInt(port, 16), uid, inode }] : [];
    });
}

/** Four bytes in the machine's order, or four times four. */
function addressOf(hex: string): string {
  const words = (hex.match(/.{8}/g) ?? []).map((word) => (word.match(/../g) ?? []).reverse());
  if (words.length === 1)
    return words
      .flat()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  const groups = words.flat().join('').match(/.{4}/g) ?? [];
  const text = groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
  if (text === '0:0:0:0:0:0:0:0') return '::';
  return text === '0:0:0:0:0:0:0:1' ? '::1' : text;
}

/** The processes that hold these sockets, as far as this user may see. */
function ownersOf(inodes: ReadonlySet<string>, root: string): Map<string, { pid: number; name: string }> {
  const owners = new Map<string, { pid: number; name: string }>();
  for (const pid of namesIn(join(root, 'proc')).filter((name) => /^\d+$/.test(name))) {
    for (const handle of namesIn(join(root, 'proc', pid, 'fd'))) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(join(root, 'proc', pid, 'fd', handle)))?.[1];
      if (inode === undefined || !inodes.has(inode)) continue;
      owners.set(inode, { pid: Number(pid), name: textOf(join(root, 'proc', pid, 'comm')).trim() });
    }
  }
  return owners;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function usersOf(passwd: string): Map<string, string> {
  return new Map(
    passwd.split('\n').map((line): [string, string] => {
      const [name = '', , uid = ''] = line.split(':');
      return [uid, name];
    }),
  );
}

async function listenersByLsof(place: Place, port: number): Promise<Listener[]> {
  const words = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-FpcLn'];
  const { stdout } = await runProgram('lsof', words, { variables: place.variables, timeoutMs: 10_000 });
  return listenersOfLsof(stdout, port);
}

/** The output of `lsof -F pcLn`: a line a field, its first letter says which; `n` closes a socket. */
export function listenersOfLsof(text: string, port: number): Listener[] {
  const found: Listener[] = [];
  let [pid, name, user] = [0, '', ''];
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) pid = Number(value);
    else if (line.startsWith('c')) name = value;
    else if (line.startsWith('L')) user = value;
    else if (line.startsWith('n')) {
      const address = value.replace(/:\d+$/, '');
      found.push({ address, port, holder: { pid, name }, user });
    }
  }
  return found;
}

/** Agent folders of a test. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { formatAgentToken } from '../../../src/contract/agents/agent-token.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { connectFolder, type FolderConnection } from '../../../src/onboarding/agent-folders/connect.ts';
import { disconnectFolder } from '../../../src/onboarding/agent-folders/disconnect.ts';
import type { FolderContext } from '../../../src/onboarding/agent-folders/file-access.ts';

export const createToken = (instance: string, letter = 'a'): string =>
  formatAgentToken({ instance, role: 'test' }, letter.repeat(43));

export const createConnection = (folder: string, instance = 'shop'): FolderConnection => ({
  folder,
  role: 'test',
  instance,
  routerUrl: 'http://127.0.0.1:9765/mcp',
  token: createToken(instance),
  controlPlane: 'http://127.0.0.1:7700',
  agentTokenId: 'one',
});

/** A folder `agent` with `.mcp.json` as given, and a configuration folder beside it. */
export function createAgentFolder(t: Test, mcp?: string | Buffer) {
  // Not `t.testdir`: that is inside this repository, and ignored by it.
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'vp-folders-'));
  chmodSync(root, 0o755);
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['agent', 'product', 'config']) mkdirSync(join(root, name));
  const folder = join(root, 'agent');
  const file = join(folder, '.mcp.json');
  if (mcp !== undefined) writeFileSync(file, mcp);
  const context: FolderContext = {
    config: join(root, 'config'),
    random: systemRandom,
    variables: { PATH: process.env.PATH },
  };
  const read = (name = '.mcp.json'): string => readFileSync(join(folder, name), 'utf8');
  const has = (name: string): boolean => existsSync(join(folder, name));
  return {
    root,
    folder,
    file,
    context,
    read,
    has,
    connect: (instance = 'shop', more: Partial<FolderConnection> = {}) =>
      connectFolder({ ...createConnection(folder, instance), ...more }, context),
    disconnect: (instance = 'shop') => disconnectFolder(folder, instance, context),
  };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runPacked } from './packed.ts';

t.test('the packed binary reads the files of agents’ clients', async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, '.mcp.json'), '{\n  // mine\n  "mcpServers": {},\n}\n');
  const { status, stderr } = runPacked(
    ['disconnect', '--instance', 'shop', '--test-dir', '.'],
    { HOME: folder },
    folder,
  );
  t.equal(status, 2, stderr);
  t.match(stderr, 'FOLDER_NOT_CONNECTED');
});

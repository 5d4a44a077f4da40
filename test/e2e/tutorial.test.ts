/** The page of the tutorial as it is written: the commands, the scenario that `vp new` writes, and the failure. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedFile } from '../packed/packed.ts';
import { sandboxTest } from './sandbox.ts';

const page = readFileSync('docs/tutorial/first-verdict.md', 'utf8');
const [, scenarioOfPage = ''] = /```markdown\n([\s\S]*?)```/.exec(page) ?? [];
const [, oldCheck = '', newCheck = ''] = /^Change `([^`]+)` to `([^`]+)`/m.exec(page) ?? [];

/** The line of the page that begins so. */
function findLine(start: string): string {
  return page.split('\n').find((line) => line.startsWith(`    ${start}`)) ?? '';
}

sandboxTest('what the tutorial shows is what comes', async (t, sandbox) => {
  sandbox.write('bin/readme', '');
  symlinkSync(packedFile, join(sandbox.folder, 'bin', 'vp'));
  const start = (line: string) => {
    const variables = {
      PATH: `${join(sandbox.folder, 'bin')}:${process.env.PATH ?? ''}`,
      HOME: join(sandbox.folder, 'home'),
      API_TOKEN: 'secret-token',
    };
    return sandbox.start('sh', ['-c', line.trim()], { variables });
  };
  const run = (line: string) => start(line).ended;
  const target = start(
    findLine('API_TOKEN=').replace('PORT=3200', 'PORT=0').replace('vp', 'exec vp').replace('>', '| tee'),
  );
  const [, port = ''] = await target.waitForOutput(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/);

  const created = await run(findLine('vp new --yes').replace('3200', port));
  t.match(created, { code: 0, stdout: /✓ RT-GET-document {2}passed/ }, created.stderr);
  const file = join(sandbox.folder, 'test/scenarios/RT-GET-document.md');
  const written = readFileSync(file, 'utf8');
  t.equal(written.trim(), scenarioOfPage.trim());

  const again = findLine('vp run --local --log');
  t.match(await run(again), { code: 0, stdout: /✓ RT-GET-document/ });
  t.ok(written.includes(oldCheck), oldCheck);
  writeFileSync(file, written.replace(oldCheck, newCheck));
  t.match(await run(again), { code: 1, stdout: /RT-GET-document\.md:\d+/ });
  writeFileSync(file, written);
  t.match(await run(findLine('vp prove')), { code: 0 });

  t.match(await run(findLine('vp new scenario --from')), { code: 0 });
  const [, curl = ''] = /```sh\n(curl [^\n]*)\n/.exec(page) ?? [];
  sandbox.write('request.txt', curl.replace('3200', port));
  t.match(await run(findLine('cat request.txt')), { code: 0 });
  t.match(await run(again), { code: 0, stdout: /3 runs: 3 passed/ });
});

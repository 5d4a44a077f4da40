/** Closed or full output: report files are still written, and the error is reported. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';
import { configText, scenarioId, scenarioText } from './test-environment.ts';

const vp = `'${packedFile}'`;

/** Runs a line in a shell. */
function shell(sandbox: Sandbox, line: string, variables: Record<string, string> = {}) {
  return sandbox.start('/bin/bash', ['-c', `set -o pipefail; ${line}`], { variables }).ended;
}

async function writeProject(t: Test, sandbox: Sandbox): Promise<void> {
  const target = await startHttpTarget(respondWithJson({ data: [] }));
  t.teardown(() => target.close());
  sandbox.write('product/platform-config.yaml', configText(target.origin));
  for (const id of ['a', 'b', 'c'])
    sandbox.write(`scenarios/${id}.md`, scenarioText().replaceAll(scenarioId, `RT-${id}`));
}

const run = 'run --local --product-dir product --test-dir scenarios --repeat 20 --report json=out.json';

sandboxTest('report files are written even if the reader of the output closes', async (t, sandbox) => {
  await writeProject(t, sandbox);
  for (const more of ['', ' --json']) {
    const { code, stderr } = await shell(sandbox, `${vp} ${run}${more} | true`);
    t.equal(code, 130, stderr);
    t.ok(JSON.parse(readFileSync(join(sandbox.folder, 'out.json'), 'utf8')).summary, 'the file is whole');
  }
});

sandboxTest(
  'a full standard output is reported in one sentence, and the report files are written',
  async (t, sandbox) => {
    await writeProject(t, sandbox);
    for (const line of [run, `${run} --json`, '--version', '--help', 'runs show --help', 'guide']) {
      const { code, stdout, stderr } = await shell(sandbox, `${vp} ${line} > /dev/full`);
      t.equal(code, 4, line);
      t.equal(stdout, '');
      t.match(stderr, /^vp: standard output cannot be written: ENOSPC \(COMMAND_OUTPUT_UNWRITABLE\)\n {4}.*\n$/, line);
    }
    t.ok(JSON.parse(readFileSync(join(sandbox.folder, 'out.json'), 'utf8')).summary);
  },
);

sandboxTest('a reader that closes early is no error of any command: no stack, no half sentence', async (t, sandbox) => {
  await writeProject(t, sandbox);
  const lines = [
    '--help',
    '--version',
    'guide',
    'docs',
    'validate scenarios',
    'validate-config product',
    'runs --help',
  ];
  for (const line of [...lines, 'completion bash', 'validate scenarios --json', 'nonsense']) {
    const { code, stderr } = await shell(sandbox, `${vp} ${line} | true`);
    t.ok(line === 'nonsense' ? code === 2 : [0, 130].includes(code ?? -1), `${line}: ${code}`);
    t.notMatch(stderr, /EPIPE|INTERNAL|\n\s+at /, line);
  }
});

sandboxTest('the demo leaves nothing behind, however it ends', async (t, sandbox) => {
  const folder = join(sandbox.folder, 'tmp');
  sandbox.write('tmp/mine', '');
  const variables = { TMPDIR: folder };
  t.match(await shell(sandbox, `${vp} demo | head -2`, variables), { code: 130, stdout: /^vp .* demo/ });
  t.same(readdirSync(folder), ['mine'], 'its reader left');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    for (const sign of [/application/, /passed/]) {
      const demo = sandbox.vp(['demo'], { variables });
      await demo.waitForOutput(sign);
      demo.signal(signal);
      t.match(await demo.ended, { code: 130, signal: null }, `${signal} ${sign}`);
      t.same(readdirSync(folder), ['mine'], `${signal} ${sign}`);
    }
  }
});

/** Output that nobody reads, or that has no room: what else was asked for is done, and said. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { configText, scenarioId, scenarioText } from './house.ts';
import { type Stage, scene } from './stage.ts';

const vp = `'${packedFile}'`;

/** Runs a line of a shell, and gives what its standard error and its last `echo` say. */
function shell(stage: Stage, line: string, variables: Record<string, string> = {}) {
  return stage.start('/bin/bash', ['-c', `set -o pipefail; ${line}`], { variables }).ended;
}

async function workplace(t: Test, stage: Stage): Promise<void> {
  const target = await httpTarget(json({ data: [] }));
  t.teardown(() => target.close());
  stage.write('product/platform-config.yaml', configText(target.origin));
  for (const id of ['a', 'b', 'c'])
    stage.write(`scenarios/${id}.md`, scenarioText().replaceAll(scenarioId, `RT-${id}`));
}

const run = 'run --local --product-dir product --test-dir scenarios --repeat 20 --report json=out.json';

scene('a reader who leaves does not cost the report files', async (t, stage) => {
  await workplace(t, stage);
  for (const more of ['', ' --json']) {
    const { code, stderr } = await shell(stage, `${vp} ${run}${more} | true`);
    t.equal(code, 130, stderr);
    t.ok(JSON.parse(readFileSync(join(stage.folder, 'out.json'), 'utf8')).summary, 'the file is whole');
  }
});

scene('standard output without room is told in one sentence, and the report files are written', async (t, stage) => {
  await workplace(t, stage);
  for (const line of [run, `${run} --json`, '--version', '--help', 'runs show --help', 'guide']) {
    const { code, stdout, stderr } = await shell(stage, `${vp} ${line} > /dev/full`);
    t.equal(code, 4, line);
    t.equal(stdout, '');
    t.match(stderr, /^vp: standard output cannot be written: ENOSPC \(COMMAND_OUTPUT_UNWRITABLE\)\n {4}.*\n$/, line);
  }
  t.ok(JSON.parse(readFileSync(join(stage.folder, 'out.json'), 'utf8')).summary);
});

scene('the demo leaves nothing behind, however it ends', async (t, stage) => {
  const folder = join(stage.folder, 'tmp');
  stage.write('tmp/mine', '');
  const variables = { TMPDIR: folder };
  t.match(await shell(stage, `${vp} demo | head -2`, variables), { code: 130, stdout: /^vp .* demo/ });
  t.same(readdirSync(folder), ['mine'], 'its reader left');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    for (const sign of [/application/, /passed/]) {
      const demo = stage.vp(['demo'], { variables });
      await demo.said(sign);
      demo.signal(signal);
      t.match(await demo.ended, { code: 130, signal: null }, `${signal} ${sign}`);
      t.same(readdirSync(folder), ['mine'], `${signal} ${sign}`);
    }
  }
});

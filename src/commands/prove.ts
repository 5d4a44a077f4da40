/** `vp prove`: runs scenarios, and tells what each of their checks is worth. */
import { command } from './command.ts';
import { runFlags, runScenarios } from './run.ts';

const { repeat: _repeat, direct: _direct, jobs: _jobs, ...others } = runFlags;
const flags = {
  ...others,
  tag: { ...others.tag, describe: 'prove the scenarios that have this tag, or another one named' },
};

/** `vp prove`. */
export const proveCommand = command({
  name: 'prove',
  summary: 'find checks that cannot fail, and what nothing checks',
  positionals: [
    {
      name: 'scenario',
      describe: 'ID in the catalogue (with --local: in the test folder), or a file, or a folder',
      required: false,
      many: true,
    },
  ],
  flags,
  examples: [
    ['vp prove RT-GET-document', 'what the checks of one scenario are worth'],
    ['vp prove my-change.md', 'a file that is not in the catalogue'],
    ['vp prove --local --test-dir test/scenarios', 'every scenario of a folder, without a server'],
  ],
  notes: [
    'Each scenario runs once. What came back is then changed where its checks look (gone, null, empty, of another type, a ' +
      'neighbouring value, another status) and judged again, without further requests.',
    'A check is proven when it alone notices some change; covered when others notice all that it does; and never fails ' +
      'when no other content makes it fail, as with `matching .*`. What no check looks at is told with a check that would.',
    'The exit code is 0 when every check is proven or covered; 1 when one never fails, or a check was false; 4 when a run ' +
      'could not be judged, or not every check could be tried.',
  ].join('\n\n'),
  run(invocation) {
    const rest = { repeat: 1, direct: false, jobs: undefined };
    const call = { ...invocation, flags: { ...invocation.flags, ...rest } };
    return runScenarios(call, { command: 'vp prove', prove: true });
  },
});

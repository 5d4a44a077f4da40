/** `vp prove`: runs scenarios, and finds out whether each of their checks can fail. */
import { command } from '../../command-line/command.ts';
import { discardReports, runScenarios } from './run.ts';
import { localFlagGroup, runFlags, scenariosArgument } from './run-flags.ts';

const { repeat: _repeat, direct: _direct, jobs: _jobs, shard: _shard, ...rest } = runFlags;
const { 'until-fail': _untilFail, 'retry-failed': _retryFailed, 'shard-key': _shardKey, ...others } = rest;
const flags = {
  ...others,
  tag: { ...others.tag, describe: 'prove the scenarios with this tag' },
};

/** `vp prove`. */
export const proveCommand = command({
  name: 'prove',
  summary: 'find checks that cannot fail, and data that is not checked',
  positionals: [scenariosArgument],
  flags,
  flagGroups: { 'With --local': localFlagGroup['With --local'].filter((name) => name !== 'jobs') },
  examples: [
    ['vp prove RT-GET-document', 'prove the checks of one scenario'],
    ['vp prove my-change.md', 'a file that is not in the catalogue'],
    ['vp prove --local --test-dir test/scenarios', 'every scenario of a folder, without a server'],
  ],
  notes: [
    'Each scenario runs once. Its response is then changed where the checks look (missing, null, empty, another type, a ' +
      'similar value, another status) and judged again, without further requests.',
    'A check is proven if it alone detects some change; covered if other checks detect all changes that it detects; and never fails ' +
      'if no content makes it fail, as with `matching .*`. For data that is not checked, a check is suggested.',
    'The exit code is 0 if every check is proven or covered; 1 if one never fails, or a check was false; 4 if a run ' +
      'could not be judged, or not every check could be tested.',
  ].join('\n\n'),
  run(invocation) {
    const once = { repeat: 1, direct: false, jobs: undefined, 'until-fail': false, 'retry-failed': 0 };
    const whole = { shard: undefined, 'shard-key': undefined };
    const call = { ...invocation, flags: { ...invocation.flags, ...once, ...whole } };
    return runScenarios(call, { command: 'vp prove', prove: true });
  },
  onInvalidLine: discardReports,
});

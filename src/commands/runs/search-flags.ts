/** The flags of `vp runs` that search beyond the columns of a run. */
import type { RunSearchFilter } from '../../client/runs.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';

export const runSearchFlags = {
  text: {
    type: 'strings',
    placeholder: '<text>',
    describe: 'only runs with this text in the scenario or in what failed; with several, all of them',
  },
  path: { type: 'string', placeholder: '<path>', describe: 'only runs that send a request to a path that begins so' },
  tag: { type: 'string', placeholder: '<tag>', describe: 'only runs of scenarios with this tag', kind: 'tag' },
  owner: { type: 'string', placeholder: '<name>', describe: 'only runs of scenarios of this owner' },
  'target-version': { type: 'string', placeholder: '<version>', describe: 'only runs of this version of the target' },
  branch: { type: 'string', placeholder: '<branch>', describe: 'only runs of this branch' },
  commit: { type: 'string', placeholder: '<commit>', describe: 'only runs of commits that begin so' },
  failure: { type: 'string', placeholder: '<id>', describe: 'only runs with this failure', kind: 'failure' },
  schedule: {
    type: 'string',
    placeholder: '<id>',
    describe: 'only runs that this schedule requested',
    kind: 'schedule',
  },
} as const satisfies FlagDefinitions;

type RunSearchFlags = FlagValues<typeof runSearchFlags>;

/** Undefined without any of the flags. */
export function toRunSearch(flags: RunSearchFlags): RunSearchFilter | undefined {
  const { text, path, tag, owner, branch, commit, failure, schedule } = flags;
  if (path !== undefined && !path.startsWith('/'))
    throw vpError('FLAG_INVALID', { command: 'vp runs', flag: '--path', problem: 'must begin with /' });
  const values: RunSearchFilter = { path, owner, branch, commit, failure, schedule };
  const search: RunSearchFilter = {
    ...values,
    ...(text.length === 0 ? {} : { text }),
    ...(tag === undefined ? {} : { tag: [tag] }),
    target_version: flags['target-version'],
  };
  return Object.values(search).some((value) => value !== undefined) ? search : undefined;
}

/** Changes have neither tags nor texts to compare. */
export function assertNotWatching(search: RunSearchFilter | undefined): void {
  const [used] = Object.entries(search ?? {}).filter(([, value]) => value !== undefined);
  if (!used) return;
  const flag = `--${used[0].replace('_', '-')}`;
  throw vpError('FLAG_CONTRADICTED', { flag, other: '--watch' });
}

/** As `with the tag smoke`. */
export function describeRunSearch(search: RunSearchFilter | undefined): string[] {
  if (!search) return [];
  const { text = [], tag = [], path, owner, target_version: version, branch, commit, failure, schedule } = search;
  const named: readonly (readonly [words: string, value: string | undefined])[] = [
    ...text.map((word) => ['with the text', word] as const),
    ...tag.map((name) => ['with the tag', name] as const),
    ['of the path', path],
    ['of the owner', owner],
    ['of the version', version],
    ['of the branch', branch],
    ['of the commit', commit],
    ['with the failure', failure],
    ['of the schedule', schedule],
  ];
  return named.flatMap(([words, value]) => (value === undefined ? [] : [`${words} ${escapeUnsafeLine(value)}`]));
}

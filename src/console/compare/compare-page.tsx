import { Link, useSearchParams } from 'wouter';
import { Select } from '../components/select.tsx';
import { instancePath } from '../paths.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { BranchChoice } from './branch-choice.tsx';
import { PeriodChoice } from './period-choice.tsx';
import { VersionChoice } from './version-choice.tsx';

const choices = {
  versions: VersionChoice,
  branches: BranchChoice,
  periods: PeriodChoice,
} as const;
type ComparedKind = keyof typeof choices;

const kindOptions = [
  ['versions', 'versions'],
  ['branches', 'branches'],
  ['periods', 'periods'],
] as const satisfies readonly (readonly [ComparedKind, string])[];

/** What changed from one version of the target, branch or period to another; the address has all of it. */
export default function ComparePage({ instance }: { instance: string }) {
  const [search, setSearch] = useSearchParams();
  const name = search.get('by');
  const kind = kindOptions.find(([option]) => option === name)?.[0] ?? 'versions';
  const Choice = choices[kind];
  useRememberInstance(instance);
  return (
    <div className="landing">
      <title>{`What did this change break? · ${instance} · vp`}</title>
      <p>
        <Link href={instancePath(instance)}>‹ What needs a look</Link>
      </p>
      <h1>
        What did this change break? <span className="faint">{instance}</span>
      </h1>
      <fieldset className="filters">
        <legend className="visually-hidden">What is compared</legend>
        {/* What was chosen of another kind means nothing for this one. */}
        <Select label="Compare" value={kind} options={kindOptions} onSelect={(by) => setSearch({ by })} />
      </fieldset>
      <Choice key={kind} instance={instance} />
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { changeLabels } from '../../contract/change-labels.ts';
import type { RunComparison, TargetVersionEntry } from '../../contract/comparison-api.ts';
import { AlternativeCommand, hasCommandLine } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Select } from '../components/select.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { instancePath } from '../paths.ts';
import { useClient } from '../session/client.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { ComparisonTable } from './comparison-table.tsx';

/** What changed from one version of the target to another; both are part of the address. */
export default function ComparePage({ instance }: { instance: string }) {
  const { comparison } = useClient();
  const query = useQuery({
    queryKey: ['target-versions', instance],
    queryFn: ({ signal }) => comparison.listTargetVersions(instance, { signal }),
  });
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
      <QueryContent query={query}>
        {(versions) =>
          versions.length < 2 ? <NoVersions instance={instance} /> : <Sides instance={instance} versions={versions} />
        }
      </QueryContent>
    </div>
  );
}

function NoVersions({ instance }: { instance: string }) {
  return (
    <EmptyState title="Fewer than two versions of the target are known">
      <p>
        A run has the version that a response header such as <code>X-App-Version</code> names. In a pipeline, the
        variable <code>VP_TARGET_VERSION</code> names it.
      </p>
      <RemainingSteps id={instance} />
      {hasCommandLine() ? <p>Periods are compared without versions.</p> : null}
      <AlternativeCommand text={`vp compare 14d..7d 7d.. --instance ${instance}`} />
    </EmptyState>
  );
}

type SidesProps = { readonly instance: string; readonly versions: readonly TargetVersionEntry[] };

function Sides({ instance, versions }: SidesProps) {
  const [search, setSearch] = useSearchParams();
  const known = versions.map(({ target_version: version }) => version);
  const head = search.get('head') ?? known[0] ?? '';
  const base = search.get('base') ?? findVersionBefore(known, head);
  // A version of the address may be older than those of the list.
  const names = [...new Set([...known, base, head])];
  const options = names.map((name) => [name, name] as const);
  const select = (side: 'base' | 'head', version: string): void =>
    setSearch((params) => {
      params.set(side, version);
      return params;
    });
  return (
    <>
      <fieldset className="filters">
        <legend className="visually-hidden">Versions</legend>
        <Select label="From" value={base} options={options} onSelect={(version) => select('base', version)} />
        <Select label="to" value={head} options={options} onSelect={(version) => select('head', version)} />
      </fieldset>
      <ComparisonResult instance={instance} base={base} head={head} />
    </>
  );
}

/** `versions`: at least two, the newest first. The oldest one is compared with the one after it. */
function findVersionBefore(versions: readonly string[], head: string): string {
  const position = versions.indexOf(head);
  return versions[position + 1] ?? versions[position - 1] ?? '';
}

function ComparisonResult({ instance, base, head }: { instance: string; base: string; head: string }) {
  const { comparison } = useClient();
  const query = useQuery({
    queryKey: ['comparison', instance, base, head],
    queryFn: ({ signal }) => comparison.compare(instance, { version: base }, { version: head }, { signal }),
  });
  return <QueryContent query={query}>{(result) => <ComparisonContent comparison={result} />}</QueryContent>;
}

function ComparisonContent({ comparison }: { comparison: RunComparison }) {
  const [showsAll, setShowsAll] = useState(false);
  const changed = comparison.scenarios.filter(
    ({ change, speed }) => change !== 'unchanged' || speed === 'slower' || speed === 'faster',
  );
  const hiddenCount = comparison.scenarios.length - changed.length;
  return (
    <section aria-label="Changes">
      <SideFacts name="From" side={comparison.base} />
      <SideFacts name="To" side={comparison.head} />
      <p role="status">{describeTotals(comparison)}</p>
      {changed.length > 0 || showsAll ? (
        <ComparisonTable scenarios={showsAll ? comparison.scenarios : changed} />
      ) : null}
      {hiddenCount > 0 && !showsAll ? (
        <p>
          <button type="button" onClick={() => setShowsAll(true)}>
            Show {formatCount(hiddenCount, 'unchanged scenario')}
          </button>
        </p>
      ) : null}
    </section>
  );
}

function describeTotals({ totals, slower, faster }: RunComparison): string {
  const counts = Object.entries(changeLabels).map(
    ([change, label]) => [totals[change as keyof typeof totals], label] as const,
  );
  const all = [...counts.slice(0, -1), [slower, 'slower'] as const, [faster, 'faster'] as const, ...counts.slice(-1)];
  return all.flatMap(([count, label]) => (count > 0 ? [`${count} ${label}`] : [])).join(', ');
}

function SideFacts({ name, side }: { name: string; side: RunComparison['base'] }) {
  return (
    <p className="faint">
      {name} <span className="mono">{side.target_version}</span>: {formatCount(side.runs, 'run')}
      {side.complete ? '' : ' (the newest; there are more)'}, the last <RelativeTime timestamp={side.until} />
    </p>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { AlternativeCommand } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { useClient } from '../session/client.ts';
import { ComparisonResult } from './comparison-result.tsx';
import { SideSelects } from './side-selects.tsx';

/** Branches are those of so many of the newest suites. */
const suiteCount = 200;
const usualBases: readonly string[] = ['main', 'master', 'trunk', 'develop'];

export function BranchChoice({ instance }: { instance: string }) {
  const { suites } = useClient();
  const query = useQuery({
    queryKey: ['branches', instance],
    queryFn: async ({ signal }) => {
      const { items } = await suites.list(instance, { limit: suiteCount }, { signal });
      return [...new Set(items.flatMap(({ source }) => source.branch ?? []))];
    },
  });
  const [search] = useSearchParams();
  const isNamed = search.has('base') && search.has('head');
  return (
    <QueryContent query={query}>
      {(names) =>
        names.length < 2 && !isNamed ? (
          <NoBranches instance={instance} names={names} />
        ) : (
          <Sides instance={instance} names={names} />
        )
      }
    </QueryContent>
  );
}

function NoBranches({ instance, names }: { instance: string; names: readonly string[] }) {
  return (
    <EmptyState title="Fewer than two branches are known">
      <p>
        {names.length === 0 ? null : <>The newest suites are all of {names[0]}. </>}A suite has the branch that the CI
        system names, or <code>--branch</code> of <code>vp run</code>.
      </p>
      <AlternativeCommand text={`vp run --tag smoke --branch checkout --instance ${instance}`} />
    </EmptyState>
  );
}

/** `names`: the newest first. By default the newest one is compared with the usual base. */
function Sides({ instance, names }: { instance: string; names: readonly string[] }) {
  const [search] = useSearchParams();
  const usualBase = usualBases.find((name) => names.includes(name)) ?? names[1] ?? '';
  const base = search.get('base') ?? usualBase;
  const head = search.get('head') ?? names.find((name) => name !== base) ?? '';
  return (
    <>
      <SideSelects label="Branches" names={names} base={base} head={head} />
      <ComparisonResult instance={instance} base={{ branch: base }} head={{ branch: head }} />
    </>
  );
}
